/** The names of signers, a domain and a path, and the rights to them. */
import type { Check } from "../../../../kube/check.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { WriteContext } from "../../../kinds.ts";
import { quote } from "../../../../kube/field-errors.ts";

const LONGEST_DOMAIN = 253;
const LONGEST_SIGNER = 571;

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
