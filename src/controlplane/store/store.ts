/**
 * The objects of the control plane: one version counter, one collection for each resource, and
 * enough history for watches and for lists as of an earlier version.
 *
 * Knows nothing of HTTP, schemas or authorization. Objects are frozen when they are committed and
 * never copied; callers clone one before they change it. Keys are `namespace/name`, or `name` of
 * cluster-scoped objects, and collections are kept in the order of their keys, as etcd keeps them.
 */
import type { SentObject } from "../../kube/object.ts";
import type { CollectionName, ObjectSource } from "../resource-name.ts";
import type { Change } from "./change.ts";
import { Collection, type State } from "./collection.ts";

/** The durable side of a store, to which it sends each change; see `StoreLog`. */
export interface ChangeSink {
  /** Called inside the commit; must not throw. */
  append(change: Change): void;
  /** Resolves when everything appended so far is durable. */
  flushed(): Promise<void>;
}

/** The key of an object within its collection. */
export function storeKey(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** All objects, their versions and their history. */
export class Store implements ObjectSource {
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #sink: ChangeSink | undefined;
  readonly #queue: Change[] = [];
  #delivering = false;
  #version: number;
  /** The version up to which history was dropped by `compact` or was never loaded. */
  #compactedAt = 0;

  /** @param startVersion - the last version of the loaded state */
  constructor(options: { readonly sink?: ChangeSink; readonly startVersion?: number } = {}) {
    this.#sink = options.sink;
    // A watch from "0" means any version, so the first object must not have that version.
    this.#version = options.startVersion ?? 1;
    // Earlier changes are unknown here, so a watch from before this version would miss them.
    this.#compactedAt = options.startVersion ?? 0;
  }

  /** The version of the last change. */
  get version(): number {
    return this.#version;
  }

  /** The oldest version for which `stateAt` and `changesSince` cover the collection. */
  oldestVersion(collection: string): number {
    return Math.max(this.#compactedAt, this.#collections.get(collection)?.oldestVersion ?? 0);
  }

  /** @returns the object, of the type that the collection's name carries */
  get<T extends SentObject>(collection: CollectionName<T>, key: string): T | undefined {
    return this.#collections.get(collection)?.get(key) as T | undefined;
  }

  /** The objects of a collection in key order; of one namespace when it is given. */
  list<T extends SentObject>(collection: CollectionName<T>, namespace?: string): readonly T[] {
    const objects = this.#collections.get(collection);
    if (!objects) return [];
    return (namespace ? objects.inNamespace(namespace) : objects.all()) as readonly T[];
  }

  /** Every object in the store, with its collection. */
  contents(): (readonly [collection: string, object: SentObject])[] {
    return [...this.#collections].flatMap(([name, objects]) =>
      objects.all().map((object) => [name, object] as const),
    );
  }

  /**
   * The state at `version`: the present one, or an earlier one that `oldestVersion` still covers.
   *
   * @param from - the first key
   * @param end - the key that ends the range, which is not included
   */
  stateAt(collection: string, version: number, from?: string, end?: string): State {
    return this.#collection(collection).stateAt(version, from, end);
  }

  /** The changes of a collection after `version`, oldest first. */
  changesSince(collection: string, version: number): readonly Change[] {
    return this.#collections.get(collection)?.changesSince(version) ?? [];
  }

  /**
   * Stores the object under the next version and freezes it.
   *
   * The caller has compared resource versions and must not await between the comparison and this
   * call.
   */
  put(collection: string, object: SentObject): SentObject {
    const key = this.#keyOf(object);
    const objects = this.#collection(collection);
    const old = objects.get(key);
    const version = ++this.#version;
    object.metadata.resourceVersion = String(version);
    freezeParts(object, old ?? objects.latest);
    const type = old ? "MODIFIED" : "ADDED";
    this.#commit({ type, collection, key, version, object, ...(old ? { old } : {}) });
    return object;
  }

  /**
   * Removes an object, if it exists. Watchers see `last` (by default its stored state) with the
   * version of the deletion.
   */
  remove(collection: string, key: string, last?: SentObject): SentObject | undefined {
    const old = this.#collections.get(collection)?.get(key);
    if (!old) return undefined;
    const version = ++this.#version;
    const from = last ?? old;
    const object = deepFreeze({
      ...from,
      metadata: { ...from.metadata, resourceVersion: String(version) },
    });
    this.#commit({ type: "DELETED", collection, key, version, object, old });
    return object;
  }

  /** Restores an object from the log, without an event. */
  restore(collection: string, object: SentObject): void {
    this.#collection(collection).restore(this.#keyOf(object), deepFreeze(object));
  }

  /** Drops all history: lists and watches from earlier versions are answered that it expired. */
  compact(): void {
    this.#compactedAt = this.#version;
    for (const objects of this.#collections.values()) objects.forget();
  }

  /**
   * Calls `listener` after each change, in order. A change made by a listener is delivered to all
   * listeners after the current one.
   */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when every change so far is durable. */
  async durable(): Promise<void> {
    await this.#sink?.flushed();
  }

  #keyOf(object: SentObject): string {
    const { namespace, name = "" } = object.metadata;
    return storeKey(namespace, name);
  }

  #collection(name: string): Collection {
    let found = this.#collections.get(name);
    if (!found) this.#collections.set(name, (found = new Collection()));
    return found;
  }

  #commit(change: Change): void {
    this.#collection(change.collection).record(change);
    this.#sink?.append(change);
    this.#queue.push(change);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
        for (const listener of [...this.#listeners]) listener(next);
      }
    } finally {
      this.#delivering = false;
    }
  }
}

/** Freezes a JSON tree in place and returns it. Parts that are already frozen are skipped. */
export function deepFreeze<T extends object>(value: T): T {
  freezeParts(value, undefined);
  return value;
}

/**
 * Freezes the tree, and shares equal strings and parts with `like`, which saves memory: objects of
 * a kind have versions, times, labels and field owners in common, and an object has most in common
 * with its previous state.
 *
 * @returns whether `like` is equal to it and frozen, so that it can replace it
 */
function freezeParts(value: object | null, like: unknown): boolean {
  if (value === null || Object.isFrozen(value)) return value === like;
  const parts = value as Record<string, unknown>;
  const known = typeof like === "object" ? (like as Record<string, unknown> | null) : null;
  const keys = Object.keys(value);
  let isSame = known !== null && Array.isArray(value) === Array.isArray(known);
  for (const key of keys) {
    const part = parts[key];
    const theirs = known !== null && Object.hasOwn(known, key) ? known[key] : undefined;
    const isSamePart = typeof part === "object" ? freezeParts(part, theirs) : part === theirs;
    if (isSamePart && theirs !== undefined) parts[key] = theirs;
    isSame &&= isSamePart;
  }
  Object.freeze(value);
  return isSame && known !== null && Object.isFrozen(known) && haveSameKeys(keys, known);
}

/** Whether the object has these keys in the same order, since answers keep the order. */
function haveSameKeys(keys: readonly string[], object: object): boolean {
  const others = Object.keys(object);
  return others.length === keys.length && others.every((key, index) => key === keys[index]);
}
