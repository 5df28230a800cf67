/** The client of the simulated controllers: the write path of requests, without the wire. */
import { InternalError } from "../../errors.ts";
import { asJson, asObject, copyJson, sameJson } from "../../kube/json.ts";
import type { SentObject } from "../../kube/object.ts";
import { applyMergePatch } from "../../kube/patch.ts";
import type { ResourceInfo } from "../../kube/resource.ts";
import type {
  ControllerClient,
  ControllerContext,
  DeleteOptions,
  ObjectName,
  ScaleView,
  Selection,
  StoreEvent,
} from "../controllers/client.ts";
import type { ResourceName } from "../resource-name.ts";
import type { ServedResource } from "../kinds.ts";
import {
  type Cluster,
  type Endpoint,
  type Write,
  type WriteOptions,
  findStored,
  listStored,
  mainEndpoint,
} from "./cluster/cluster.ts";
import { present } from "../../present.ts";
import { createObject } from "./write/create.ts";
import { deleteObject } from "./write/delete.ts";
import { noSuchResource } from "../failures.ts";
import { applyTo, trackChange } from "./write/ownership.ts";
import { type ScaleTarget, readScale, setReplicas } from "./write/scale.ts";
import { updateObject } from "./write/update.ts";

/** The dependencies of controllers of this cluster. */
export function controllerContext(cluster: Cluster): ControllerContext {
  return { clock: cluster.clock, clientFor: (name) => new DirectClient(cluster, name) };
}

/** The client of one controller, whose name is also its field manager. */
class DirectClient implements ControllerClient {
  readonly #cluster: Cluster;
  readonly #options: WriteOptions;

  constructor(cluster: Cluster, name: string) {
    this.#cluster = cluster;
    this.#options = {
      user: {
        name: `system:serviceaccount:kube-system:${name}`,
        groups: ["system:serviceaccounts", "system:masters", "system:authenticated"],
      },
      manager: name,
      dryRun: false,
      warn: () => undefined,
    };
  }

  find<T extends SentObject>(
    resource: ResourceName<T>,
    { namespace, name = "" }: ObjectName,
  ): T | undefined {
    return findStored(this.#cluster, resource, { namespace, name });
  }

  list<T extends SentObject>(resource: ResourceName<T>, selection: Selection = {}): readonly T[] {
    const found = listStored(this.#cluster, resource, selection.namespace);
    const wanted = Object.entries(selection.labels ?? {});
    if (wanted.length === 0) return found;
    return found.filter(({ metadata: { labels = {} } }) =>
      wanted.every(([name, value]) => labels[name] === value),
    );
  }

  resources(): readonly ResourceInfo[] {
    const { registry } = this.#cluster;
    return registry
      .all()
      .filter(
        (resource) =>
          registry.preferred(resource.group, resource.plural) === resource &&
          resource.verbs.includes("list") &&
          resource.verbs.includes("delete"),
      );
  }

  async create<T extends SentObject>(resource: ResourceName<T>, object: SentObject): Promise<T> {
    const served = this.#served(resource);
    const namespace = served.namespaced ? (object.metadata.namespace ?? "") : "";
    const write = this.#write(mainEndpoint(served), { namespace }, this.#options);
    const created = await createObject(write, copyJson(object));
    await this.#cluster.store.durable();
    return created as T;
  }

  async update<T extends SentObject>(
    resource: ResourceName<T>,
    object: NoInfer<T>,
    subresource = "",
  ): Promise<T> {
    return this.#change(resource, object.metadata, subresource, true, () => copyJson(object));
  }

  async updateStatus<T extends SentObject & { status?: object }>(
    resource: ResourceName<T>,
    object: NoInfer<T>,
    status: NoInfer<NonNullable<T["status"]>>,
  ): Promise<T> {
    if (sameJson(object.status ?? {}, status)) return object;
    return this.update(resource, { ...object, status }, "status");
  }

  async patch<T extends SentObject>(
    resource: ResourceName<T>,
    name: ObjectName,
    patch: object,
    subresource = "",
  ): Promise<T> {
    return this.#change(resource, name, subresource, false, (live) =>
      asObject(applyMergePatch(asJson(copyJson(live)), patch)),
    );
  }

  async apply(resource: ResourceName, object: SentObject): Promise<SentObject> {
    const endpoint = mainEndpoint(this.#served(resource));
    const by = { manager: this.#options.manager, force: true };
    const options = { ...this.#options, replaces: false };
    const changed = await updateObject(this.#write(endpoint, object.metadata, options), (live) => {
      const config = asJson(copyJson(object));
      const next = applyTo(this.#cluster, endpoint, live, config, by);
      endpoint.strategy.setDefaults(next);
      return next;
    });
    await this.#cluster.store.durable();
    return changed;
  }

  async remove(
    resource: ResourceName,
    name: ObjectName,
    options: DeleteOptions = {},
  ): Promise<void> {
    const endpoint = mainEndpoint(this.#served(resource));
    await deleteObject(this.#write(endpoint, name, this.#options), options);
    await this.#cluster.store.durable();
  }

  findScale(resource: ResourceName, name: ObjectName): ScaleView | undefined {
    const target = this.#scaleTarget(resource, name);
    const object = this.find(resource, name);
    if (!object) return undefined;
    const { spec, status } = readScale(target, object);
    return {
      replicas: spec?.replicas ?? 0,
      statusReplicas: status.replicas,
      selector: status.selector ?? "",
    };
  }

  async rescale(resource: ResourceName, name: ObjectName, replicas: number): Promise<void> {
    const target = this.#scaleTarget(resource, name);
    await setReplicas(this.#cluster, target, this.#options, replicas);
  }

  #scaleTarget(
    { group, plural }: ResourceName,
    { namespace = "", name = "" }: ObjectName,
  ): ScaleTarget {
    const resource = this.#served({ group, plural });
    const subresource = resource.subresources.find((one) => one.name === "scale");
    return {
      resource,
      namespace,
      name,
      ...present({ subresource }),
    };
  }

  subscribe(listener: (event: StoreEvent) => void): () => void {
    const { store, registry } = this.#cluster;
    return store.subscribe(({ type, collection, object, old }) => {
      const resource = registry.ofCollection(collection);
      if (resource) listener({ type, resource, object, ...present({ old }) });
    });
  }

  async #change<T extends SentObject>(
    resource: ResourceName<T>,
    name: ObjectName,
    subresource: string,
    replaces: boolean,
    change: (live: SentObject) => SentObject,
  ): Promise<T> {
    const endpoint = this.#endpoint(this.#served(resource), subresource);
    const write = this.#write(endpoint, name, { ...this.#options, replaces });
    const changed = await updateObject(write, (live) => {
      const object = change(live);
      endpoint.strategy.setDefaults(object);
      trackChange(write, live, object);
      return object;
    });
    await this.#cluster.store.durable();
    return changed as T;
  }

  #write<O extends WriteOptions>(
    endpoint: Endpoint,
    { namespace = "", name = "" }: ObjectName,
    options: O,
  ): Write<O> {
    return { cluster: this.#cluster, endpoint, namespace, name, options };
  }

  #served({ group, plural }: ResourceName): ServedResource {
    const served = this.#cluster.registry.preferred(group, plural);
    if (!served) throw noSuchResource();
    return served;
  }

  #endpoint(resource: ServedResource, subresource: string): Endpoint {
    if (subresource === "") return mainEndpoint(resource);
    const found = resource.subresources.find(({ name }) => name === subresource);
    if (!found?.strategy) {
      throw new InternalError(`${resource.plural} has no ${subresource} to write`);
    }
    return { resource, subresource, strategy: found.strategy };
  }
}
