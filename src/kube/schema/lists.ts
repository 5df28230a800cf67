/**
 * Uniqueness in lists of type `set` and `map`.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 */
import { duplicate, type FieldError, invalidValue } from "../field-errors.ts";
import { encodeJson, getField, isJsonObject } from "../json.ts";
import type { JsonObject } from "../object.ts";
import { sortedKeys } from "./sorted-keys.ts";
import { describesFields, propertyOf, type Schema, valuesOf } from "./structural.ts";

/**
 * All duplicates in lists, at any depth.
 *
 * @param options.ofChanged - skips frozen parts, which an object shares with the one before it
 */
export function listErrors(
  value: unknown,
  schema: Schema,
  { ofChanged = false } = {},
): FieldError[] {
  const errors: FieldError[] = [];
  if (!describesUnique(schema)) return errors;
  const open: { value: unknown; schema: Schema; path: string }[] = [{ value, schema, path: "" }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { schema: node, path: at } = next;
    if (Array.isArray(next.value)) {
      const items = next.value as unknown[];
      if (node["x-kubernetes-list-type"] === "set") errors.push(...setErrors(items, at));
      if (node["x-kubernetes-list-type"] === "map") errors.push(...mapErrors(items, node, at));
      if (!node.items) continue;
      if (!describesUnique(node.items)) continue;
      for (const [index, item] of items.entries()) {
        open.push({ value: item, schema: node.items, path: `${at}[${index}]` });
      }
    } else if (isJsonObject(next.value) && describesFields(node)) {
      const values = valuesOf(node);
      for (const name of Object.keys(next.value)) {
        const field = next.value[name];
        if (typeof field !== "object" || field === null) continue;
        if (ofChanged && Object.isFrozen(field)) continue;
        if (values && describesUnique(values)) {
          open.push({ value: field, schema: values, path: `${at}[${name}]` });
        }
        const property = propertyOf(node, name);
        if (!property || !describesUnique(property)) continue;
        const below = at === "" ? name : `${at}.${name}`;
        open.push({ value: field, schema: property, path: below });
      }
    }
  }
  return errors;
}

const withUnique = new WeakMap<Schema, boolean>();

/** Whether a schema describes a list of type `set` or `map`, at its root or below. */
function describesUnique(schema: Schema): boolean {
  let known = withUnique.get(schema);
  if (known === undefined) {
    const type = schema["x-kubernetes-list-type"];
    const parts = [...Object.values(schema.properties ?? {}), schema.items, valuesOf(schema)];
    known = type === "set" || type === "map" || parts.some((part) => part && describesUnique(part));
    withUnique.set(schema, known);
  }
  return known;
}

/** The indexes of values that are duplicates of earlier ones; each value is reported once. */
function repeated(values: readonly unknown[]): number[] {
  if (values.length < 2) return [];
  const seen = new Map<string, number>();
  const found: number[] = [];
  for (const [index, value] of values.entries()) {
    const key = encodeJson(sortedKeys(value)) as string | undefined;
    const times = seen.get(key ?? "") ?? 0;
    if (times === 1) found.push(index);
    seen.set(key ?? "", times + 1);
  }
  return found;
}

const setErrors = (items: readonly unknown[], path: string): FieldError[] =>
  repeated(items).map((index) => duplicate(`${path}[${index}]`, sortedKeys(items[index])));

function mapErrors(items: readonly unknown[], schema: Schema, path: string): FieldError[] {
  for (const [index, item] of items.entries()) {
    if (item !== null && !isJsonObject(item)) {
      const rule = "must be an object for an array of list-type map";
      return [invalidValue(`${path}[${index}]`, item, rule)];
    }
  }
  const keys = items.map((item) => keyOf(item, schema["x-kubernetes-list-map-keys"] ?? []));
  return repeated(keys).map((index) => duplicate(`${path}[${index}]`, keys[index]));
}

/** The keys that an item has, sorted as in the API server's messages. */
function keyOf(item: unknown, names: readonly string[]): JsonObject {
  const key: JsonObject = {};
  if (!isJsonObject(item)) return key;
  for (const name of names.length > 1 ? [...names].sort() : names) {
    const value = getField(item, name);
    if (value !== undefined) key[name] = sortedKeys(value);
  }
  return key;
}
