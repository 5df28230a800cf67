/** Validation of what a PodCertificateRequest asks for. */
import type { KeyObject } from "node:crypto";
import type { Check } from "../../../../../kube/check.ts";
import { NOT_SHOWN } from "../../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors } from "../../../../../kube/names.ts";
import {
  SHORTEST_SECONDS,
  checkSignerName,
  checkSignerNotes,
  longestSeconds,
} from "../../../shared/signers.ts";
import { type PodCertificateRequest, keyOf } from "./shape.ts";

const LONGEST_UID = 128;
const LARGEST_REQUEST = 10 * 1024;

/** Validates a new request. */
export function checkRequest(request: Check<PodCertificateRequest>): void {
  const spec = request.child("spec", request.value.spec ?? {});
  const { signerName = "", maxExpirationSeconds: seconds = 0 } = spec.value;
  checkSignerName(spec.at("signerName"));
  checkSignerNotes(spec.at("unverifiedUserAnnotations"));
  for (const owner of ["pod", "serviceAccount", "node"] as const) {
    const name = spec.at(`${owner}Name`);
    const { value: given = "" } = name;
    for (const detail of dns1123SubdomainErrors(given)) name.invalid(detail, given);
    const uid = spec.at(`${owner}UID`);
    const { value = "" } = uid;
    if (value === "") uid.invalid("must not be empty", "");
    if (value.length > LONGEST_UID) uid.tooLong(LONGEST_UID);
  }
  const longest = longestSeconds(signerName);
  if (seconds < SHORTEST_SECONDS || seconds > longest) {
    const detail = `must be in the range [${SHORTEST_SECONDS}, ${longest}]`;
    spec.at("maxExpirationSeconds").invalid(detail);
  }
  if ((spec.value.stubPKCS10Request ?? "") === "") {
    const choice = "(stubPKCS10Request) or (pkixPublicKey, proofOfPossession)";
    spec.invalid(`exactly one of ${choice} must be set`, NOT_SHOWN);
  } else checkStub(spec.at("stubPKCS10Request"));
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
