/**
 * Objects of one kind by their key, and by whatever else they are looked up by.
 *
 * @module
 */
import { TsopError } from "../../errors.ts";
import type { KubeObject } from "../../kube/object.ts";
import { frozen } from "./freeze.ts";

/** The values under which an object is found; none is fine. */
export type IndexFunction<T extends KubeObject> = (object: T) => readonly string[];

/** The index by namespace that every indexer has. */
export const NAMESPACE_INDEX = "metadata.namespace";

// V8 on 64 bits without pointer compression, as Node is built.
const POINTER_BYTES = 8;
const OBJECT_BYTES = 24;
const ARRAY_BYTES = 48;
const STRING_BYTES = 20;
// V8 keeps each of them once.
const SHORT_STRING = 10;

/** What a JSON value takes on the heap, strings as if each character were a byte; nothing for what is in `counted`. */
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

/** The same without the parts; none for what stands in its object itself, and what there is one of in the process. */
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

/** Told of an index function that failed for an object, which is then under no value of that index. */
export type IndexFailure = (index: string, key: string, error: unknown) => void;

/** The keys under each value. */
type Index = Map<string, Set<string>>;

/**
 * A map of objects with secondary indexes. What is read is frozen, when it is read for the first time: most objects of
 * a large cache never are.
 */
export class Indexer<T extends KubeObject> {
  #objects = new Map<string, T>();
  readonly #functions = new Map<string, IndexFunction<T>>();
  // Index -> value -> keys, from the first look into the index on: many are declared, and not all are used.
  // A value that has no key left is removed, or values of the past would pile up.
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
   * Declares an index over what is there and what comes.
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
  }

  get(key: string): T | undefined {
    const object = this.#objects.get(key);
    return object && frozen(object);
  }

  /** The object as it is kept, for who looks and does not hand it on. */
  peek(key: string): T | undefined {
    return this.#objects.get(key);
  }

  /** All objects, in the order in which they came. */
  list(): T[] {
    const objects = [...this.#objects.values()];
    for (const object of objects) frozen(object);
    return objects;
  }

  /** Keys and objects, as they are kept. */
  entries(): IterableIterator<[string, T]> {
    return this.#objects.entries();
  }

  /** What the objects take in memory, in bytes, equal parts once: an estimate, made anew with each call. */
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

  /** Puts `object` in, under its own key. */
  set(key: string, object: T): void {
    if (this.#indexes.size > 0) {
      const old = this.#objects.get(key);
      if (old) this.#unindexAll(key, old);
      for (const [name, index] of this.#indexes)
        addToIndex(index, this.#told(name, key, object), key);
    }
    this.#objects.set(key, object);
  }

  /** Takes the object out, and returns it. */
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
        "Declare it where the controller is built: `indexes: { name: (object) => [value] }`.",
      );
    }
    const index: Index = new Map();
    for (const [key, object] of this.#objects)
      addToIndex(index, this.#told(name, key, object), key);
    this.#indexes.set(name, index);
    return index;
  }

  /** The values of an object that is put in; none, and told, where the function fails: one odd object hides no other. */
  #told(name: string, key: string, object: T): readonly string[] {
    const { values, error } = this.#valuesOf(name, object);
    if (!values) this.#failed(name, key, error);
    return values ?? [];
  }

  #valuesOf(name: string, object: T): { values?: readonly string[]; error?: unknown } {
    try {
      const values: unknown = this.#functions.get(name)?.(object) ?? [];
      if (!Array.isArray(values)) throw new TypeError("it returned no list of values");
      return { values: values as string[] };
    } catch (error) {
      return { error };
    }
  }

  #unindexAll(key: string, object: T): void {
    for (const [name, index] of this.#indexes) {
      // One that fails now need not have failed when the object was put in.
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
