/**
 * Requests for certificates, as `spec.request` of a CertificateSigningRequest holds them.
 *
 * @see https://www.rfc-editor.org/rfc/rfc2986
 */
import { createPublicKey, verify } from "node:crypto";
import { ALTERNATIVE_NAMES } from "../../kube/x509/certificate.ts";
import { type DerElement, oid, readElement, readElements } from "../../kube/x509/der.ts";
import { pemBlocks } from "../../kube/x509/pem.ts";
import { type Subject, readSubject } from "../../kube/x509/subject.ts";

/** The subject, the key and the names of a certificate request. */
export interface CertificateRequest {
  readonly subject: Subject;
  /** The public key, DER (SPKI). */
  readonly publicKey: Buffer;
  /** The value of the extension with the alternative names, DER. */
  readonly alternativeNames: Buffer | undefined;
  /** How many alternative names of each type there are. */
  readonly counts: Readonly<Record<AlternativeName, number>>;
  /** Why it is not proven that the owner of the key made the request; `undefined`: it is. */
  readonly signatureProblem: string | undefined;
}

export type AlternativeName = "email" | "dns" | "uri" | "ip";

const NAME_TAGS: Readonly<Record<number, AlternativeName>> = {
  0x81: "email",
  0x82: "dns",
  0x86: "uri",
  0x87: "ip",
};
const EXTENSION_REQUEST = oid("1.2.840.113549.1.9.14");
const ATTRIBUTES_TAG = 0xa0;
interface SignatureAlgorithm {
  readonly keyType: "ec" | "rsa" | "ed25519";
  /** `null` where the algorithm has its own. */
  readonly digest: string | null;
}

const signatureAlgorithm = (
  id: string,
  keyType: SignatureAlgorithm["keyType"],
  digest: string | null,
): readonly [Buffer, SignatureAlgorithm] => [oid(id), { keyType, digest }];

const SIGNATURE_ALGORITHMS: readonly (readonly [Buffer, SignatureAlgorithm])[] = [
  signatureAlgorithm("1.2.840.10045.4.1", "ec", "sha1"),
  signatureAlgorithm("1.2.840.10045.4.3.2", "ec", "sha256"),
  signatureAlgorithm("1.2.840.10045.4.3.3", "ec", "sha384"),
  signatureAlgorithm("1.2.840.10045.4.3.4", "ec", "sha512"),
  signatureAlgorithm("1.2.840.113549.1.1.5", "rsa", "sha1"),
  signatureAlgorithm("1.2.840.113549.1.1.11", "rsa", "sha256"),
  signatureAlgorithm("1.2.840.113549.1.1.12", "rsa", "sha384"),
  signatureAlgorithm("1.2.840.113549.1.1.13", "rsa", "sha512"),
  signatureAlgorithm("1.3.101.112", "ed25519", null),
];
const NO_SUCH_ALGORITHM = "x509: cannot verify signature: algorithm unimplemented";
const REFUSED: Readonly<Record<SignatureAlgorithm["keyType"], string>> = {
  ec: "x509: ECDSA verification failure",
  rsa: "crypto/rsa: verification error",
  ed25519: "x509: Ed25519 verification failure",
};

/**
 * Reads a request.
 *
 * @param text - base64 of a PEM block
 * @throws Error in the real server's words when it is not such a block, else about the malformed
 * part
 */
export function readCertificateRequest(text: string): CertificateRequest {
  const [block] = pemBlocks(Buffer.from(text, "base64").toString("latin1"));
  if (block?.type !== "CERTIFICATE REQUEST") {
    throw new Error("PEM block type must be CERTIFICATE REQUEST");
  }
  return readRequestBytes(block.bytes);
}

/**
 * Reads the bytes of a request, DER.
 *
 * @throws Error about the malformed part
 */
export function readRequestBytes(bytes: Buffer): CertificateRequest {
  if (bytes.length === 0) throw new Error("asn1: syntax error: sequence truncated");
  const parts = readElements(readElement(bytes).content);
  const [info, algorithm, signature] = parts;
  if (!info || !algorithm || !signature) throw new Error("x509: malformed certificate request");
  const [version, subject, publicKey, ...rest] = readElements(info.content);
  if (!version || !subject || !publicKey) throw new Error("x509: malformed certificate request");
  const alternativeNames = findAlternativeNames(rest.find(({ tag }) => tag === ATTRIBUTES_TAG));
  return {
    subject: readSubject(subject, "skipped"),
    publicKey: publicKey.whole,
    alternativeNames,
    counts: countNames(alternativeNames),
    signatureProblem: signatureProblem(info, algorithm, signature, publicKey),
  };
}

function findAlternativeNames(attributes: DerElement | undefined): Buffer | undefined {
  if (!attributes) return undefined;
  const wanted = oid(ALTERNATIVE_NAMES);
  for (const { content } of readElements(attributes.content)) {
    const [type, values] = readElements(content);
    if (!type?.whole.equals(EXTENSION_REQUEST) || !values) continue;
    for (const extension of readElements(values.content).flatMap((list) =>
      readElements(list.content),
    )) {
      const [id, ...rest] = readElements(extension.content);
      if (id?.whole.equals(wanted)) return rest.at(-1)?.content;
    }
  }
  return undefined;
}

function countNames(names: Buffer | undefined): Record<AlternativeName, number> {
  const counts = { email: 0, dns: 0, uri: 0, ip: 0 };
  for (const { tag } of names ? readElements(readElement(names).content) : []) {
    const sort = NAME_TAGS[tag];
    if (sort) counts[sort] += 1;
  }
  return counts;
}

function signatureProblem(
  info: DerElement,
  algorithm: DerElement,
  signature: DerElement,
  publicKey: DerElement,
): string | undefined {
  const [type] = readElements(algorithm.content);
  const [, known] = SIGNATURE_ALGORITHMS.find(([id]) => type?.whole.equals(id)) ?? [];
  if (!known) return NO_SUCH_ALGORITHM;
  const { keyType, digest } = known;
  const key = createPublicKey({ key: publicKey.whole, format: "der", type: "spki" });
  if (key.asymmetricKeyType !== keyType) {
    return `x509: signature algorithm specifies an ${keyType} public key, but have public key of type ${key.asymmetricKeyType ?? "unknown"}`;
  }
  // The first byte is the number of unused bits in the last one.
  const isSigned = verify(digest, info.whole, key, signature.content.subarray(1));
  return isSigned ? undefined : REFUSED[keyType];
}
