/** Signs certificates, at a time that the test says. */
import { webcrypto } from "node:crypto";
import { crypto } from "acme-client";
import {
  BasicConstraintsExtension,
  cryptoProvider,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

const ECDSA = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const YEARS_MS = 10 * 365 * 24 * 3_600_000;

cryptoProvider.set(webcrypto);

/** The hosts that a request of a certificate is for. @throws Error where its signature is wrong */
export async function hostsOf(request: string): Promise<string[]> {
  const csr = new Pkcs10CertificateRequest(Buffer.from(request, "base64url"));
  if (!(await csr.verify())) throw new Error("the request is not signed by its key");
  return crypto.readCsrDomains(csr.toString("pem")).altNames;
}

/** A certificate authority whose own certificate signs itself. */
export class CertificateAuthority {
  readonly #keys: webcrypto.CryptoKeyPair;
  readonly #pem: string;
  #serial = 1;

  private constructor(keys: webcrypto.CryptoKeyPair, pem: string) {
    this.#keys = keys;
    this.#pem = pem;
  }

  static async create(nowMs: number): Promise<CertificateAuthority> {
    const keys = await webcrypto.subtle.generateKey(ECDSA, false, ["sign", "verify"]);
    const root = await X509CertificateGenerator.createSelfSigned({
      name: "CN=The authority of a test",
      notBefore: new Date(nowMs),
      notAfter: new Date(nowMs + YEARS_MS),
      keys,
      signingAlgorithm: ECDSA,
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    });
    return new CertificateAuthority(keys, root.toString("pem"));
  }

  /** The certificate for a request, and the one that it is signed by. */
  async sign(request: string, notBeforeMs: number, notAfterMs: number): Promise<string> {
    const csr = new Pkcs10CertificateRequest(Buffer.from(request, "base64url"));
    const names = (await hostsOf(request)).map((value) => ({ type: "dns", value }) as const);
    const certificate = await X509CertificateGenerator.create({
      serialNumber: (this.#serial++).toString(16).padStart(4, "0"),
      issuer: "CN=The authority of a test",
      notBefore: new Date(notBeforeMs),
      notAfter: new Date(notAfterMs),
      publicKey: csr.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ECDSA,
      extensions: [new SubjectAlternativeNameExtension(names)],
    });
    return `${certificate.toString("pem")}\n${this.#pem}\n`;
  }
}
