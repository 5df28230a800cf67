/**
 * The key that signs what conversions keep in annotations: in a Secret for each kind, which the first replica creates.
 * It is never renewed: what is stored was signed with it.
 */
import { messageOf } from "../../errors.ts";
import { CRD_ANNOTATION, MANAGED_BY, MANAGER } from "../../kube/operator-marks.ts";
import { isAlreadyExists, isNotFound } from "../../kube/status.ts";
import { conversionKeySecret } from "../../kube/webhooks/conversion-rights.ts";
import type { Logger } from "../../log.ts";
import type { Client } from "../client/client.ts";
import { type CertificateSecret, SECRET } from "./certificates/targets.ts";
import { KEY_BYTES, newKey } from "./conversion/trust.ts";

const DATA = "key";

export class ConversionKey {
  readonly #client: Client;
  readonly #log: Logger;
  readonly #crd: string;
  readonly #place: { readonly namespace: string; readonly name: string };
  /** All keys that were in the Secret; the present one is the first. */
  #keys: readonly Buffer[] = [];

  constructor(
    { client, log, namespace }: { client: Client; log: Logger; namespace: string },
    crd: string,
  ) {
    this.#client = client;
    this.#log = log;
    this.#crd = crd;
    this.#place = { namespace, name: conversionKeySecret(crd) };
  }

  /** The key to sign with, and those that were replaced since this process was started. */
  get keys(): readonly Buffer[] {
    return this.#keys;
  }

  /**
   * Reads the Secret, or creates it. One that was deleted is created again with the same key.
   *
   * @returns why the key is unknown
   */
  async look(): Promise<string | undefined> {
    const { namespace, name } = this.#place;
    try {
      return this.#adopt((await this.#find()) ?? (await this.#create()));
    } catch (error) {
      if (isNotFound(error)) {
        this.#keepHere();
        return undefined;
      }
      return `The Secret ${namespace}/${name}, which has the key for conversions of ${this.#crd}, could not be read or created: ${messageOf(error)}`;
    }
  }

  #find(): Promise<CertificateSecret | undefined> {
    return this.#client.find(SECRET, this.#place);
  }

  async #create(): Promise<CertificateSecret> {
    const key = this.#keys[0] ?? newKey();
    const labels = { [MANAGED_BY]: MANAGER };
    const metadata = { ...this.#place, labels, annotations: { [CRD_ANNOTATION]: this.#crd } };
    const data = { [DATA]: key.toString("base64") };
    try {
      return await this.#client.create(SECRET, { metadata, type: "Opaque", immutable: true, data });
    } catch (error) {
      // Another replica was faster.
      const found = isAlreadyExists(error) ? await this.#find() : undefined;
      if (found) return found;
      throw error;
    }
  }

  /** An operator that runs outside of the cluster may be deployed nowhere. */
  #keepHere(): void {
    if (this.#keys.length > 0) return;
    this.#keys = [newKey()];
    this.#log.warn(
      `The namespace ${this.#place.namespace} does not exist, so the key for conversions of ${this.#crd} is not stored: status fields that only one version has are not restored after a restart.`,
    );
  }

  #adopt({ metadata, data }: CertificateSecret): string | undefined {
    const { namespace, name } = this.#place;
    const key = Buffer.from(data?.[DATA] ?? "", "base64");
    if (
      metadata.labels?.[MANAGED_BY] !== MANAGER ||
      metadata.annotations?.[CRD_ANNOTATION] !== this.#crd
    ) {
      return `The Secret ${namespace}/${name} is not the operator's: it has no label ${MANAGED_BY}=${MANAGER} with the annotation ${CRD_ANNOTATION}=${this.#crd}. Delete it, and the operator creates its own.`;
    }
    if (key.length < KEY_BYTES) {
      return `The Secret ${namespace}/${name} has no key of ${KEY_BYTES} bytes in data.${DATA}. Delete it, and the operator creates it again.`;
    }
    this.#keys = [key, ...this.#keys.filter((one) => !one.equals(key))];
    return undefined;
  }
}
