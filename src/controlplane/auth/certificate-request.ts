/**
 * Requests for certificates, as `spec.request` of a CertificateSigningRequest holds them.
 *
 * @see https://www.rfc-editor.org/rfc/rfc2986
 */
import { createPublicKey, verify } from "node:crypto";
import { ALTERNATIVE_NAMES } from "../../kube/x509/certificate.ts";
import { type DerElement, oid, readElement, readElements } from "../../kube/x509/der.ts";
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
  /** Whether the owner of the key has signed the request. */
  readonly isSigned: boolean;
}

export type AlternativeName = "email" | "dns" | "uri" | "ip";

const NAME_TAGS: Readonly<Record<number, AlternativeName>> = {
  0x81: "email",
  0x82: "dns",
  0x86: "uri",
  0x87: "ip",
};
const BLOCK = /-----BEGIN CERTIFICATE REQUEST-----([\s\S]*?)-----END CERTIFICATE REQUEST-----/;
const EXTENSION_REQUEST = oid("1.2.840.113549.1.9.14");
const ATTRIBUTES_TAG = 0xa0;
/** The digests of signature algorithms; `null` where the algorithm has its own. */
const DIGESTS: readonly (readonly [Buffer, string | null])[] = [
  [oid("1.2.840.10045.4.3.2"), "sha256"],
  [oid("1.2.840.10045.4.3.3"), "sha384"],
  [oid("1.2.840.10045.4.3.4"), "sha512"],
  [oid("1.2.840.113549.1.1.5"), "sha1"],
  [oid("1.2.840.113549.1.1.11"), "sha256"],
  [oid("1.2.840.113549.1.1.12"), "sha384"],
  [oid("1.2.840.113549.1.1.13"), "sha512"],
  [oid("1.3.101.112"), null],
];

/**
 * Reads a request.
 *
 * @param text - base64 of a PEM block
 * @throws Error in the real server's words when it is not such a block, else about the malformed
 * part
 */
export function readCertificateRequest(text: string): CertificateRequest {
  const block = BLOCK.exec(Buffer.from(text, "base64").toString("latin1"));
  if (!block) throw new Error("PEM block type must be CERTIFICATE REQUEST");
  return readRequestBytes(Buffer.from(block[1] ?? "", "base64"));
}

/**
 * Reads the bytes of a request, DER.
 *
 * @throws Error about the malformed part
 */
export function readRequestBytes(bytes: Buffer): CertificateRequest {
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
    isSigned: isSigned(info, algorithm, signature, publicKey),
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

function isSigned(
  info: DerElement,
  algorithm: DerElement,
  signature: DerElement,
  publicKey: DerElement,
): boolean {
  const [type] = readElements(algorithm.content);
  const digest = DIGESTS.find(([id]) => type?.whole.equals(id));
  if (!digest) return false;
  const key = createPublicKey({ key: publicKey.whole, format: "der", type: "spki" });
  // The first byte is the number of unused bits in the last one.
  return verify(digest[1], info.whole, key, signature.content.subarray(1));
}
