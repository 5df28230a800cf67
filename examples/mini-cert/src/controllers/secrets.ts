/**
 * The Secrets of Certificates: read from the API server each time, so that no key stays in the memory of the operator, and
 * written only where nothing or something of this very Certificate is.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { createOrUpdate, isControlledBy, setControllerReference, type Client } from "tsop";
import { Secret } from "tsop/k8s";
import type { Certificate } from "../api/v1/certificate.ts";

/** From when until when a certificate is valid. */
export interface Validity {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** A Secret is there that the Certificate does not own. */
export class SecretTaken extends Error {
  override readonly name = "SecretTaken";
}

/** What a Secret has, as texts. */
export type Content = Readonly<Record<string, string>>;

/** Reads and writes the Secrets of Certificates. */
export class Secrets {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client.live;
  }

  /** The content of a Secret, if it is there. @throws SecretTaken */
  async read(owner: Certificate, name: string): Promise<Content | undefined> {
    const { namespace } = owner.metadata;
    const secret = await this.#client.find(Secret, { namespace, name });
    if (!secret) return undefined;
    if (!isControlledBy(secret, { owner })) throw taken(owner, name);
    return contentOf(secret);
  }

  /** Makes a Secret, or replaces its content. @throws SecretTaken */
  async write(owner: Certificate, name: string, content: Content): Promise<void> {
    const { namespace } = owner.metadata;
    const type = "tls.crt" in content ? "kubernetes.io/tls" : "Opaque";
    // What somebody else wrote since it was read, is refused by the server.
    await createOrUpdate(this.#client, Secret, { namespace, name }, (secret) => {
      const isThere = secret.metadata.uid !== undefined;
      if (isThere && !isControlledBy(secret, { owner })) throw taken(owner, name);
      setControllerReference(secret, { owner });
      Object.assign(secret, { type, data: encoded(content) });
    });
  }

  /** Deletes a Secret, if it is there. @throws SecretTaken */
  async delete(owner: Certificate, name: string): Promise<void> {
    const { namespace } = owner.metadata;
    const secret = await this.#client.find(Secret, { namespace, name });
    if (!secret) return;
    if (!isControlledBy(secret, { owner })) throw taken(owner, name);
    const { uid } = secret.metadata;
    await this.#client.delete(Secret, { namespace, name }, { preconditions: { uid } });
  }

  /** A key that the Certificates of a namespace share; it is made at first. */
  async shared(
    { metadata: { namespace } }: Certificate,
    name: string,
    make: () => Promise<string>,
  ): Promise<string> {
    const found = await this.#client.find(Secret, { namespace, name });
    if (found) {
      const { "tls.key": key } = contentOf(found);
      if (!key) throw new Error(`Secret ${name} has no tls.key: delete it, and it is made anew`);
      return key;
    }
    const key = await make();
    const data = encoded({ "tls.key": key });
    await this.#client.create(Secret, { metadata: { namespace, name }, data });
    return key;
  }
}

/** The validity of what a Secret has, if that is a certificate for exactly these hosts, and its key. */
export function validityOf(content: Content, hosts: readonly string[]): Validity | undefined {
  const { "tls.key": key, "tls.crt": chain } = content;
  if (!key || !chain) return undefined;
  try {
    const certificate = new X509Certificate(chain);
    const names = certificate.subjectAltName?.split(", ").map((name) => name.replace("DNS:", ""));
    if (!certificate.checkPrivateKey(createPrivateKey(key)) || !sameHosts(names, hosts)) {
      return undefined;
    }
    const { validFrom, validTo } = certificate;
    return { notBeforeMs: Date.parse(validFrom), notAfterMs: Date.parse(validTo) };
  } catch {
    return undefined; // Somebody wrote something else into it: it is made anew.
  }
}

/** Whether two lists have the same hosts. */
export function sameHosts(some: readonly string[] = [], others: readonly string[]): boolean {
  const [one, other] = [new Set(some), new Set(others)];
  return one.size === other.size && [...one].every((host) => other.has(host));
}

function taken({ metadata }: Certificate, name: string): SecretTaken {
  const message = `Secret ${name} is there and does not belong to Certificate ${metadata.name}: delete it, or name another one`;
  return new SecretTaken(message);
}

const encoded = (content: Content): Content =>
  mapped(content, (text) => Buffer.from(text).toString("base64"));
const contentOf = ({ data = {} }: Secret): Content =>
  mapped(data, (text) => Buffer.from(text, "base64").toString());
const mapped = (content: Content, change: (text: string) => string): Content =>
  Object.fromEntries(Object.entries(content).map(([name, text]) => [name, change(text)]));
