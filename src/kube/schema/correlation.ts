/**
 * The correlation of the parts of a new object with those of the old one.
 *
 * Fields are followed by name, items of a list of type `map` by their keys; items of other lists
 * are not followed. Ratcheting and transition rules both ask here.
 *
 * @see
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting
 */
import { encodeJson, getField, isJsonObject, sameJson } from "../json.ts";
import { schemaOfField, type Schema } from "./structural.ts";

/** The key of an item in a list of type `map`; `undefined` when one of its fields is missing. */
function itemKey(item: unknown, names: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const parts: unknown[] = [];
  for (const name of names) {
    const part = getField(item, name);
    if (part === undefined || part === null || typeof part === "object") return undefined;
    parts.push(part);
  }
  return encodeJson(parts);
}

/** A value, the one that it replaces, and their common schema. */
export class Correlation {
  readonly value: unknown;
  readonly old: unknown;
  readonly #schema: Schema;
  #children: Map<string | number, Correlation | undefined> | undefined;
  #oldItems: Map<string, unknown> | undefined;
  #unchanged: boolean | undefined;

  constructor(value: unknown, old: unknown, schema: Schema) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  /** The field of that name; `undefined` unless both sides have it and the schema knows it. */
  field(name: string): Correlation | undefined {
    const children = this.#known();
    if (children.has(name)) return children.get(name);
    const found = this.#findField(name);
    children.set(name, found);
    return found;
  }

  /**
   * The item at that index of the new list; `undefined` when the old list has none with its keys.
   */
  item(index: number): Correlation | undefined {
    const children = this.#known();
    if (children.has(index)) return children.get(index);
    const found = this.#findItem(index);
    children.set(index, found);
    return found;
  }

  #known(): Map<string | number, Correlation | undefined> {
    this.#children ??= new Map<string | number, Correlation | undefined>();
    return this.#children;
  }

  #findField(name: string): Correlation | undefined {
    if (!isJsonObject(this.value) || !isJsonObject(this.old)) return undefined;
    if (!Object.hasOwn(this.value, name) || !Object.hasOwn(this.old, name)) return undefined;
    const schema = schemaOfField(this.#schema, name);
    return schema && new Correlation(this.value[name], this.old[name], schema);
  }

  #findItem(index: number): Correlation | undefined {
    const { items } = this.#schema;
    if (!Array.isArray(this.value) || !items) return undefined;
    const value: unknown = this.value[index];
    const key = itemKey(value, this.#schema["x-kubernetes-list-map-keys"] ?? []);
    const old = key === undefined ? undefined : this.#itemsByKey().get(key);
    return old === undefined ? undefined : new Correlation(value, old, items);
  }

  /** Whether nothing changed here or below; lists of type `map` may be in another order. */
  unchanged(): boolean {
    this.#unchanged ??= this.#compare();
    return this.#unchanged;
  }

  #compare(): boolean {
    if (Array.isArray(this.value) && Array.isArray(this.old)) {
      if (!this.#isMapList()) return sameJson(this.value, this.old);
      return (
        this.value.length === this.old.length &&
        this.value.every((_, index) => this.item(index)?.unchanged() ?? false)
      );
    }
    if (isJsonObject(this.value) && isJsonObject(this.old)) {
      const names = Object.keys(this.value);
      return (
        names.length === Object.keys(this.old).length &&
        names.every((name) => this.field(name)?.unchanged() ?? false)
      );
    }
    return sameJson(this.value, this.old);
  }

  #isMapList(): boolean {
    const keys = this.#schema["x-kubernetes-list-map-keys"] ?? [];
    return this.#schema["x-kubernetes-list-type"] === "map" && keys.length > 0;
  }

  #itemsByKey(): Map<string, unknown> {
    if (this.#oldItems) return this.#oldItems;
    this.#oldItems = new Map();
    if (Array.isArray(this.old) && this.#isMapList()) {
      for (const item of this.old as unknown[]) {
        const key = itemKey(item, this.#schema["x-kubernetes-list-map-keys"] ?? []);
        // The first of several items with the same keys counts.
        if (key !== undefined && !this.#oldItems.has(key)) this.#oldItems.set(key, item);
      }
    }
    return this.#oldItems;
  }
}
