/**
 * The schema as ownership sees it: leaves, values merged field by field, and the keys of lists.
 *
 * Where a type is left open, the value decides: maps are then granular, lists atomic.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 */
import { getField, isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import type { ServedResource } from "../kinds.ts";
import { objectMetaSchema } from "../builtin/definitions.ts";
import { type PathElement, fieldElement, keyElement, valueElement } from "./path-element.ts";

/** The form by which a value is walked. */
export type Form = "map" | "list" | "scalar";

/** A field of a map, with its path element and its type. */
interface Field {
  readonly element: PathElement;
  readonly type: NodeType;
}

/** A type as ownership walks it: one for each schema, with the results of earlier look-ups. */
class SchemaNode {
  readonly schema: Schema;
  /** Whether the type preserves unknown fields because a node above it does. */
  readonly open: boolean;
  /** The form; absent where the value decides. */
  readonly form: Form | undefined;
  /** The fields that the schema declares, cached once they were looked up. */
  readonly fields = new Map<string, Field>();
  items: SchemaNode | undefined;
  /** The keys of the list; `null` for an atomic list. */
  keys: readonly string[] | null | undefined;

  constructor(schema: Schema, open: boolean) {
    this.schema = schema;
    this.open = open;
    this.form = fixedForm(schema);
  }
}

/** A type as ownership walks it. */
export type NodeType = SchemaNode;

function fixedForm({ type, format }: Schema): Form | undefined {
  switch (type) {
    case "object":
      return "map";
    case "array":
      return "list";
    case undefined:
      return format === undefined ? undefined : "scalar";
    default:
      return "scalar";
  }
}

/** The type of any value, merged field by field. */
const DEDUCED: NodeType = new SchemaNode({}, true);
/** The type of any value, as one leaf. */
const OPAQUE: NodeType = new SchemaNode({ "x-kubernetes-map-type": "atomic" }, true);
const TEXT: NodeType = new SchemaNode({ type: "string" }, false);

const openNodes = new WeakMap<Schema, NodeType>();
const closedNodes = new WeakMap<Schema, NodeType>();

function nodeOf(schema: Schema, open: boolean): NodeType {
  const nodes = open ? openNodes : closedNodes;
  let node = nodes.get(schema);
  if (!node) nodes.set(schema, (node = new SchemaNode(schema, open)));
  return node;
}

const customRoots = new WeakMap<Schema, NodeType>();

/**
 * The type of a whole object, one for each schema. The metadata of a custom resource always has the
 * standard schema.
 */
export function rootType({
  schema,
  builtIn,
}: Pick<ServedResource, "schema" | "builtIn">): NodeType {
  const open = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (builtIn) return nodeOf(schema, open);
  let root = customRoots.get(schema);
  if (!root) {
    root = new SchemaNode({ ...schema, "x-kubernetes-embedded-resource": true }, open);
    customRoots.set(schema, root);
  }
  return root;
}

const isOpen = ({ schema, open }: NodeType): boolean =>
  open || schema["x-kubernetes-preserve-unknown-fields"] === true;

/**
 * The form by which a value of the type is walked; for null and `undefined` the type alone decides.
 */
export function formOf({ form }: NodeType, value: unknown): Form {
  if (form !== undefined) return form;
  if (Array.isArray(value)) return "list";
  return isJsonObject(value) || value === null || value === undefined ? "map" : "scalar";
}

/** Whether a map of the type is one leaf. */
export const isAtomicMap = ({ schema }: NodeType): boolean =>
  schema["x-kubernetes-map-type"] === "atomic";

/**
 * Whether the type is a map without declared fields that may hold anything: such a type is not
 * reconciled.
 */
export const isUntypedMap = ({ schema }: NodeType): boolean =>
  schema.properties === undefined && (schema.additionalProperties ?? true) === true;

/** Whether the type declares the field itself. */
export function declaresField({ schema }: NodeType, name: string): boolean {
  if (schema["x-kubernetes-embedded-resource"] && isObjectField(name)) return true;
  return schema.properties !== undefined && Object.hasOwn(schema.properties, name);
}

const isObjectField = (name: string): boolean =>
  name === "apiVersion" || name === "kind" || name === "metadata";

/** A field or map value; `undefined` when the schema does not have it. */
export function fieldOf(type: NodeType, name: string): Field | undefined {
  const known = type.fields.get(name);
  if (known) return known;
  const declared = declaredType(type, name);
  const found = declared ?? freeType(type);
  if (!found) return undefined;
  const field = { element: fieldElement(name), type: found };
  // Only declared fields are cached: the keys of maps are unbounded.
  if (declared) type.fields.set(name, field);
  return field;
}

/** The type of a field or map value; `undefined` when the schema does not have it. */
export function fieldType(type: NodeType, name: string): NodeType | undefined {
  return (type.fields.get(name) ?? fieldOf(type, name))?.type;
}

function declaredType(type: NodeType, name: string): NodeType | undefined {
  const { schema } = type;
  if (schema["x-kubernetes-embedded-resource"] && isObjectField(name)) {
    return name === "metadata" ? nodeOf(objectMetaSchema(), false) : TEXT;
  }
  const declared = schema.properties && getField(schema.properties, name);
  return declared ? nodeOf(declared, isOpen(type)) : undefined;
}

/** The type of fields that the schema does not declare. */
function freeType(type: NodeType): NodeType | undefined {
  const { schema } = type;
  const more = schema.additionalProperties;
  if (typeof more === "object") return nodeOf(more, isOpen(type));
  if (more === false) return undefined;
  const free = more === true || isOpen(type) || isEmptyStruct(schema);
  return free ? (isAtomicMap(type) && schema.type === undefined ? OPAQUE : DEDUCED) : undefined;
}

const isEmptyStruct = ({ properties }: Schema): boolean =>
  properties === undefined || Object.keys(properties).length === 0;

/** The type of a list's items. */
export function itemType(type: NodeType): NodeType {
  const { items } = type.schema;
  return (type.items ??= items ? nodeOf(items, isOpen(type)) : OPAQUE);
}

/** The keys of a list map, an empty list for a set; `undefined` for an atomic list. */
export function listKeys(type: NodeType): readonly string[] | undefined {
  if (type.keys === undefined) type.keys = keysOf(type.schema) ?? null;
  return type.keys ?? undefined;
}

function keysOf(schema: Schema): readonly string[] | undefined {
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

/** The element of an item, or the mistake in the item. */
export type ItemElement = { readonly element: PathElement } | { readonly mistake: string };

/** The element that identifies an item of a list map or set (`keys` empty). */
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
