/** Objects of one kind by their key and by any other index. */
import { TsopError } from "../../errors.ts";
import type { KubeObject } from "../../kube/object.ts";
import { frozen } from "./freeze.ts";

/** Returns the values under which an object is indexed; an empty list is allowed. */
export type IndexFunction<T extends KubeObject> = (object: T) => readonly string[];

/** The index by namespace that every indexer has. */
export const NAMESPACE_INDEX = "metadata.namespace";

// V8 on 64 bits without pointer compression, as Node is built.
const POINTER_BYTES = 8;
const OBJECT_BYTES = 24;
const ARRAY_BYTES = 48;
const STRING_BYTES = 20;
// V8 keeps one copy of each string that is as short as this.
const SHORT_STRING = 10;

/**
 * The heap size of a JSON value in bytes, strings as if each character were a byte; 0 for values in
 * `counted`.
 */
function sizeOf(root: unknown, counted: Set<unknown>): number {
  let bytes = 0;
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    const own = ownSizeOf(value);
    if (own === 0 || counted.has(value)) continue;
    counted.add(value);
    bytes += own;
    if (typeof value !== "object" || value === null) continue;
    const parts = Object.values(value) as unknown[];
    bytes += POINTER_BYTES * parts.length;
    for (const part of parts) open.push(part);
  }
  return bytes;
}

/**
 * The same without its parts; 0 for values that are stored inline, and for those that exist once in
 * the process.
 */
function ownSizeOf(value: unknown): number {
  if (typeof value === "string")
    return value.length > SHORT_STRING ? STRING_BYTES + value.length : 0;
  if (typeof value !== "object" || value === null) return 0;
  return Array.isArray(value) ? ARRAY_BYTES : OBJECT_BYTES;
}

/** The key of an object in an indexer: `namespace/name`, or `name`. */
export function cacheKeyOf({ metadata: { namespace, name } }: KubeObject): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** Gets the error of an index function; its object has no value in that index. */
export type IndexFailure = (index: string, key: string, error: unknown) => void;

/** The keys under each value. */
type Index = Map<string, Set<string>>;

/**
 * A map of objects with secondary indexes. Objects are frozen when they are read for the first
 * time: most objects of a large cache never are.
 */
export class Indexer<T extends KubeObject> {
  #objects = new Map<string, T>();
  readonly #functions = new Map<string, IndexFunction<T>>();
  // Index -> value -> keys, built when the index is first read: many are declared, and not all are
  // used. A value without keys is removed, or values of the past would pile up.
  readonly #indexes = new Map<string, Index>();

  readonly #failed: IndexFailure;

  constructor(failed: IndexFailure = () => undefined) {
    this.#failed = failed;
    this.addIndex(NAMESPACE_INDEX, ({ metadata }) => [metadata.namespace ?? ""]);
  }

  get size(): number {
    return this.#objects.size;
  }

  /**
   * Declares an index over present and future objects.
   *
   * @throws TsopError `index-exists` when another function has the name
   */
  addIndex(name: string, values: IndexFunction<T>): void {
    const known = this.#functions.get(name);
    if (known === values) return;
    if (known) {
      throw new TsopError(
        "index-exists",
        `An index ${name} already exists.`,
        "Give the second index another name.",
      );
    }
    this.#functions.set(name, values);
  }

  get(key: string): T | undefined {
    const object = this.#objects.get(key);
    return object && frozen(object);
  }

  /** The object as it is stored, for callers that read it and do not hand it on. */
  peek(key: string): T | undefined {
    return this.#objects.get(key);
  }

  /** All objects, in the order in which they came. */
  list(): T[] {
    const objects = [...this.#objects.values()];
    for (const object of objects) frozen(object);
    return objects;
  }

  /** Keys and objects, as they are stored. */
  entries(): IterableIterator<[string, T]> {
    return this.#objects.entries();
  }

  /**
   * The memory that the objects take, in bytes, equal parts counted once: an estimate, computed at
   * each call.
   */
  get sizeBytes(): number {
    const counted = new Set<unknown>();
    let bytes = 0;
    for (const [key, object] of this.#objects)
      bytes += 2 * POINTER_BYTES + key.length + sizeOf(object, counted);
    return bytes;
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
    const index = this.#indexes.get(name) ?? this.#buildIndex(name);
    const objects: T[] = [];
    for (const key of index.get(value) ?? []) {
      const object = this.#objects.get(key);
      if (object) objects.push(frozen(object));
    }
    return objects;
  }

  set(key: string, object: T): void {
    if (this.#indexes.size > 0) {
      const old = this.#objects.get(key);
      if (old) this.#unindexAll(key, old);
      for (const [name, index] of this.#indexes)
        addToIndex(index, this.#told(name, key, object), key);
    }
    this.#objects.set(key, object);
  }

  /** Removes the object, and returns it. */
  delete(key: string): T | undefined {
    const old = this.#objects.get(key);
    if (!old) return undefined;
    this.#unindexAll(key, old);
    this.#objects.delete(key);
    return old;
  }

  #buildIndex(name: string): Index {
    if (!this.#functions.has(name)) {
      throw new TsopError(
        "index-missing",
        `There is no index ${name}.`,
        "Declare it when you build the controller: `indexes: { name: (object) => [value] }`.",
      );
    }
    const index: Index = new Map();
    for (const [key, object] of this.#objects)
      addToIndex(index, this.#told(name, key, object), key);
    this.#indexes.set(name, index);
    return index;
  }

  /**
   * The values of an object that is stored. Where the function fails, the failure is reported and
   * there are none: one odd object hides no other.
   */
  #told(name: string, key: string, object: T): readonly string[] {
    const { values, error } = this.#valuesOf(name, object);
    if (!values) this.#failed(name, key, error);
    return values ?? [];
  }

  #valuesOf(name: string, object: T): { values?: readonly string[]; error?: unknown } {
    try {
      const values: unknown = this.#functions.get(name)?.(object) ?? [];
      if (!Array.isArray(values)) throw new TypeError("it did not return a list of values");
      return { values: values as string[] };
    } catch (error) {
      return { error };
    }
  }

  #unindexAll(key: string, object: T): void {
    for (const [name, index] of this.#indexes) {
      // A function that fails now may have succeeded when the object was stored.
      for (const value of this.#valuesOf(name, object).values ?? [...index.keys()]) {
        const keys = index.get(value);
        keys?.delete(key);
        if (keys?.size === 0) index.delete(value);
      }
    }
  }
}

function addToIndex(index: Index, values: readonly string[], key: string): void {
  for (const value of values) {
    const keys = index.get(value);
    if (keys) keys.add(key);
    else index.set(value, new Set([key]));
  }
}
