/**
 * The content of every namespace: the default service account, and the certificate of the cluster's
 * authority.
 */
import { isAlreadyExists } from "../../../kube/status.ts";
import type { ConfigMap } from "../../builtin/kinds/core/config-map.ts";
import type { ControllerClient, StoreEvent } from "../client.ts";
import { concerns } from "../keys.ts";
import { CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS } from "../../builtin/tokens.ts";
import type { Controller } from "../work-loop.ts";

const ACCOUNT = "default";
const CERTIFICATES = "kube-root-ca.crt";
const DESCRIPTION = "kubernetes.io/description";
const CONTENT =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Creates both where they are missing, and restores them. */
export class NamespaceContentController implements Controller {
  readonly name = "NamespaceContent";
  readonly watches = [NAMESPACES, SERVICE_ACCOUNTS, CONFIG_MAPS];
  readonly #client: ControllerClient;
  readonly #caCertificate: string;

  constructor(client: ControllerClient, caCertificate: string) {
    this.#client = client;
    this.#caCertificate = caCertificate;
  }

  *observe(event: StoreEvent): Iterable<string> {
    const { name = "", namespace = "" } = event.object.metadata;
    if (concerns(event, NAMESPACES)) yield name;
    if (concerns(event, SERVICE_ACCOUNTS) && name === ACCOUNT) yield namespace;
    if (concerns(event, CONFIG_MAPS) && name === CERTIFICATES) yield namespace;
  }

  async sync(namespace: string): Promise<undefined> {
    const found = this.#client.find(NAMESPACES, { name: namespace });
    if (!found || found.metadata.deletionTimestamp) return;
    if (!this.#client.find(SERVICE_ACCOUNTS, { namespace, name: ACCOUNT })) {
      await this.#ignoringExisting(
        this.#client.create(SERVICE_ACCOUNTS, {
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata: { name: ACCOUNT, namespace },
        }),
      );
    }
    await this.#publishCertificate(namespace);
  }

  async #publishCertificate(namespace: string): Promise<void> {
    const wanted: ConfigMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: CERTIFICATES, namespace, annotations: { [DESCRIPTION]: CONTENT } },
      data: { "ca.crt": this.#caCertificate },
    };
    const found = this.#client.find(CONFIG_MAPS, { namespace, name: CERTIFICATES });
    if (!found) {
      await this.#ignoringExisting(this.#client.create(CONFIG_MAPS, wanted));
      return;
    }
    const { data = {} } = found;
    if (
      data["ca.crt"] !== this.#caCertificate ||
      Object.keys(data).length !== 1 ||
      found.metadata.annotations?.[DESCRIPTION] === undefined
    ) {
      await this.#client.update(CONFIG_MAPS, {
        ...found,
        metadata: {
          ...found.metadata,
          annotations: { ...found.metadata.annotations, [DESCRIPTION]: CONTENT },
        },
        data: { "ca.crt": this.#caCertificate },
      });
    }
  }

  async #ignoringExisting(write: Promise<unknown>): Promise<void> {
    try {
      await write;
    } catch (thrown) {
      if (!isAlreadyExists(thrown)) throw thrown;
    }
  }
}
