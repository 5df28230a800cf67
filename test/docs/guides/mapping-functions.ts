import {
  controllerFor,
  CustomResource,
  hashOf,
  keyOf,
  Resource,
  type Client,
  type Manager,
  type Reconciler,
  type Request,
} from "../../../src/index.ts";
import { ConfigMap, Secret } from "../../../src/k8s.ts";

export class SiteSpec {
  secretName!: string;
}

@Resource({ group: "sites.example.com", version: "v1" })
export class Site extends CustomResource<SiteSpec> {}

/** Writes a hash of the Secret that a Site names into a ConfigMap. */
class SiteReconciler implements Reconciler<Site> {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async reconcile({ key }: Request): Promise<void> {
    const site = await this.#client.find(Site, key);
    if (!site) return;
    const secret = await this.#client.find(Secret, { ...key, name: site.spec.secretName });
    await this.#client.apply(
      ConfigMap,
      { metadata: { name: key.name }, data: { hash: secret ? hashOf(secret.data) : "none" } },
      { owner: site },
    );
  }
}

export function setUpSite(manager: Manager): void {
  const { client } = manager;
  controllerFor(manager)
    .for(Site, { indexes: { secret: ({ spec }) => [spec.secretName] } })
    .owns(ConfigMap)
    .watches(Secret, {
      // Which Sites does a change of this Secret concern? The index knows, without a look at each Site.
      map: async ({ metadata: { namespace, name } }) => {
        const sites = await client.list(Site, {
          namespace,
          index: { name: "secret", value: name },
        });
        return sites.map(keyOf);
      },
    })
    .complete(new SiteReconciler(client));
}
