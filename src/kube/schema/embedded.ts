/**
 * Objects inside of objects (`x-kubernetes-embedded-resource`): they have a type and proper
 * metadata.
 *
 * @see
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension
 */
import { type FieldError, invalidValue, required } from "../field-errors.ts";
import { getField, isJsonObject } from "../json.ts";
import { validateObjectMeta } from "../metadata.ts";
import { dns1035LabelErrors, pathSegmentErrors } from "../names.ts";
import type { JsonObject, ObjectMeta } from "../object.ts";
import { dropEmpty, metadataSchema, typeMismatch } from "./object-meta.ts";
import { prune } from "./prune.ts";
import { sortedKeys } from "./sorted-keys.ts";
import { propertyOf, type Schema, valuesOf } from "./structural.ts";

interface Embedded {
  readonly object: JsonObject;
  readonly path: string;
}

/** The value to search, and the start of its path. */
interface EmbeddedOptions {
  /** The path of the value itself. */
  readonly path?: string;
  /**
   * Whether the value itself is an embedded object when its schema says so; the object of a request
   * is not.
   */
  readonly self?: boolean;
}

const child = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

const withEmbedded = new WeakMap<Schema, boolean>();

/** Whether a schema describes an embedded object anywhere below itself. */
function describesEmbedded(schema: Schema): boolean {
  let known = withEmbedded.get(schema);
  if (known === undefined) {
    const parts = [...Object.values(schema.properties ?? {}), schema.items, valuesOf(schema)];
    known = parts.some(
      (part) => part && (part["x-kubernetes-embedded-resource"] || describesEmbedded(part)),
    );
    withEmbedded.set(schema, known);
  }
  return known;
}

/** Every embedded object in `value`. */
function* embeddedObjects(
  value: unknown,
  schema: Schema,
  { path = "", self = false }: EmbeddedOptions,
): Generator<Embedded> {
  const top = self ? schema : { ...schema, "x-kubernetes-embedded-resource": false };
  const open: { value: unknown; schema: Schema | undefined; path: string }[] = [
    { value, schema: top, path },
  ];
  for (let next = open.pop(); next; next = open.pop()) {
    const { schema: node, path: at } = next;
    if (!node) continue;
    if (Array.isArray(next.value)) {
      for (const [index, item] of (next.value as unknown[]).entries()) {
        open.push({ value: item, schema: node.items, path: `${at}[${index}]` });
      }
    } else if (isJsonObject(next.value)) {
      if (node["x-kubernetes-embedded-resource"]) yield { object: next.value, path: at };
      for (const [name, field] of Object.entries(next.value)) {
        if (typeof field !== "object" || field === null) continue;
        const property = propertyOf(node, name);
        if (property) open.push({ value: field, schema: property, path: child(at, name) });
        else open.push({ value: field, schema: valuesOf(node), path: `${at}[${name}]` });
      }
    }
  }
}

/**
 * Normalises the metadata of embedded objects, in place: removes unknown and empty fields.
 *
 * @returns the paths of the unknown fields; or the first value with the wrong type
 */
export function coerceEmbedded(
  value: unknown,
  schema: Schema,
  options: EmbeddedOptions = {},
): { readonly unknown: string[]; readonly error?: FieldError } {
  const unknown: string[] = [];
  if (!options.self && !describesEmbedded(schema)) return { unknown };
  for (const { object, path } of embeddedObjects(value, schema, options)) {
    for (const name of ["apiVersion", "kind"]) {
      const part = getField(object, name);
      if (part !== undefined && typeof part !== "string") {
        return { unknown, error: invalidValue(child(path, name), part, "must be a string") };
      }
    }
    const metadata = getField(object, "metadata");
    if (metadata === undefined) continue;
    const at = child(path, "metadata");
    const mismatch = typeMismatch(metadata);
    if (mismatch !== undefined) {
      return { unknown, error: invalidValue(at, sortedKeys(metadata), mismatch) };
    }
    unknown.push(...prune(metadata, metadataSchema).map((field) => `${at}.${field}`));
    if (isJsonObject(metadata)) dropEmpty(metadata);
    else object["metadata"] = {};
  }
  return { unknown: unknown.sort() };
}

/** All errors of embedded objects: of their apiVersion, kind and metadata. */
export function embeddedErrors(
  value: unknown,
  schema: Schema,
  options: EmbeddedOptions = {},
): FieldError[] {
  const errors: FieldError[] = [];
  if (!options.self && !describesEmbedded(schema)) return errors;
  for (const { object, path } of embeddedObjects(value, schema, options)) {
    errors.push(...typeErrors(object, path));
    const metadata = getField(object, "metadata");
    if (metadata === undefined) continue;
    const at = child(path, "metadata");
    const mismatch = typeMismatch(metadata);
    if (mismatch !== undefined) {
      errors.push(invalidValue(at, sortedKeys(metadata), mismatch));
      continue;
    }
    const meta = { ...(metadata as (ObjectMeta & JsonObject) | null) };
    dropEmpty(meta);
    // An embedded object may lack a name; a new object of the API may not.
    meta.name ||= "unnamed";
    const namespaced = (meta.namespace ?? "") !== "";
    errors.push(...validateObjectMeta(meta, namespaced, pathSegmentErrors, { path: at }));
  }
  return errors;
}

function typeErrors(object: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["apiVersion", "kind"]) {
    const value = getField(object, name);
    const at = child(path, name);
    if (value === undefined) errors.push(required(at));
    else if (typeof value !== "string") errors.push(invalidValue(at, value, "must be a string"));
    else if (value === "") errors.push(invalidValue(at, value, "must not be empty"));
    else if (name === "apiVersion" && value.split("/").length > 2) {
      const text = `unexpected GroupVersion string: ${value}`;
      errors.push(invalidValue(at, value, text));
    } else if (name === "kind") {
      const found = dns1035LabelErrors(value.toLowerCase());
      if (found.length === 0) continue;
      const text = `may have mixed case, but should otherwise match: ${found.join(",")}`;
      errors.push(invalidValue(at, value, text));
    }
  }
  return errors;
}
