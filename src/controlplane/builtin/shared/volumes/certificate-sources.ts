/** Validation of volumes that project bundles of trusted certificates, and certificates of the pod. */
import type {
  ClusterTrustBundleProjection,
  PodCertificateProjection,
} from "../../../../generated/k8s/core-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { internalForm } from "../../strategies/go-internal.ts";
import { checkSelector } from "../checks.ts";
import type { Shaped } from "../shapes.ts";
import {
  SHORTEST_SECONDS,
  checkSignerName,
  checkSignerNotes,
  longestSeconds,
  trustBundleNameErrors,
} from "../signers.ts";

/** A bundle by its name, or all bundles of a signer that a selector matches. */
type BundleSource = Shaped<ClusterTrustBundleProjection>;

/** A key and the certificate that a signer issues for it. */
type CertificateSource = Shaped<PodCertificateProjection>;

/** Validates a file's path, and that no other source of the volume has it. */
export type CheckPath = (path: Check<string | undefined>) => void;

const KEY_TYPES = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];

/** Validates a projection of a bundle. */
export function checkBundleSource(source: Check<BundleSource>, checkPath: CheckPath): void {
  const { name, signerName, labelSelector } = source.value;
  if (name !== undefined && signerName !== undefined) {
    const shown = internalForm("core.ClusterTrustBundleProjection", source.value);
    source.invalid("only one of name and signerName may be used", shown);
  } else if (name !== undefined) {
    source.at("name").given("must be a valid object name");
    const end = name.lastIndexOf(":");
    const signer = end < 0 ? "" : name.slice(0, end).replaceAll(":", "/");
    for (const detail of trustBundleNameErrors(signer, name)) {
      source.at("name").invalid(`not a valid clustertrustbundlename: ${detail}`);
    }
    if (labelSelector !== undefined) {
      const shown = internalForm("*metav1.LabelSelector", labelSelector);
      source.at("labelSelector").invalid("labelSelector must be unset if name is specified", shown);
    }
  } else if (signerName !== undefined) {
    source.at("signerName").given("must be a valid signer name");
    checkSignerName(source.at("signerName"));
    checkSelector(source.at("labelSelector"));
  } else source.required("either name or signerName must be specified");
  source.at("path").given();
  checkPath(source.at("path"));
}

/** Validates a projection of a certificate of the pod. */
export function checkCertificateSource(
  source: Check<CertificateSource>,
  checkPath: CheckPath,
): void {
  const { signerName, userAnnotations, maxExpirationSeconds: seconds } = source.value;
  checkSignerName(source.at("signerName"));
  if (userAnnotations) checkSignerNotes(source.at("userAnnotations"));
  source.at("keyType").oneOf(KEY_TYPES);
  if (seconds !== undefined) {
    const lifetime = source.at("maxExpirationSeconds");
    const longest = longestSeconds(signerName);
    const rule = "if provided, maxExpirationSeconds must be";
    if (seconds < SHORTEST_SECONDS) lifetime.invalid(`${rule} >= ${SHORTEST_SECONDS}`);
    if (seconds > longest) lifetime.invalid(`${rule} <= ${longest}`);
  }
  const paths = (["credentialBundlePath", "keyPath", "certificateChainPath"] as const)
    .map((part) => source.at(part))
    .filter(({ value = "" }) => value !== "");
  for (const path of paths) checkPath(path);
  if (paths.length === 0) {
    const parts = "credentialBundlePath, keyPath, and certificateChainPath";
    source.required(`specify at least one of ${parts}`);
  }
}
