/**
 * The control plane's own certificate authority: a CA, the server's certificate, and client
 * certificates whose common name is the user and whose organisations are the groups.
 */
import { type KeyObject, X509Certificate, createPublicKey } from "node:crypto";
import type { Clock } from "../../clock.ts";
import {
  ALTERNATIVE_NAMES,
  CERTIFICATE_SIGNATURE,
  DIGITAL_SIGNATURE,
  type KeyPair,
  LIST_SIGNATURE,
  SERVER_AUTH,
  type Validity,
  authorityExtensions,
  extension,
  leafExtensions,
  serverExtensions,
  signCertificate,
} from "../../kube/x509/certificate.ts";
import type { Subject } from "../../kube/x509/subject.ts";
import type { CertificateRequest } from "./certificate-request.ts";
import { newKey } from "./keys.ts";
import { tableOf } from "../../table.ts";

interface Request {
  readonly subject: Subject;
  readonly extensions: readonly Buffer[];
  /** Absent: ten years from an hour ago, so that a client with a slow clock accepts it. */
  readonly validity?: Validity;
}

/** The usages of a signed certificate, and how long it is valid from now. */
export interface SigningTerms {
  /** As in a CertificateSigningRequest. */
  readonly usages: readonly string[];
  readonly ttlMs: number;
}

const YEAR_MS = 365 * 24 * 3600 * 1000;
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
/** The bits of the key usage. */
const USAGE_BITS = tableOf<number>({
  signing: DIGITAL_SIGNATURE,
  "digital signature": DIGITAL_SIGNATURE,
  "content commitment": 1,
  "key encipherment": 2,
  "data encipherment": 3,
  "key agreement": 4,
  "cert sign": CERTIFICATE_SIGNATURE,
  "crl sign": LIST_SIGNATURE,
  "encipher only": 7,
  "decipher only": 8,
});
/** The extended usages in the order in which certificates list them. */
const EXTENDED_USAGES: Readonly<Record<string, string>> = {
  any: "2.5.29.37.0",
  "server auth": SERVER_AUTH,
  "client auth": CLIENT_AUTH,
  "code signing": "1.3.6.1.5.5.7.3.3",
  "email protection": "1.3.6.1.5.5.7.3.4",
  "s/mime": "1.3.6.1.5.5.7.3.4",
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  "ocsp signing": "1.3.6.1.5.5.7.3.9",
  "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
  "netscape sgc": "2.16.840.1.113730.4.1",
};
/** How long before now a signed certificate begins, in milliseconds. */
const BACKDATE_MS = 300_000;
/** A certificate with a shorter life does not end earlier because it began earlier. */
const SHORT_MS = 8 * 3_600_000;

/** Issues certificates, valid for ten years from now. */
export class CertificateAuthority {
  readonly #clock: Clock;
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject };
  /** The CA's own certificate, PEM. */
  readonly certificate: string;

  /** @param certificate - of the key, when it exists already */
  constructor(clock: Clock, privateKey: KeyObject, certificate?: string) {
    this.#clock = clock;
    this.#keys = { privateKey, publicKey: createPublicKey(privateKey) };
    this.certificate =
      certificate ??
      this.#issue(this.#keys.publicKey, {
        subject: { commonName: "tsop-ca", organizations: [] },
        extensions: authorityExtensions(),
      });
  }

  /** A server certificate for these DNS names and IP addresses. */
  server(names: readonly string[]): KeyPair {
    return this.#pair({
      subject: { commonName: "kube-apiserver", organizations: [] },
      extensions: serverExtensions(names),
    });
  }

  /** A client certificate for that user in those groups. @param key - defaults to a new one */
  client(user: string, groups: readonly string[] = [], key?: KeyObject): KeyPair {
    return this.#pair(
      {
        subject: { commonName: user, organizations: groups },
        extensions: leafExtensions([DIGITAL_SIGNATURE], [CLIENT_AUTH]),
      },
      key,
    );
  }

  /**
   * The certificate for a request, PEM, with the subject and the names of the request.
   *
   * @throws Error when the request is not signed with its key
   */
  sign(request: CertificateRequest, { usages, ttlMs }: SigningTerms): string {
    const { signatureProblem } = request;
    if (signatureProblem !== undefined) {
      throw new Error(`unable to verify certificate request signature: ${signatureProblem}`);
    }
    const key = createPublicKey({ key: request.publicKey, format: "der", type: "spki" });
    const now = this.#clock.now();
    const end = now + ttlMs - (ttlMs < SHORT_MS ? 0 : BACKDATE_MS);
    const own = Date.parse(new X509Certificate(this.certificate).validTo);
    const extended = Object.entries(EXTENDED_USAGES).filter(([usage]) => usages.includes(usage));
    const ids = [...new Set(extended.map(([, id]) => id))];
    const names = request.alternativeNames;
    return this.#issue(key, {
      subject: request.subject,
      validity: { from: now - BACKDATE_MS, to: Math.min(end, own) },
      extensions: [
        ...leafExtensions(
          usages.flatMap((usage) => USAGE_BITS.get(usage) ?? []),
          ids,
        ),
        ...(names ? [extension(ALTERNATIVE_NAMES, names)] : []),
      ],
    });
  }

  /**
   * Whether a certificate is one of this authority's, is valid now and may be used by clients; as
   * in Go's verification for clients, an absent extended usage allows every one.
   */
  vouchesFor(certificate: X509Certificate): boolean {
    const now = this.#clock.now();
    // Node's types do not say that it may be absent.
    const { keyUsage: usages = [CLIENT_AUTH] } = certificate as { keyUsage?: string[] };
    return (
      certificate.checkIssued(new X509Certificate(this.certificate)) &&
      certificate.verify(this.#keys.publicKey) &&
      now >= Date.parse(certificate.validFrom) &&
      now <= Date.parse(certificate.validTo) &&
      [CLIENT_AUTH, EXTENDED_USAGES["any"]].some((usage) => usages.includes(usage ?? ""))
    );
  }

  #pair(request: Request, privateKey = newKey(this.#clock)): KeyPair {
    return {
      certificate: this.#issue(createPublicKey(privateKey), request),
      key: pemOf(privateKey),
    };
  }

  #issue(publicKey: KeyObject, request: Request): string {
    const now = this.#clock.now();
    const validity = request.validity ?? { from: now - 3_600_000, to: now + 10 * YEAR_MS };
    return signCertificate(
      { ...request, publicKey, validity },
      {
        privateKey: this.#keys.privateKey,
        // Absent while its own is issued.
        authority: this.certificate,
        seeded: this.#clock.seededBytes?.bind(this.#clock),
      },
    );
  }
}

/** A private key in the older form for its kind: more clients read it than PKCS#8. */
function pemOf(key: KeyObject): string {
  const type = key.asymmetricKeyType === "rsa" ? "pkcs1" : "sec1";
  return key.export({ type, format: "pem" }) as string;
}
