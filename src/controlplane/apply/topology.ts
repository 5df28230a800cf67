/**
 * How ownership sees a schema: what is a leaf, what is merged field by field, and by which keys.
 *
 * Where a type is left open, the value decides: maps are then granular, lists atomic.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 * @module
 */
import { getField, isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { objectMetaSchema } from "../builtin/definitions.ts";
import { type PathElement, keyElement, valueElement } from "./path-element.ts";

/** A type as ownership walks it. */
export interface NodeType {
  readonly schema: Schema;
  /** A node above preserves unknown fields, so this one does. */
  readonly open: boolean;
}

/** How a value is walked. */
export type Form = "map" | "list" | "scalar";

/** What may be anything, merged field by field. */
const DEDUCED: NodeType = { schema: {}, open: true };
/** What may be anything, as one leaf. */
const OPAQUE: NodeType = { schema: { "x-kubernetes-map-type": "atomic" }, open: true };
const TEXT: NodeType = { schema: { type: "string" }, open: false };

const customRoots = new WeakMap<Schema, NodeType>();

/** The type of a whole object, one for each schema. The metadata of a custom resource is always the standard one. */
export function rootType({
  schema,
  builtIn,
}: {
  readonly schema: Schema;
  readonly builtIn: boolean;
}): NodeType {
  const open = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (builtIn) return { schema, open };
  let root = customRoots.get(schema);
  if (!root) {
    root = { schema: { ...schema, "x-kubernetes-embedded-resource": true }, open };
    customRoots.set(schema, root);
  }
  return root;
}

const isOpen = ({ schema, open }: NodeType): boolean =>
  open || schema["x-kubernetes-preserve-unknown-fields"] === true;

/** How the type has a value walked; null follows the type alone. */
export function formOf({ schema }: NodeType, value: unknown): Form {
  switch (schema.type) {
    case "object":
      return "map";
    case "array":
      return "list";
    case undefined:
      if (schema.format !== undefined) return "scalar";
      if (Array.isArray(value)) return "list";
      return isJsonObject(value) || value === null || value === undefined ? "map" : "scalar";
    default:
      return "scalar";
  }
}

/** Whether a map is one leaf. */
export const isAtomicMap = ({ schema }: NodeType): boolean =>
  schema["x-kubernetes-map-type"] === "atomic";

/** A map without declared fields that may hold anything: its type is not reconciled. */
export function isUntypedMap(type: NodeType): boolean {
  const { schema } = type;
  return (
    schema.properties === undefined &&
    (schema.additionalProperties === undefined || schema.additionalProperties === true)
  );
}

/** Whether the type names the field itself. */
export function declaresField({ schema }: NodeType, name: string): boolean {
  if (schema["x-kubernetes-embedded-resource"] && isObjectField(name)) return true;
  return schema.properties !== undefined && Object.hasOwn(schema.properties, name);
}

const isObjectField = (name: string): boolean =>
  name === "apiVersion" || name === "kind" || name === "metadata";

/** The type of a field or map value; `undefined` when the schema does not have it. */
export function fieldType(type: NodeType, name: string): NodeType | undefined {
  const { schema } = type;
  if (schema["x-kubernetes-embedded-resource"] && isObjectField(name)) {
    return name === "metadata" ? { schema: objectMetaSchema(), open: false } : TEXT;
  }
  const declared = schema.properties && getField(schema.properties, name);
  if (declared) return { schema: declared, open: isOpen(type) };
  const more = schema.additionalProperties;
  if (typeof more === "object") return { schema: more, open: isOpen(type) };
  if (more === false) return undefined;
  const free = more === true || isOpen(type) || isEmptyStruct(schema);
  return free ? (isAtomicMap(type) && schema.type === undefined ? OPAQUE : DEDUCED) : undefined;
}

const isEmptyStruct = ({ properties }: Schema): boolean =>
  properties === undefined || Object.keys(properties).length === 0;

/** The type of a list's items. */
export function itemType(type: NodeType): NodeType {
  return type.schema.items ? { schema: type.schema.items, open: isOpen(type) } : OPAQUE;
}

/** The keys of a list map, none for a set; `undefined` for an atomic list. */
export function listKeys({ schema }: NodeType): readonly string[] | undefined {
  switch (schema["x-kubernetes-list-type"]) {
    case "map":
      return schema["x-kubernetes-list-map-keys"] ?? [];
    case "set":
      return [];
    case "atomic":
      return undefined;
    case undefined:
      break;
  }
  const strategy = schema["x-kubernetes-patch-strategy"];
  if (strategy !== "merge" && strategy !== "merge,retainKeys") return undefined;
  const key = schema["x-kubernetes-patch-merge-key"];
  return key === undefined ? [] : [key];
}

/** The element of an item, or what is wrong with the item. */
export type ItemElement = { readonly element: PathElement } | { readonly mistake: string };

/** The element by which a list map or set (`keys` empty) knows an item. */
export function itemElement(type: NodeType, keys: readonly string[], item: unknown): ItemElement {
  if (keys.length === 0) return setElement(item);
  if (item === null) {
    return { mistake: "associative list with keys may not have a null element" };
  }
  if (!isJsonObject(item)) {
    return { mistake: "associative list with keys may not have non-map elements" };
  }
  const key = readKey(type, keys, item);
  if (Object.keys(key).length > 0) return { element: keyElement(key) };
  const names = keys.map((name) => JSON.stringify(name)).join(" ");
  return {
    mistake: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  };
}

function readKey(type: NodeType, keys: readonly string[], item: JsonObject): JsonObject {
  const key: JsonObject = {};
  for (const name of keys) {
    const value = Object.hasOwn(item, name)
      ? item[name]
      : type.schema.items?.properties?.[name]?.default;
    if (value !== undefined) key[name] = value;
  }
  return key;
}

function setElement(item: unknown): ItemElement {
  if (isJsonObject(item)) {
    return { mistake: "associative list without keys has an element that's a map type" };
  }
  if (Array.isArray(item)) {
    return { mistake: "not supported: associative list with lists as elements" };
  }
  if (item === null) {
    return { mistake: "associative list without keys has an element that's an explicit null" };
  }
  return { element: valueElement(item) };
}
