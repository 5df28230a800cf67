/**
 * X.509 certificates with keys of the curve P-256: building and signing.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5280
 */
import { type KeyObject, createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";
import {
  ALTERNATIVE_NAMES,
  COMMON_NAME,
  ORGANIZATION,
  bits,
  boolean,
  integer,
  octets,
  oid,
  sequence,
  set,
  tagged,
  time,
  utf8,
} from "./der.ts";
import { repeatableSignature } from "./seeded-keys.ts";

/** The subject of a certificate. */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

/** The content of a certificate before it is signed; names and extensions in DER. */
export interface CertificateBody {
  readonly issuer: Buffer;
  /** The identifier of the signing key. */
  readonly issuerKey: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  /** The first and last moment, in milliseconds since 1970. */
  readonly validity: { readonly from: number; readonly to: number };
  readonly extensions: readonly Buffer[];
}

const ECDSA_WITH_SHA256 = sequence(oid("1.2.840.10045.4.3.2"));
const SUBJECT_KEY = "2.5.29.14";
const AUTHORITY_KEY = "2.5.29.35";
/** The extension with the usages of the key. */
export const KEY_USAGE = "2.5.29.15";
/** The extension with the protocols that a certificate may be used for. */
export const EXTENDED_KEY_USAGE = "2.5.29.37";
/** The usage of a server's certificate. */
export const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";

/** Random bytes that a seed determines. */
export type SeededBytes = (size: number) => Uint8Array;

/**
 * Signs a certificate; the result is PEM.
 *
 * @param seeded - determines the serial number and the signature, for a simulation; when absent,
 *   they are random
 */
export function signCertificate(
  body: CertificateBody,
  privateKey: KeyObject,
  seeded?: SeededBytes,
): string {
  const key = derOf(body.publicKey);
  const signed = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(serialNumber(seeded ?? randomBytes)),
    ECDSA_WITH_SHA256,
    body.issuer,
    sequence(time(body.validity.from), time(body.validity.to)),
    body.subject,
    key,
    tagged(
      3,
      sequence(
        ...body.extensions,
        extension(SUBJECT_KEY, octets(keyIdentifier(key))),
        extension(AUTHORITY_KEY, sequence(tagged(0, body.issuerKey, false))),
      ),
    ),
  );
  const signature = seeded
    ? derSignature(repeatableSignature(signed, privateKey))
    : sign("sha256", signed, privateKey);
  return pem(sequence(signed, ECDSA_WITH_SHA256, bits(signature)));
}

/**
 * A self-signed server certificate and its key; both PEM. It encrypts, but proves nothing to
 * clients that do not know it.
 *
 * @param names - DNS names and IP addresses; the first is the subject
 * @param validity - in milliseconds since 1970
 */
export function selfSigned(
  names: readonly [string, ...string[]],
  validity: CertificateBody["validity"],
): { readonly certificate: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const name = distinguishedName({ commonName: names[0] });
  const body = {
    issuer: name,
    issuerKey: keyIdentifier(derOf(publicKey)),
    subject: name,
    publicKey,
    validity,
    extensions: serverExtensions(names),
  };
  return {
    certificate: signCertificate(body, privateKey),
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

/** The extensions of a server certificate for these DNS names and IP addresses. */
export function serverExtensions(names: readonly string[]): Buffer[] {
  const alternatives = names.map((name) =>
    isAddress(name) ? tagged(7, addressBytes(name), false) : tagged(2, Buffer.from(name), false),
  );
  return [
    // digitalSignature, keyEncipherment
    extension(KEY_USAGE, bits(Buffer.from([0b1010_0000]), 5), true),
    extension(EXTENDED_KEY_USAGE, sequence(oid(SERVER_AUTH))),
    extension(ALTERNATIVE_NAMES, sequence(...alternatives)),
  ];
}

/** A signature in DER, as in certificates: numbers without zeros in front. */
function derSignature({ r, s }: ReturnType<typeof repeatableSignature>): Buffer {
  const short = (bytes: Buffer): Buffer => {
    const zeros = bytes.findIndex((byte) => byte !== 0);
    return integer(bytes.subarray(Math.max(zeros, 0)));
  };
  return sequence(short(r), short(s));
}

function serialNumber(random: SeededBytes): Buffer {
  const bytes = Buffer.from(random(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return bytes;
}

/** A public key in DER. */
export const derOf = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" });

/**
 * The identifier of a key in certificates.
 *
 * @param key - public, in DER
 */
export function keyIdentifier(key: Buffer): Buffer {
  return createHash("sha1").update(key).digest();
}

/** An extension in DER. */
export function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value));
}

/** The name of a subject in DER. */
export function distinguishedName({ commonName, organizations = [] }: Subject): Buffer {
  const attribute = (id: string, value: string): Buffer => set(sequence(oid(id), utf8(value)));
  return sequence(
    ...organizations.map((organization) => attribute(ORGANIZATION, organization)),
    attribute(COMMON_NAME, commonName),
  );
}

/** Whether a host is an address: one with a colon is not a name. */
const isAddress = (host: string): boolean => host.includes(":") || isIPv4(host);

/** The bytes of an IPv4 or IPv6 address. */
function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail = ""] = address.split("::");
  const words = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16));
  const [before, after] = [words(head), words(tail)];
  const zeros = address.includes("::") ? 8 - before.length - after.length : 0;
  const all = [...before, ...new Array<number>(zeros).fill(0), ...after];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
