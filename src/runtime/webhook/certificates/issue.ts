/**
 * Issues the certificates of webhook servers: an authority, and the certificates that it signs.
 * Keys use the curve P-256. The library is loaded only when a certificate is issued: an operator
 * with a valid certificate in its Secret never loads it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5280
 */
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from "node:crypto";
import { isIP, isIPv6 } from "node:net";
import type * as Schema from "@peculiar/asn1-schema";
import type * as X509 from "@peculiar/asn1-x509";
import type { Extension, Name, SubjectPublicKeyInfo } from "@peculiar/asn1-x509";
import type { Clock } from "../../../clock.ts";
import { TsopError } from "../../../errors.ts";

/** A certificate and its private key, both PEM. */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** The certificate of a server, and the authority that signed it. */
export interface ServingCertificate extends IssuedCertificate {
  readonly authority: IssuedCertificate;
}

/** The content of a server's certificate. */
export interface ServingRequest {
  /** The DNS names and IP addresses that clients call. */
  readonly names: readonly [string, ...string[]];
  /** How long it is valid; `SERVING_VALIDITY_MS` when absent. It never outlives its authority. */
  readonly validityMs?: number;
  /** Signs it; a new authority is issued when absent. */
  readonly authority?: IssuedCertificate;
}

const DAY_MS = 24 * 3_600_000;

/** 90 days, as in cert-manager: a leaked key is of use for a limited time. */
export const SERVING_VALIDITY_MS = 90 * DAY_MS;

/**
 * A year: the key of the authority is in a Secret, and a yearly rotation is frequent enough to be
 * known to work.
 */
export const AUTHORITY_VALIDITY_MS = 365 * DAY_MS;

// Clients with a slow clock accept a new certificate as well.
const BACKDATED_MS = 3_600_000;
const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const COMMON_NAME = "2.5.4.3";
const ORGANIZATION = "2.5.4.10";

type Library = Pick<typeof Schema, "AsnConvert" | "OctetString"> & typeof X509;

interface Validity {
  readonly fromMs: number;
  readonly toMs: number;
}

interface CertificateParts {
  readonly subject: Name;
  readonly issuer: Name;
  readonly validity: Validity;
  readonly publicKey: SubjectPublicKeyInfo;
  readonly extensions: readonly Extension[];
}

/** Issues an authority that signs servers' certificates and nothing else. */
export async function issueAuthority(
  clock: Clock,
  validityMs: number = AUTHORITY_VALIDITY_MS,
): Promise<IssuedCertificate> {
  const library = await load();
  const { publicKey, key, privateKey } = newKey(library);
  // Each authority has a name of its own: where two are trusted, no client takes one for the other.
  const subject = x509NameOf(library, `tsop webhooks ${randomBytes(4).toString("hex")}`);
  const nowMs = clock.now();
  const { KeyUsageFlags } = library;
  const keyId = new library.SubjectKeyIdentifier(keyIdOf(publicKey));
  const parts = {
    subject,
    issuer: subject,
    validity: { fromMs: nowMs - BACKDATED_MS, toMs: nowMs + validityMs },
    publicKey,
    extensions: [
      extension(
        library,
        library.id_ce_basicConstraints,
        new library.BasicConstraints({ cA: true, pathLenConstraint: 0 }),
        true,
      ),
      extension(
        library,
        library.id_ce_keyUsage,
        new library.KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign),
        true,
      ),
      extension(library, library.id_ce_subjectKeyIdentifier, keyId),
    ],
  };
  return { certificate: signed(library, parts, privateKey), key };
}

/**
 * Issues the certificate of a server.
 *
 * @throws TsopError `authority-expired` when the authority has expired
 */
export async function issueServing(
  request: ServingRequest,
  clock: Clock,
): Promise<ServingCertificate> {
  const { names, validityMs = SERVING_VALIDITY_MS } = request;
  const authority = request.authority ?? (await issueAuthority(clock));
  const library = await load();
  const { publicKey, key } = newKey(library);
  const issuer = new X509Certificate(authority.certificate);
  const nowMs = clock.now();
  const endsMs = Date.parse(issuer.validTo);
  if (endsMs <= nowMs) {
    throw new TsopError(
      "authority-expired",
      `The authority expired on ${issuer.validTo}: a certificate signed by it would not be valid.`,
      "Issue a new authority.",
    );
  }
  const { tbsCertificate } = library.AsnConvert.parse(issuer.raw, library.Certificate);
  const parts = {
    subject: x509NameOf(library, "tsop webhook server"),
    issuer: tbsCertificate.subject,
    validity: {
      fromMs: Math.max(nowMs - BACKDATED_MS, Date.parse(issuer.validFrom)),
      toMs: Math.min(nowMs + validityMs, endsMs),
    },
    publicKey,
    extensions: [
      extension(
        library,
        library.id_ce_basicConstraints,
        new library.BasicConstraints({ cA: false }),
        true,
      ),
      extension(
        library,
        library.id_ce_keyUsage,
        new library.KeyUsage(library.KeyUsageFlags.digitalSignature),
        true,
      ),
      extension(
        library,
        library.id_ce_extKeyUsage,
        new library.ExtendedKeyUsage([library.id_kp_serverAuth]),
      ),
      extension(
        library,
        library.id_ce_subjectAltName,
        new library.SubjectAlternativeName(names.map((name) => generalName(library, name))),
      ),
      extension(
        library,
        library.id_ce_subjectKeyIdentifier,
        new library.SubjectKeyIdentifier(keyIdOf(publicKey)),
      ),
      extension(
        library,
        library.id_ce_authorityKeyIdentifier,
        new library.AuthorityKeyIdentifier({
          keyIdentifier: new library.KeyIdentifier(keyIdOf(tbsCertificate.subjectPublicKeyInfo)),
        }),
      ),
    ],
  };
  return { authority, certificate: signed(library, parts, createPrivateKey(authority.key)), key };
}

async function load(): Promise<Library> {
  const [{ AsnConvert, OctetString }, x509] = await Promise.all([
    import("@peculiar/asn1-schema"),
    import("@peculiar/asn1-x509"),
  ]);
  return { ...x509, AsnConvert, OctetString };
}

function newKey({ AsnConvert, SubjectPublicKeyInfo }: Library): {
  readonly publicKey: SubjectPublicKeyInfo;
  readonly privateKey: KeyObject;
  readonly key: string;
} {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const der = publicKey.export({ type: "spki", format: "der" });
  return {
    publicKey: AsnConvert.parse(der, SubjectPublicKeyInfo),
    privateKey,
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

function x509NameOf(library: Library, commonName: string): Name {
  const part = (type: string, text: string): InstanceType<Library["RelativeDistinguishedName"]> => {
    const value = new library.AttributeValue({ utf8String: text });
    return new library.RelativeDistinguishedName([
      new library.AttributeTypeAndValue({ type, value }),
    ]);
  };
  return new library.Name([part(ORGANIZATION, "tsop"), part(COMMON_NAME, commonName)]);
}

/** As proposed by RFC 5280, 4.2.1.2: SHA-1 of the key's bits. */
const keyIdOf = ({ subjectPublicKey }: SubjectPublicKeyInfo): Buffer =>
  createHash("sha1").update(new Uint8Array(subjectPublicKey)).digest();

function generalName({ GeneralName }: Library, name: string): InstanceType<Library["GeneralName"]> {
  if (isIP(name) === 0) return new GeneralName({ dNSName: name });
  // `::ffff:10.0.0.1` in hexadecimal, the only form that the library reads.
  const iPAddress = isIPv6(name) ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name;
  return new GeneralName({ iPAddress });
}

function extension(
  { AsnConvert, Extension, OctetString }: Library,
  extnID: string,
  value: object,
  critical = false,
): Extension {
  const extnValue = new OctetString(AsnConvert.serialize(value));
  return new Extension({ extnID, critical, extnValue });
}

/** The certificate in PEM, signed by `key`. */
function signed(library: Library, parts: CertificateParts, key: KeyObject): string {
  const { AsnConvert, AlgorithmIdentifier, TBSCertificate } = library;
  const signatureAlgorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const tbsCertificate = new TBSCertificate({
    version: library.Version.v3,
    serialNumber: serialNumber(),
    signature: signatureAlgorithm,
    issuer: parts.issuer,
    validity: new library.Validity({
      notBefore: new Date(parts.validity.fromMs),
      notAfter: new Date(parts.validity.toMs),
    }),
    subject: parts.subject,
    subjectPublicKeyInfo: parts.publicKey,
    extensions: new library.Extensions([...parts.extensions]),
  });
  const signature = sign("sha256", Buffer.from(AsnConvert.serialize(tbsCertificate)), key);
  const certificate = new library.Certificate({
    tbsCertificate,
    signatureAlgorithm,
    signatureValue: new Uint8Array(signature).buffer,
  });
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString();
}

/** 128 random bits as a positive number: the first bit is set, so that no byte can be left out. */
function serialNumber(): ArrayBuffer {
  const bytes = new Uint8Array(17);
  bytes.set(randomBytes(16), 1);
  bytes[1] = (bytes[1] ?? 0) | 0x80;
  return bytes.buffer;
}
