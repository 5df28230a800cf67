/** A schema as it was found, brought into the one form that the rest works on. */
import type { Schema } from "../../kube/schema/structural.ts";
import { schemaKeywords } from "../schema-keywords.ts";
import { isRecord, misshapen, type Shape } from "./shape.ts";
import { tableOf } from "../../table.ts";

/** The shapes of keywords' values; a keyword that is missing here may have any value. */
const SHAPES = tableOf<Shape>({
  ...shapes("text", "type format title description pattern"),
  ...shapes("text", "x-kubernetes-list-type x-kubernetes-map-type"),
  ...shapes("number", "minimum maximum multipleOf minLength maxLength minItems maxItems"),
  ...shapes("number", "minProperties maxProperties"),
  ...shapes("boolean", "nullable uniqueItems exclusiveMinimum exclusiveMaximum"),
  ...shapes("boolean", "x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource"),
  ...shapes("boolean", "x-kubernetes-int-or-string"),
  ...shapes("object", "properties items not"),
  ...shapes("texts", "required x-kubernetes-list-map-keys"),
  ...shapes("list", "enum"),
  allOf: ["object"],
  anyOf: ["object"],
  oneOf: ["object"],
  externalDocs: { url: "text", description: "text" },
  "x-kubernetes-validations": [
    {
      rule: "text",
      message: "text",
      messageExpression: "text",
      reason: "text",
      fieldPath: "text",
      optionalOldSelf: "boolean",
    },
  ],
});

function shapes(shape: Shape, names: string): Record<string, Shape> {
  return Object.fromEntries(names.split(" ").map((name) => [name, shape]));
}

/**
 * A schema without its empty parts: null keywords, and names that are not keywords, which are
 * noted.
 *
 * @param refuse - makes the error for a value that is not a schema
 */
export function normalSchema(
  found: unknown,
  path: string,
  notes: string[],
  refuse: (what: string) => Error,
): Schema {
  if (found !== null && found !== undefined && !isRecord(found)) {
    throw refuse(`${path} must be an object`);
  }
  const schema: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(found ?? {})) {
    if (value === null && name !== "default" && name !== "example") continue;
    const shape = SHAPES.get(name);
    const problem = shape && misshapen(value, shape, `${path}.${name}`);
    if (problem !== undefined) throw refuse(problem);
    if (!schemaKeywords.has(name)) {
      notes.push(`${path}: the API server does not know the keyword ${name}; it was omitted.`);
      continue;
    }
    schema[name] = nested(name, value, path, notes, refuse);
  }
  return schema;
}

function nested(
  name: string,
  value: unknown,
  path: string,
  notes: string[],
  refuse: (what: string) => Error,
): unknown {
  switch (name) {
    case "properties":
      return Object.fromEntries(
        Object.entries(value as object).map(([field, inner]) => [
          field,
          normalSchema(inner, `${path}.${field}`, notes, refuse),
        ]),
      );
    case "items":
      return normalSchema(value, `${path}[]`, notes, refuse);
    case "additionalProperties":
      if (typeof value !== "object" && typeof value !== "boolean") {
        throw refuse(`${path}.additionalProperties must be an object`);
      }
      return typeof value === "object" ? normalSchema(value, `${path}{}`, notes, refuse) : value;
    case "not":
      return normalSchema(value, `${path}.not`, notes, refuse);
    case "allOf":
    case "anyOf":
    case "oneOf":
      return (value as unknown[]).map((inner, index) =>
        normalSchema(inner, `${path}.${name}[${index}]`, notes, refuse),
      );
    default:
      return value;
  }
}
