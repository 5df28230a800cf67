/** Validation of what a PodCertificateRequest asks for. */
import type { KeyObject } from "node:crypto";
import type { Check } from "../../../../../kube/check.ts";
import { NOT_SHOWN } from "../../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors, qualifiedNameErrors } from "../../../../../kube/names.ts";
import { checkSignerName } from "../signer-name.ts";
import { type PodCertificateRequest, keyOf } from "./shape.ts";

const LONGEST_UID = 128;
const LARGEST_REQUEST = 10 * 1024;
const LARGEST_ANNOTATIONS = 256 * 1024;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** Validates a new request. */
export function checkRequest(request: Check<PodCertificateRequest>): void {
  const spec = request.child("spec", request.value.spec ?? {});
  const { signerName = "", maxExpirationSeconds: seconds = 0 } = spec.value;
  checkSignerName(spec.at("signerName"));
  checkAnnotations(spec.at("unverifiedUserAnnotations"));
  for (const owner of ["pod", "serviceAccount", "node"] as const) {
    const name = spec.at(`${owner}Name`);
    const { value: given = "" } = name;
    for (const detail of dns1123SubdomainErrors(given)) name.invalid(detail, given);
    const uid = spec.at(`${owner}UID`);
    const { value = "" } = uid;
    if (value === "") uid.invalid("must not be empty", "");
    if (value.length > LONGEST_UID) uid.tooLong(LONGEST_UID);
  }
  const longest = isOfKubernetes(signerName) ? DAY_SECONDS : 91 * DAY_SECONDS;
  if (seconds < HOUR_SECONDS || seconds > longest) {
    const detail = `must be in the range [${HOUR_SECONDS}, ${longest}]`;
    spec.at("maxExpirationSeconds").invalid(detail);
  }
  if ((spec.value.stubPKCS10Request ?? "") === "") {
    const choice = "(stubPKCS10Request) or (pkixPublicKey, proofOfPossession)";
    spec.invalid(`exactly one of ${choice} must be set`, NOT_SHOWN);
  } else checkStub(spec.at("stubPKCS10Request"));
}

function isOfKubernetes(signer: string): boolean {
  const [host = ""] = signer.split("/");
  return host === "kubernetes.io" || host.endsWith(".kubernetes.io");
}

/** Validates what a pod's author tells the signer: keys have a domain. */
function checkAnnotations(annotations: Check<Record<string, string> | undefined>): void {
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
  if (size > LARGEST_ANNOTATIONS) annotations.tooLong(LARGEST_ANNOTATIONS);
}

/** Validates the request that holds the key; all else in it is ignored. */
function checkStub(stub: Check<string | undefined>): void {
  const { value: base64 = "" } = stub;
  if (Buffer.from(base64, "base64").length > LARGEST_REQUEST) {
    stub.tooLong(LARGEST_REQUEST);
    return;
  }
  const read = keyOf(base64);
  if (!read) {
    stub.invalid("must be a valid PKCS#10 CSR", NOT_SHOWN);
    return;
  }
  const problem = keyProblem(read.key);
  if (problem) stub.invalid(problem.detail, problem.shown);
  else if (!read.isSigned) stub.invalid("invalid signature", NOT_SHOWN);
}

const CURVES: Readonly<Record<string, string>> = { secp224r1: "P-224" };
const SECURE_CURVES = ["prime256v1", "secp384r1", "secp521r1"];

function keyProblem(key: KeyObject): { detail: string; shown: unknown } | undefined {
  const { namedCurve = "", modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case "ed25519":
      return undefined;
    case "ec":
      if (SECURE_CURVES.includes(namedCurve)) return undefined;
      return {
        detail: "elliptic public keys must use curve P256, P384, or P521",
        shown: `curve ${CURVES[namedCurve] ?? namedCurve}`,
      };
    case "rsa":
      if (modulusLength === 3072 || modulusLength === 4096) return undefined;
      return {
        detail: "RSA keys must have modulus size 3072 or 4096",
        shown: `${modulusLength}-bit modulus`,
      };
    default:
      return {
        detail: "unknown public key type; supported types are Ed25519, ECDSA, and RSA",
        shown: NOT_SHOWN,
      };
  }
}
