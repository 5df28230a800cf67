/**
 * Fills in defaults, and drops the nulls that stand for "not set". Frozen parts were processed
 * before, and are skipped.
 *
 * @see
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting-and-nullable
 */
import { copyJson, isJsonObject, setField } from "../json.ts";
import { describesFields, schemaOfField, type Schema, valuesOf } from "./structural.ts";

interface Visit {
  readonly value: unknown;
  readonly schema: Schema;
}

const isOpen = (value: unknown): boolean => typeof value === "object" && !Object.isFrozen(value);

const hasDefault = (schema: Schema): boolean =>
  schema.default !== undefined && schema.default !== null;

/**
 * Removes, in place, the fields that are null although neither `nullable` nor a default allows for
 * it. Nulls in lists stay, for validation to find.
 */
export function dropNulls(value: unknown, schema: Schema): void {
  const open: Visit[] = [{ value, schema }];
  for (let visit = open.pop(); visit; visit = open.pop()) {
    const { value: data, schema: node } = visit;
    if (Array.isArray(data)) {
      if (node.items) for (const item of data) open.push({ value: item, schema: node.items });
    } else if (isJsonObject(data) && describesFields(node)) {
      for (const name of Object.keys(data)) {
        const child = data[name];
        if (typeof child !== "object") continue;
        const known = schemaOfField(node, name);
        if (!known) continue;
        if (child === null) {
          if (!known.nullable && !hasDefault(known)) delete data[name];
        } else if (!Object.isFrozen(child)) open.push({ value: child, schema: known });
      }
    }
  }
}

/**
 * Sets, in place, the default of every field that is missing, or null without being nullable; also
 * inside of defaults.
 */
export function setDefaults(value: unknown, schema: Schema): void {
  if (!describesDefaults(schema)) return;
  const open: Visit[] = [{ value, schema }];
  for (let visit = open.pop(); visit; visit = open.pop()) {
    const { value: data, schema: node } = visit;
    if (Array.isArray(data)) {
      if (!node.items || !describesDefaults(node.items)) continue;
      for (const [index, item] of data.entries()) {
        if (item === null && !node.items.nullable && hasDefault(node.items)) {
          data[index] = copyJson(node.items.default);
        }
        open.push({ value: data[index] as unknown, schema: node.items });
      }
    } else if (isJsonObject(data) && describesFields(node)) {
      for (const [name, property] of defaultsOf(node)) {
        const present = Object.hasOwn(data, name);
        if (!present || (data[name] === null && !property.nullable)) {
          setField(data, name, copyJson<unknown>(property.default));
        }
      }
      for (const name of Object.keys(data)) {
        if (typeof data[name] !== "object") continue;
        const known = schemaOfField(node, name);
        if (!known || !describesDefaults(known)) continue;
        if (data[name] === null && !known.nullable && hasDefault(known)) {
          setField(data, name, copyJson<unknown>(known.default));
        }
        if (isOpen(data[name])) open.push({ value: data[name], schema: known });
      }
    }
  }
}

const fieldsWithDefaults = new WeakMap<Schema, readonly (readonly [string, Schema])[]>();

/** The declared fields that have a default. */
function defaultsOf(schema: Schema): readonly (readonly [string, Schema])[] {
  let known = fieldsWithDefaults.get(schema);
  if (!known) {
    known = Object.entries(schema.properties ?? {}).filter(([, one]) => hasDefault(one));
    fieldsWithDefaults.set(schema, known);
  }
  return known;
}

const withDefaults = new WeakMap<Schema, boolean>();

/** Whether a schema has a default, at its root or below. */
function describesDefaults(schema: Schema): boolean {
  let known = withDefaults.get(schema);
  if (known === undefined) {
    const parts = [...Object.values(schema.properties ?? {}), schema.items, valuesOf(schema)];
    known = hasDefault(schema) || parts.some((part) => part && describesDefaults(part));
    withDefaults.set(schema, known);
  }
  return known;
}
