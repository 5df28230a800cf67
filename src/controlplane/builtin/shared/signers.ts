/** The names of signers, a domain and a path, of what belongs to them, and the rights to them. */
import type { Check } from "../../../kube/check.ts";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  qualifiedNameErrors,
} from "../../../kube/names.ts";
import type { WriteContext } from "../../kinds.ts";
import { quote } from "../../../kube/field-errors.ts";

const LONGEST_DOMAIN = 253;
const LONGEST_SIGNER = 571;
const LARGEST_NOTES = 256 * 1024;
const DAY_SECONDS = 24 * 3600;

/** The shortest life of a certificate of a pod. */
export const SHORTEST_SECONDS = 3600;

/** Validates the required name of a signer. */
export function checkSignerName(signer: Check<string | undefined>): void {
  if (!signer.given()) return;
  const { value: name = "" } = signer;
  const [domain = "", path = "", ...rest] = name.split("/");
  if (!name.includes("/") || rest.length > 0) {
    signer.invalid(
      "must be a fully qualified domain and path of the form 'example.com/signer-name'",
    );
    return;
  }
  if (domain.length > LONGEST_DOMAIN) signer.tooLong(LONGEST_DOMAIN);
  const labels = domain.split(".");
  checkLabels(signer.as(domain), labels, dns1123LabelErrors);
  if (labels.length < 2) {
    signer.as(domain).invalid("should be a domain with at least two segments separated by dots");
  }
  checkLabels(signer.as(path), path.split("."), dns1123SubdomainErrors);
  if (name.length > LONGEST_SIGNER) signer.tooLong(LONGEST_SIGNER);
}

/** Tells what is wrong with the first label that breaks the rule. */
function checkLabels(
  part: Check<string>,
  labels: readonly string[],
  rule: (label: string) => string[],
): void {
  const wrong = labels.find((label) => rule(label).length > 0);
  if (wrong === undefined) return;
  for (const detail of rule(wrong)) part.invalid(`validating label ${quote(wrong)}: ${detail}`);
}

/** What is wrong with the name of a bundle, which begins with that of its signer. */
export function trustBundleNameErrors(signer: string, name: string): string[] {
  if (signer === "") {
    return name.includes(":")
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : dns1123SubdomainErrors(name);
  }
  const prefix = `${signer.replaceAll("/", ":")}:`;
  return name.startsWith(prefix)
    ? dns1123SubdomainErrors(name.slice(prefix.length))
    : [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`];
}

/** The longest life of a certificate of a pod; signers of Kubernetes give shorter ones. */
export function longestSeconds(signer: string): number {
  const [host = ""] = signer.split("/");
  const isOfKubernetes = host === "kubernetes.io" || host.endsWith(".kubernetes.io");
  return isOfKubernetes ? DAY_SECONDS : 91 * DAY_SECONDS;
}

/** Validates what a pod's author tells the signer: keys have a domain. */
export function checkSignerNotes(annotations: Check<Record<string, string> | undefined>): void {
  const entries = Object.entries(annotations.value ?? {});
  for (const [key] of entries) {
    const shown = annotations.as(key.toLowerCase());
    const wrong = qualifiedNameErrors(shown.value);
    for (const detail of wrong) shown.invalid(detail);
    if (wrong.length === 0 && !key.includes("/")) {
      shown.invalid('must be a domain-prefixed key (such as "acme.io/foo")');
    }
  }
  const size = entries.reduce((sum, entry) => sum + Buffer.byteLength(entry.join("")), 0);
  if (size > LARGEST_NOTES) annotations.tooLong(LARGEST_NOTES);
}

/** Whether somebody has a right to a signer, or to all signers of its domain. */
export function mayUseSigner(verb: string, signer: string, may: WriteContext["may"]): boolean {
  const [domain = ""] = signer.split("/");
  return [signer, `${domain}/*`].some((name) =>
    may({
      verb,
      group: "certificates.k8s.io",
      version: "*",
      resource: "signers",
      subresource: "",
      namespace: "",
      name,
    }),
  );
}
