/**
 * Objects of one kind by their key, and by whatever else they are looked up by.
 *
 * @module
 */
import { TsopError } from "../../errors.ts";
import { formatKey, keyOf, type KubeObject } from "../../kube/object.ts";

/** The values under which an object is found; none is fine. */
export type IndexFunction<T extends KubeObject> = (object: T) => readonly string[];

/** The index by namespace that every indexer has. */
export const NAMESPACE_INDEX = "metadata.namespace";

/** A map of objects with secondary indexes. Objects are frozen before they come in. */
export class Indexer<T extends KubeObject> {
  #objects = new Map<string, T>();
  readonly #functions = new Map<string, IndexFunction<T>>();
  // Index -> value -> keys. A value that has no key left is removed, or values of the past would pile up.
  readonly #indexes = new Map<string, Map<string, Set<string>>>();

  constructor() {
    this.addIndex(NAMESPACE_INDEX, ({ metadata }) => [metadata.namespace ?? ""]);
  }

  get size(): number {
    return this.#objects.size;
  }

  /**
   * Adds an index over what is there and what comes.
   *
   * @throws TsopError `index-exists` when another function has the name
   */
  addIndex(name: string, values: IndexFunction<T>): void {
    const known = this.#functions.get(name);
    if (known === values) return;
    if (known) {
      throw new TsopError(
        "index-exists",
        `There already is an index ${name}.`,
        "Give the second one another name.",
      );
    }
    this.#functions.set(name, values);
    this.#indexes.set(name, new Map());
    for (const [key, object] of this.#objects) this.#index(name, values, key, object);
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  /** All objects, in the order in which they came. */
  list(): T[] {
    return [...this.#objects.values()];
  }

  entries(): IterableIterator<[string, T]> {
    return this.#objects.entries();
  }

  hasIndex(name: string): boolean {
    return this.#functions.has(name);
  }

  /**
   * The objects under `value` in the index `name`.
   *
   * @throws TsopError `index-missing`
   */
  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (!index) {
      throw new TsopError(
        "index-missing",
        `There is no index ${name}.`,
        "Declare it where the controller is built: `indexes: { name: (object) => [value] }`.",
      );
    }
    const objects: T[] = [];
    for (const key of index.get(value) ?? []) {
      const object = this.#objects.get(key);
      if (object) objects.push(object);
    }
    return objects;
  }

  /** Puts `object` in, and returns the one that it replaces. */
  set(object: T): T | undefined {
    const key = formatKey(keyOf(object));
    const old = this.#objects.get(key);
    if (old) this.#unindexAll(key, old);
    this.#objects.set(key, object);
    for (const [name, values] of this.#functions) this.#index(name, values, key, object);
    return old;
  }

  /** Takes the object out, and returns it. */
  delete(key: string): T | undefined {
    const old = this.#objects.get(key);
    if (!old) return undefined;
    this.#unindexAll(key, old);
    this.#objects.delete(key);
    return old;
  }

  #index(name: string, values: IndexFunction<T>, key: string, object: T): void {
    const index = this.#indexes.get(name);
    for (const value of values(object)) {
      const keys = index?.get(value);
      if (keys) keys.add(key);
      else index?.set(value, new Set([key]));
    }
  }

  #unindexAll(key: string, object: T): void {
    for (const [name, values] of this.#functions) {
      const index = this.#indexes.get(name);
      for (const value of values(object)) {
        const keys = index?.get(value);
        keys?.delete(key);
        if (keys?.size === 0) index?.delete(value);
      }
    }
  }
}
