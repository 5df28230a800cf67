/** The schema of metadata, and the API server's errors for metadata of another shape. */
import { isJsonObject } from "../json.ts";
import type { JsonObject } from "../object.ts";
import { schemaOfField, type Schema } from "./structural.ts";

const text: Schema = { type: "string" };
const time: Schema = { type: "string", format: "date-time" };
const count: Schema = { type: "integer", format: "int64" };
const flag: Schema = { type: "boolean" };
const texts: Schema = { type: "array", items: text };
const textMap: Schema = { type: "object", additionalProperties: text };

/** `ObjectMeta` of meta/v1. */
export const metadataSchema: Schema = {
  type: "object",
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: count,
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: count,
    labels: textMap,
    annotations: textMap,
    ownerReferences: {
      type: "array",
      items: {
        type: "object",
        properties: {
          apiVersion: text,
          kind: text,
          name: text,
          uid: text,
          controller: flag,
          blockOwnerDeletion: flag,
        },
      },
    },
    finalizers: texts,
    managedFields: {
      type: "array",
      items: {
        type: "object",
        properties: {
          manager: text,
          operation: text,
          apiVersion: text,
          time,
          fieldsType: text,
          fieldsV1: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          subresource: text,
        },
      },
    },
  },
};

const GO_TYPES: Readonly<Record<string, string>> = {
  string: "string",
  integer: "int64",
  boolean: "bool",
  array: "[]string",
  object: "map[string]string",
};

const jsonTypeOf = (value: unknown): string => {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value;
};

const fits = (value: unknown, schema: Schema): boolean => {
  switch (schema.type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === schema.type;
  }
};

/**
 * The API server's error for metadata that does not decode; `undefined` when it does. Null is
 * allowed anywhere.
 */
export function typeMismatch(metadata: unknown): string | undefined {
  const open: { value: unknown; schema: Schema; name: string }[] = [
    { value: metadata, schema: metadataSchema, name: "" },
  ];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, schema, name } = next;
    if (value === null) continue;
    if (!fits(value, schema)) {
      const into =
        name === ""
          ? "Go value of type v1.ObjectMeta"
          : `Go struct field ObjectMeta.${name} of type ${GO_TYPES[schema.type ?? ""] ?? ""}`;
      return `json: cannot unmarshal ${jsonTypeOf(value)} into ${into}`;
    }
    if (schema.format === "date-time" && typeof value === "string" && !isTime(value)) {
      const layout = "2006-01-02T15:04:05Z07:00";
      return `parsing time ${JSON.stringify(value)} as "${layout}": cannot parse ${JSON.stringify(value)} as "2006"`;
    }
    for (const [field, child] of Object.entries(value as object) as [string, unknown][]) {
      const below = schema.type === "array" ? schema.items : schemaOfField(schema, field);
      if (below) open.push({ value: child, schema: below, name: name === "" ? field : name });
    }
  }
  return undefined;
}

const isTime = (value: string): boolean =>
  value === "" || /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(value);

/** Removes empty fields: null, empty texts, lists and maps. */
export function dropEmpty(metadata: JsonObject): void {
  for (const [name, value] of Object.entries(metadata)) {
    const empty =
      value === null ||
      value === "" ||
      value === 0 ||
      (typeof value === "object" && Object.keys(value).length === 0);
    if (empty && name !== "deletionGracePeriodSeconds") delete metadata[name];
  }
}
