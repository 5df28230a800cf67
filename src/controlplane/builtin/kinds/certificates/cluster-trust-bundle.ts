import { X509Certificate } from "node:crypto";
import type { Check } from "../../../../kube/check.ts";
import { maskTrailingDash } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { fields } from "../../selectable-fields.ts";
import { checked, checkedChange } from "../../shared/checks.ts";
import { checkSignerName, trustBundleNameErrors } from "../../shared/signers.ts";
import type { KindRules } from "../../kind-rules.ts";
import { type PemBlock, pemBlocks } from "../../../../kube/x509/pem.ts";

export interface ClusterTrustBundle extends SentObject {
  spec?: { signerName?: string; trustBundle?: string };
}

const MAX_BYTES = 1024 * 1024;

function checkBundle(bundle: Check<ClusterTrustBundle>): void {
  const signer = bundle.at("spec", "signerName");
  const rule = (name: string): string[] => trustBundleNameErrors(signer.value ?? "", name);
  bundle.at("metadata", "generateName").nameIfGiven((prefix) => rule(maskTrailingDash(prefix)));
  bundle.at("metadata", "name").nameIfGiven(rule);
  if (signer.value) checkSignerName(signer);
}

/** Validates the anchors: certificates of authorities, each of them once. */
function checkAnchors(bundle: Check<ClusterTrustBundle>): void {
  const anchors = bundle.at("spec", "trustBundle");
  const { value: text = "" } = anchors;
  if (Buffer.byteLength(text) > MAX_BYTES) {
    anchors.tooLong(MAX_BYTES);
    return;
  }
  const refuse = (detail: string): void => anchors.invalid(detail, "<value omitted>");
  const places = new Map<string, number[]>();
  let isWrong = false;
  for (const [index, block] of pemBlocks(text).entries()) {
    const problem = anchorProblem(block);
    if (problem !== undefined) refuse(`entry ${index} ${problem}`);
    isWrong ||= problem !== undefined;
    const key = block.bytes.toString("base64");
    places.set(key, [...(places.get(key) ?? []), index]);
  }
  if (isWrong) return;
  if (places.size === 0) refuse("at least one trust anchor must be provided");
  for (const found of places.values()) {
    if (found.length > 1) refuse(`duplicate trust anchor (indices [${found.join(" ")}])`);
  }
}

function anchorProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== "CERTIFICATE") return `has bad block type: ${type}`;
  if (hasHeaders) return "has PEM block headers";
  try {
    return new X509Certificate(bytes).ca ? undefined : "does not have the CA bit set";
  } catch {
    return "does not parse as X.509";
  }
}

export const clusterTrustBundleRules: KindRules = {
  name: "any",
  conditionalUpdate: true,
  validate: checked(checkBundle),
  validateCreate: checked(checkAnchors),
  validateUpdate: checkedChange<ClusterTrustBundle>((bundle, old) => {
    if (bundle.value.spec?.trustBundle !== old.spec?.trustBundle) checkAnchors(bundle);
    const signer = bundle.at("spec", "signerName");
    signer.as(signer.value ?? "").unchanged(old.spec?.signerName ?? "");
  }),
  metadataChecks: ["whole", "change"],
  selectsNoNamespace: true,
  selectableFields: fields("spec.signerName"),
  table: { SignerName: ["spec.signerName", "<none>"] },
};
