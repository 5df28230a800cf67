/** The named scalars of `tsop` and their schemas. */
import type { Schema } from "../../../kube/schema/structural.ts";
import type { Position, PropertyModel } from "../../model.ts";
import { leaf } from "../code/keywords.ts";

const INT_OR_STRING: Schema = {
  anyOf: [{ type: "integer" }, { type: "string" }],
  "x-kubernetes-int-or-string": true,
};

/** The pattern with which apimachinery parses quantities. */
const QUANTITY_PATTERN =
  "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

/** The scalars by their alias in `src/kube/scalars.ts`. */
export const scalars: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ["Int", { type: "integer" }],
  ["Num", { type: "number" }],
  ["Int32", { type: "integer", format: "int32" }],
  ["Int64", { type: "integer", format: "int64" }],
  ["Float", { type: "number", format: "float" }],
  ["Double", { type: "number", format: "double" }],
  ["Quantity", { ...INT_OR_STRING, pattern: QUANTITY_PATTERN }],
  ["IntOrString", INT_OR_STRING],
  ["Time", { type: "string", format: "date-time" }],
  ["MicroTime", { type: "string", format: "date-time" }],
  ["Duration", { type: "string" }],
  ["Base64", { type: "string", format: "byte" }],
]);

const text: Schema = { type: "string" };
const texts: Schema = { type: "object", additionalProperties: text };

/** Whether a built-in type is metadata: nested objects are not stored, so each of the types means the same there. */
export const isMetadata = (name: string | undefined): boolean =>
  name === "ObjectMeta" || name === "StoredMeta" || name === "CountedMeta";

/**
 * The fields of metadata inside a spec: those that a template can set. The API server would prune them all if the
 * schema did not name them.
 */
export function metadataFields(at: Position): PropertyModel[] {
  const schemas: Record<string, Schema> = {
    annotations: texts,
    finalizers: { type: "array", items: text },
    labels: texts,
    name: text,
    namespace: text,
  };
  return Object.entries(schemas).map(([name, schema]) => ({
    name,
    required: false,
    type: leaf(schema, at),
  }));
}

/** Built-in types whose schema is more, or less, than their fields. */
export const builtIns: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ["RawExtension", { type: "object", "x-kubernetes-preserve-unknown-fields": true }],
  ["JSON", { "x-kubernetes-preserve-unknown-fields": true }],
  ["FieldsV1", { type: "object", "x-kubernetes-preserve-unknown-fields": true }],
]);

/** The names of number types. */
export const NUMBER_NAMES = "Int32, Int64, Float or Double";
