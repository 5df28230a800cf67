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
} from "../controllers/framework/client.ts";
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
  subresourceEndpoint,
} from "./cluster/cluster.ts";
import { present } from "../../present.ts";
import { bindPod } from "./write/binding.ts";
import { createObject } from "./write/create.ts";
import { deleteObject } from "./write/delete.ts";
import { noSuchResource } from "../failures.ts";
import { applyTo, trackChange } from "./write/field-ownership.ts";
import { changeScale, readScale, scaleEndpoint } from "./write/scale.ts";
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
    const { namespace = "" } = served.namespaced ? object.metadata : {};
    const write = this.#write(mainEndpoint(served), { namespace });
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

  async bind({ namespace = "", name = "" }: ObjectName, node: string): Promise<void> {
    const options = this.#options;
    await bindPod({ cluster: this.#cluster, namespace, name, options }, node, {});
    await this.#cluster.store.durable();
  }

  async apply(resource: ResourceName, object: SentObject): Promise<SentObject> {
    const write = this.#write(mainEndpoint(this.#served(resource)), object.metadata);
    return this.#update(write, false, (live) => {
      const next = applyTo(write, live, asJson(copyJson(object)), true);
      write.endpoint.strategy.setDefaults(next);
      return next;
    });
  }

  async remove(resource: ResourceName, name: ObjectName, options?: DeleteOptions): Promise<void> {
    await deleteObject(this.#write(mainEndpoint(this.#served(resource)), name), options ?? {});
    await this.#cluster.store.durable();
  }

  findScale(resource: ResourceName, name: ObjectName): ScaleView | undefined {
    const served = this.#served(resource);
    const object = this.find(resource, name);
    if (!object) return undefined;
    const { spec, status } = readScale(served, object);
    return {
      replicas: spec?.replicas ?? 0,
      statusReplicas: status.replicas,
      selector: status.selector ?? "",
    };
  }

  async rescale(resource: ResourceName, name: ObjectName, replicas: number): Promise<void> {
    const write = this.#write(scaleEndpoint(this.#served(resource)), name);
    await changeScale(write, true, (live) => {
      const scale = { ...live, spec: { replicas } };
      trackChange(write, live, scale);
      return scale;
    });
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
    const served = this.#served(resource);
    const endpoint =
      subresource === "" ? mainEndpoint(served) : subresourceEndpoint(served, subresource);
    if (!endpoint) throw new InternalError(`${resource.plural} has no ${subresource} to write`);
    const write = this.#write(endpoint, name);
    const changed = await this.#update(write, replaces, (live) => {
      const object = change(live);
      endpoint.strategy.setDefaults(object);
      trackChange(write, live, object);
      return object;
    });
    return changed as T;
  }

  async #update(
    write: Write,
    replaces: boolean,
    change: (live: SentObject) => SentObject,
  ): Promise<SentObject> {
    const options = { ...write.options, replaces };
    const changed = await updateObject({ ...write, options }, change);
    await this.#cluster.store.durable();
    return changed;
  }

  #write(endpoint: Endpoint, { namespace = "", name = "" }: ObjectName): Write {
    return { cluster: this.#cluster, endpoint, namespace, name, options: this.#options };
  }

  #served({ group, plural }: ResourceName): ServedResource {
    const served = this.#cluster.registry.preferred(group, plural);
    if (!served) throw noSuchResource();
    return served;
  }
}
