/**
 * X.509 certificates with keys of the curve P-256: building and signing.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5280
 */
import {
  X509Certificate,
  type KeyObject,
  createHash,
  generateKeyPairSync,
  randomBytes,
  sign,
} from "node:crypto";
import { isIP, isIPv4 } from "node:net";
import {
  type DerElement,
  bits,
  boolean,
  integer,
  namedBits,
  octets,
  oid,
  readElement,
  readElements,
  sequence,
  tagged,
  time,
} from "./der.ts";
import { repeatableSignature } from "./seeded-keys.ts";
import { type Subject, readSubject, writeSubject } from "./subject.ts";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** The period in which a certificate is valid, in milliseconds since 1970. */
export interface Validity {
  readonly from: number;
  readonly to: number;
}

/** The content of a certificate before it is signed. */
export interface CertificateContent {
  readonly subject: Subject;
  readonly publicKey: KeyObject;
  readonly validity: Validity;
  /** In DER. */
  readonly extensions: readonly Buffer[];
}

/** What signs a certificate. */
export interface Signer {
  readonly privateKey: KeyObject;
  /** The certificate of the authority, PEM; when absent, the new certificate signs itself. */
  readonly authority?: string | undefined;
  /**
   * Determines the serial number and the signature, for a simulation; when absent, they are
   * random.
   */
  readonly seeded?: ((size: number) => Uint8Array) | undefined;
}

const ECDSA_WITH_SHA256 = sequence(oid("1.2.840.10045.4.3.2"));
const SUBJECT_KEY = "2.5.29.14";
const KEY_USAGE = "2.5.29.15";
/** The extension with the names of a server. */
export const ALTERNATIVE_NAMES = "2.5.29.17";
const BASIC_CONSTRAINTS = "2.5.29.19";
const AUTHORITY_KEY = "2.5.29.35";
const EXTENDED_KEY_USAGE = "2.5.29.37";
/** The extended usage of a server's certificate. */
export const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
/** The bits of the key usage. */
export const DIGITAL_SIGNATURE = 0;
export const CERTIFICATE_SIGNATURE = 5;
export const LIST_SIGNATURE = 6;

const VERSION_TAG = 0xa0;
const EXTENSIONS_TAG = 0xa3;

/** Signs a certificate; the result is PEM. */
export function signCertificate(
  { subject, publicKey, validity, extensions }: CertificateContent,
  { privateKey, authority, seeded }: Signer,
): string {
  const key: Buffer = publicKey.export({ type: "spki", format: "der" });
  const own = { name: writeSubject(subject), key: keyIdentifier(key) };
  const issuer = authority === undefined ? own : issuerOf(new X509Certificate(authority).raw);
  const signed = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(serialNumber(seeded ?? randomBytes)),
    ECDSA_WITH_SHA256,
    issuer.name,
    sequence(time(validity.from), time(validity.to)),
    own.name,
    key,
    tagged(
      3,
      sequence(
        ...extensions,
        extension(SUBJECT_KEY, octets(own.key)),
        extension(AUTHORITY_KEY, sequence(tagged(0, issuer.key, false))),
      ),
    ),
  );
  const signature = seeded
    ? derSignature(repeatableSignature(signed, privateKey))
    : sign("sha256", signed, privateKey);
  return pem(sequence(signed, ECDSA_WITH_SHA256, bits(signature)));
}

/** A new key pair whose private key is in PEM as well. */
export function newKeyPair(): {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly key: string;
} {
  const pair = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return { ...pair, key: pair.privateKey.export({ type: "pkcs8", format: "pem" }) as string };
}

/**
 * A self-signed server certificate. It encrypts, but proves nothing to clients that do not know it.
 *
 * @param names - DNS names and IP addresses; the first is the subject
 */
export function selfSigned(names: readonly [string, ...string[]], validity: Validity): KeyPair {
  const { publicKey, privateKey, key } = newKeyPair();
  const subject = { commonName: names[0], organizations: [] };
  const extensions = serverExtensions(names);
  return {
    certificate: signCertificate({ subject, publicKey, validity, extensions }, { privateKey }),
    key,
  };
}

/** The extensions of an authority that signs the certificates of servers and clients. */
export const authorityExtensions = (): Buffer[] => [
  extension(BASIC_CONSTRAINTS, sequence(boolean(true), integer(Buffer.from([0]))), true),
  ...keyUsage([CERTIFICATE_SIGNATURE, LIST_SIGNATURE]),
];

/** The extensions of a server certificate for these DNS names and IP addresses. */
export const serverExtensions = (names: readonly string[]): Buffer[] => [
  ...leafExtensions([DIGITAL_SIGNATURE], [SERVER_AUTH]),
  extension(ALTERNATIVE_NAMES, sequence(...names.map(alternativeName))),
];

/**
 * The extensions of a certificate that signs no others.
 *
 * @param usages - bits
 * @param extendedUsages - object identifiers
 */
export const leafExtensions = (
  usages: readonly number[],
  extendedUsages: readonly string[],
): Buffer[] => [
  extension(BASIC_CONSTRAINTS, sequence(), true),
  ...keyUsage(usages),
  ...(extendedUsages.length > 0
    ? [extension(EXTENDED_KEY_USAGE, sequence(...extendedUsages.map(oid)))]
    : []),
];

const keyUsage = (usages: readonly number[]): Buffer[] =>
  usages.length > 0 ? [extension(KEY_USAGE, namedBits(usages), true)] : [];

export const extension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value));

/** The subject of a certificate. @throws Error when it has one that Go's crypto/x509 refuses */
export const subjectOf = ({ raw }: X509Certificate): Subject =>
  readSubject(partsOf(raw).subject, "refused");

/** What an authority's certificates have of it: its name in DER, and the identifier of its key. */
function issuerOf(certificate: Buffer): { readonly name: Buffer; readonly key: Buffer } {
  const { subject, key, extensions } = partsOf(certificate);
  const wanted = oid(SUBJECT_KEY);
  const identifier = extensions
    .map(({ content }) => readElements(content))
    .find(([id]) => id?.whole.equals(wanted))
    ?.at(-1);
  return {
    name: subject.whole,
    key: identifier ? readElement(identifier.content).content : keyIdentifier(key.whole),
  };
}

interface CertificateParts {
  readonly subject: DerElement;
  readonly key: DerElement;
  readonly extensions: readonly DerElement[];
}

function partsOf(certificate: Buffer): CertificateParts {
  const [signed] = readElements(readElement(certificate).content);
  const fields = readElements(signed?.content ?? Buffer.alloc(0));
  // Certificates of version 1 leave it out.
  if (fields[0]?.tag === VERSION_TAG) fields.shift();
  const [, , , , subject, key, ...rest] = fields;
  if (!subject || !key) throw new Error("x509: malformed certificate");
  const list = rest.find(({ tag }) => tag === EXTENSIONS_TAG);
  return { subject, key, extensions: list ? readElements(readElement(list.content).content) : [] };
}

const derSignature = ({ r, s }: ReturnType<typeof repeatableSignature>): Buffer =>
  sequence(integer(r), integer(s));

/** 128 bits, of which the first is set: all numbers have the same length. */
function serialNumber(random: (size: number) => Uint8Array): Buffer {
  const bytes = Buffer.from(random(16));
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  return bytes;
}

/**
 * The identifier of a public key: the SHA-1 of its bits.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.2
 * @param key - in DER (SPKI)
 */
function keyIdentifier(key: Buffer): Buffer {
  const [, keyBits] = readElements(readElement(key).content);
  // The first byte is the number of unused bits in the last one.
  return createHash("sha1")
    .update(keyBits?.content.subarray(1) ?? key)
    .digest();
}

const alternativeName = (name: string): Buffer =>
  isIP(name) === 0
    ? tagged(2, Buffer.from(name), false)
    : tagged(7, Buffer.from(addressBytes(name)), false);

/** The bytes of an IPv4 or IPv6 address, without its zone. */
function addressBytes(address: string): number[] {
  if (isIPv4(address)) return address.split(".").map(Number);
  const [host = ""] = address.split("%");
  // Only hexadecimal words are left, even of `::ffff:10.0.0.1`.
  const words = new URL(`http://[${host}]`).hostname.slice(1, -1).split("::").map(wordsOf);
  const [before = [], after = []] = words;
  const zeros = new Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after].flatMap((word) => [word >> 8, word & 0xff]);
}

const wordsOf = (part: string): number[] =>
  part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16));

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
