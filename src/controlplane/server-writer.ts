/** Writes of the server itself, past the API. */
import type { Clock } from "../clock.ts";
import { sameJson } from "../kube/json.ts";
import type { SentObject } from "../kube/object.ts";
import { ServerOwnership } from "./bootstrap-owners.ts";
import { type Cluster, randomUid, timestamp } from "./server/cluster/cluster.ts";
import { type Store, storeKey } from "./store/store.ts";

/** Writes the server's own objects to the store. */
export class ServerWriter {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #owners: ServerOwnership;
  /** The time of the writes, RFC 3339. */
  readonly time: string;

  constructor({ store, clock }: Cluster) {
    this.#store = store;
    this.#clock = clock;
    this.time = timestamp(clock);
    this.#owners = new ServerOwnership(this.time);
  }

  /** Adds an object unless it exists. */
  add(collection: string, object: SentObject): void {
    const { namespace, name = "" } = object.metadata;
    if (this.#store.get(collection, storeKey(namespace, name))) return;
    object.metadata = {
      ...object.metadata,
      uid: randomUid(this.#clock),
      creationTimestamp: this.time,
      managedFields: this.#owners.of(object),
    };
    this.#store.put(collection, object);
  }

  /** Replaces the object of an earlier server, unless it is the same. */
  replace(collection: string, object: SentObject): void {
    const { name = "", namespace, generation } = object.metadata;
    const live = this.#store.get(collection, storeKey(namespace, name));
    if (!live) {
      this.add(collection, object);
      return;
    }
    const content = { ...live, ...object, metadata: live.metadata };
    if (sameJson(content, live)) return;
    const next =
      generation === undefined ? {} : { generation: (live.metadata.generation ?? 0) + 1 };
    this.#store.put(collection, { ...content, metadata: { ...live.metadata, ...next } });
  }
}
