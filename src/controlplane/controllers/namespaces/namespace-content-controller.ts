/** The content of every namespace: the default service account, and the certificate of the cluster's authority. */
import type { SentObject } from "../../../kube/object.ts";
import type { Namespace } from "../../builtin/kinds/core/namespace.ts";
import { unlessThere } from "../framework/absence.ts";
import type { ConfigMap } from "../../builtin/kinds/core/config-map.ts";
import { CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS } from "../../builtin/tokens.ts";
import { ObjectController, type Tools, watch } from "../framework/controller.ts";

const ACCOUNT = "default";
const CERTIFICATES = "kube-root-ca.crt";
const DESCRIPTION = "kubernetes.io/description";
const CONTENT =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Creates both where they are missing, and restores them. */
export class NamespaceContentController extends ObjectController<Namespace> {
  readonly name = "NamespaceContent";
  readonly resource = NAMESPACES;
  readonly watches = [
    watch(NAMESPACES),
    watch(SERVICE_ACCOUNTS, ({ object }) => namespaceIf(ACCOUNT, object)),
    watch(CONFIG_MAPS, ({ object }) => namespaceIf(CERTIFICATES, object)),
  ];
  readonly #caCertificate: string;

  constructor(tools: Tools, caCertificate: string) {
    super(tools);
    this.#caCertificate = caCertificate;
  }

  protected async reconcile({ metadata }: Namespace): Promise<undefined> {
    const { name: namespace = "", deletionTimestamp } = metadata;
    if (deletionTimestamp) return;
    if (!this.client.find(SERVICE_ACCOUNTS, { namespace, name: ACCOUNT })) {
      const account = { name: ACCOUNT, namespace };
      const created = { apiVersion: "v1", kind: "ServiceAccount", metadata: account };
      await unlessThere(this.client.create(SERVICE_ACCOUNTS, created));
    }
    await this.#publishCertificate(namespace);
  }

  async #publishCertificate(namespace: string): Promise<void> {
    const found = this.client.find(CONFIG_MAPS, { namespace, name: CERTIFICATES });
    const { annotations } = found?.metadata ?? {};
    const known = found?.data ?? {};
    const isPublished =
      known["ca.crt"] === this.#caCertificate &&
      Object.keys(known).length === 1 &&
      annotations?.[DESCRIPTION] !== undefined;
    if (isPublished) return;
    const wanted: ConfigMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      ...found,
      metadata: {
        ...(found?.metadata ?? { name: CERTIFICATES, namespace }),
        annotations: { ...annotations, [DESCRIPTION]: CONTENT },
      },
      data: { "ca.crt": this.#caCertificate },
    };
    if (found) await this.client.update(CONFIG_MAPS, wanted);
    else await unlessThere(this.client.create(CONFIG_MAPS, wanted));
  }
}

/** The key of the object's namespace, where the object has that name. */
const namespaceIf = (name: string, { metadata }: SentObject): string[] =>
  metadata.name === name ? [`/${metadata.namespace ?? ""}`] : [];
