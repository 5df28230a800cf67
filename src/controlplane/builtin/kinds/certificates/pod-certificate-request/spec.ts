/** The shape of a PodCertificateRequest, and validation of what it asks for. */
import { type KeyObject, createPublicKey } from "node:crypto";
import type { SentObject } from "../../../../../kube/object.ts";
import { readRequestBytes } from "../../../../auth/certificate-request.ts";
import type { ShownCondition } from "../../../shared/conditions.ts";
import type { Check } from "../../../../../kube/check.ts";
import { NOT_SHOWN } from "../../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors } from "../../../../../kube/names.ts";
import {
  SHORTEST_SECONDS,
  checkSignerName,
  checkSignerNotes,
  longestSeconds,
} from "../../../shared/signers.ts";
import { tableOf } from "../../../../../table.ts";

export interface PodCertificateRequest extends SentObject {
  spec?: {
    signerName?: string;
    podName?: string;
    podUID?: string;
    serviceAccountName?: string;
    serviceAccountUID?: string;
    nodeName?: string;
    nodeUID?: string;
    maxExpirationSeconds?: number;
    /** PKCS#10, DER in base64. */
    stubPKCS10Request?: string;
    unverifiedUserAnnotations?: Record<string, string>;
  };
  status?: {
    conditions?: ShownCondition[];
    certificateChain?: string;
    notBefore?: string;
    beginRefreshAt?: string;
    notAfter?: string;
  };
}

/** The key in a request, and whether its owner signed the request; `undefined` when it is malformed. */
export function keyOf(base64: string): { key: KeyObject; isSigned: boolean } | undefined {
  try {
    const { publicKey, signatureProblem } = readRequestBytes(Buffer.from(base64, "base64"));
    const key = createPublicKey({ key: publicKey, format: "der", type: "spki" });
    return { key, isSigned: signatureProblem === undefined };
  } catch {
    // Which part is malformed is not told: the server says only that the request is not valid.
    return undefined;
  }
}

const LONGEST_UID = 128;
const LARGEST_REQUEST = 10 * 1024;

export function checkRequest(request: Check<PodCertificateRequest>): void {
  const spec = request.child("spec", request.value.spec ?? {});
  const { signerName = "", maxExpirationSeconds: seconds = 0 } = spec.value;
  checkSignerName(spec.at("signerName"));
  checkSignerNotes(spec.at("unverifiedUserAnnotations"));
  for (const owner of ["pod", "serviceAccount", "node"] as const) {
    spec.at(`${owner}Name`).named(dns1123SubdomainErrors);
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

const CURVES = tableOf<string>({ secp224r1: "P-224" });
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
        shown: `curve ${CURVES.get(namedCurve) ?? namedCurve}`,
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
