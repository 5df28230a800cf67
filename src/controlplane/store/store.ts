/**
 * The objects of the control plane: one version counter, one collection for each resource, and enough
 * history for watches and for lists as of an earlier version.
 *
 * Knows nothing of HTTP, schemas or rights. Objects are frozen when they are committed and never copied;
 * whoever wants to change one clones it. Keys are `namespace/name`, or `name` of cluster-scoped objects, and
 * collections are kept in the order of their keys, as etcd keeps them.
 *
 * @module
 */
import type { SentObject } from "../../kube/object.ts";
import type { CollectionName, ObjectSource } from "../resource-name.ts";
import type { Change } from "./change.ts";
import { Collection, type State } from "./collection.ts";

/** What a store must remember elsewhere to survive the process; see `StoreLog`. */
export interface ChangeSink {
  /** Called inside the commit; must not throw. */
  append(change: Change): void;
  /** Resolves when everything appended so far is safe. */
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
  #compactedAt = 0;

  /** @param startVersion - the version that the loaded state has reached */
  constructor(options: { readonly sink?: ChangeSink; readonly startVersion?: number } = {}) {
    this.#sink = options.sink;
    // A watch from "0" means any version, so the first object must not have it.
    this.#version = options.startVersion ?? 1;
    // What happened before is not known here: a watch from then on would miss it.
    this.#compactedAt = options.startVersion ?? 0;
  }

  /** The version of the last change. */
  get version(): number {
    return this.#version;
  }

  /** The oldest version of which `stateAt` and `changesSince` still know the collection. */
  oldestVersion(collection: string): number {
    return Math.max(this.#compactedAt, this.#collections.get(collection)?.oldestVersion ?? 0);
  }

  /** Whether history was dropped on purpose. */
  get compactedAt(): number {
    return this.#compactedAt;
  }

  /** @returns the object; a collection's name says of which type its objects are */
  get<T extends SentObject>(collection: CollectionName<T>, key: string): T | undefined {
    return this.#collections.get(collection)?.get(key) as T | undefined;
  }

  /** The objects of a collection in key order; of one namespace when it is given. */
  list<T extends SentObject>(collection: CollectionName<T>, namespace?: string): readonly T[] {
    const objects = this.#collections.get(collection);
    if (!objects) return [];
    return (namespace ? objects.inNamespace(namespace) : objects.all()) as readonly T[];
  }

  /** Every object that is stored now, with its collection. */
  contents(): (readonly [collection: string, object: SentObject])[] {
    return [...this.#collections].flatMap(([name, objects]) =>
      objects.all().map((object) => [name, object] as const),
    );
  }

  /**
   * The state at `version`: now, or an earlier one that `oldestVersion` still covers.
   *
   * @param from - the first key of interest
   * @param end - behind the last one
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
   * The caller has compared versions; between that and this call nothing may await.
   */
  put(collection: string, object: SentObject): SentObject {
    const key = this.#keyOf(object);
    const objects = this.#collection(collection);
    const old = objects.get(key);
    const version = ++this.#version;
    object.metadata.resourceVersion = String(version);
    const stored = freezeLike(object, old ?? objects.latest);
    this.#commit({
      type: old ? "MODIFIED" : "ADDED",
      collection,
      key,
      version,
      object: stored,
      ...(old ? { old } : {}),
    });
    return stored;
  }

  /** Removes an object that is there. Watchers see `last` (by default its stored state) with the deletion's version. */
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

  /** Puts back what a log held, without events. */
  restore(collection: string, object: SentObject): void {
    this.#collection(collection).restore(this.#keyOf(object), deepFreeze(object));
  }

  /** Forgets all history: lists and watches from before now are told that it expired. */
  compact(): void {
    this.#compactedAt = this.#version;
    for (const objects of this.#collections.values()) objects.forget();
  }

  /**
   * Calls `listener` after each change, in order. A change made by a listener is delivered after the one
   * at hand, to all.
   */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when every change so far would survive the end of the process. */
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

/** Freezes a JSON tree in place and returns it. Parts that are frozen already are taken as done. */
export function deepFreeze<T extends object>(value: T): T {
  freezeParts(value, undefined);
  return value;
}

/**
 * `deepFreeze` that has in memory once what objects repeat: a text or a part that `like` has in the same place is
 * taken from there. Objects of a kind have versions, times, labels and owners of fields in common, and an object has
 * most with its own state before.
 */
function freezeLike<T extends object>(value: T, like: T | undefined): T {
  freezeParts(value, like);
  return value;
}

/** Freezes the tree; returns whether `like` says the same, and may be taken for it. */
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

/** In the same order, which is that of the answers. */
function haveSameKeys(keys: readonly string[], object: object): boolean {
  const others = Object.keys(object);
  return others.length === keys.length && others.every((key, index) => key === keys[index]);
}
