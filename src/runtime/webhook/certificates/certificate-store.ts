/**
 * The Secret of a self-managed certificate: read, created and changed; a Secret of somebody else is
 * left alone.
 */
import { TsopError } from "../../../errors.ts";
import { MANAGED_BY, MANAGER, SERVICE_ANNOTATION } from "../../../kube/operator-marks.ts";
import type { Client } from "../../client/client.ts";
import { type Keyring, type Rotation, type StoredKeyring, textsOf } from "./keyring.ts";
import { type CertificateSecret, SECRET } from "./targets.ts";

/** The Secret of a certificate. */
export interface StoreSettings {
  readonly namespace: string;
  readonly name: string;
  /**
   * The name of the Service that the certificate is for, which stands in an annotation of the
   * Secret.
   */
  readonly service: string;
}

/** The stored keyring and its Secret; an empty keyring without a Secret. */
export interface Stored extends StoredKeyring {
  readonly secret: CertificateSecret | undefined;
}

const TRUSTED_UNTIL = "certificates.tsop.dev/previous-trusted-until";
/** The annotation that asks for a new certificate (`serving`) or a new authority (`authority`). */
const ROTATE = "certificates.tsop.dev/rotate";

/** The Secret in which a keyring is stored. */
export class CertificateStore {
  readonly #client: Client;
  readonly #settings: StoreSettings;

  constructor(client: Client, settings: StoreSettings) {
    this.#client = client;
    this.#settings = settings;
  }

  /** The name of the Secret in messages. */
  get description(): string {
    const { namespace, name } = this.#settings;
    return `Secret ${namespace}/${name}`;
  }

  /**
   * Reads the stored keyring.
   *
   * @throws TsopError `certificate-secret-foreign` when the Secret is somebody else's
   * @throws StatusError, ConnectionError
   */
  async read(): Promise<Stored> {
    const { namespace, name, service } = this.#settings;
    const secret = await this.#client.find(SECRET, { namespace, name });
    if (!secret) return { secret, texts: {} };
    const { labels = {}, annotations = {} } = secret.metadata;
    if (labels[MANAGED_BY] !== MANAGER || annotations[SERVICE_ANNOTATION] !== service) {
      throw new TsopError(
        "certificate-secret-foreign",
        `The ${this.description} is not the operator's: it has no label ${MANAGED_BY}=${MANAGER} with the annotation ${SERVICE_ANNOTATION}=${service}.`,
        `If it is not needed, delete it (\`kubectl delete secret -n ${namespace} ${name}\`), and the operator creates its own. If you or cert-manager created it, choose the certificate mode secret or cert-manager.`,
      );
    }
    const texts = Object.entries(secret.data ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value, "base64").toString(),
    ]);
    const trustedUntilMs = Date.parse(annotations[TRUSTED_UNTIL] ?? "");
    const rotate = annotations[ROTATE];
    return {
      secret,
      texts: Object.fromEntries(texts) as Record<string, string>,
      ...(Number.isNaN(trustedUntilMs) ? {} : { trustedUntilMs }),
      ...(isRotation(rotate) ? { rotate } : {}),
    };
  }

  /**
   * Stores a keyring, if the Secret has not changed since it was read.
   *
   * @throws StatusError 409 when somebody else was faster
   */
  async write(keyring: Keyring, { secret }: Stored): Promise<void> {
    const { namespace, name, service } = this.#settings;
    const encoded = Object.entries(textsOf(keyring)).map(([key, text]) => [
      key,
      Buffer.from(text).toString("base64"),
    ]);
    const data = Object.fromEntries(encoded) as Record<string, string>;
    const { trustedUntilMs } = keyring;
    const own = {
      [SERVICE_ANNOTATION]: service,
      ...(trustedUntilMs === undefined
        ? {}
        : { [TRUSTED_UNTIL]: new Date(trustedUntilMs).toISOString() }),
    };
    if (!secret) {
      const labels = { [MANAGED_BY]: MANAGER };
      const metadata = { namespace, name, labels, annotations: own };
      await this.#client.create(SECRET, { metadata, type: "kubernetes.io/tls", data });
      return;
    }
    const others = without(secret.metadata.annotations, [TRUSTED_UNTIL, ROTATE]);
    const kept = without(secret.data, ["next-ca.crt", "next-ca.key"]);
    const metadata = { ...secret.metadata, annotations: { ...others, ...own } };
    await this.#client.update(SECRET, { ...secret, metadata, data: { ...kept, ...data } });
  }
}

const isRotation = (value: string | undefined): value is Rotation =>
  value === "serving" || value === "authority";

const without = (
  record: Readonly<Record<string, string>> = {},
  keys: readonly string[],
): Record<string, string> =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
