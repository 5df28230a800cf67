/**
 * A schema as it was found, brought into the one form that the rest works on.
 *
 * @module
 */
import type { Schema } from "../../kube/schema/structural.ts";
import { schemaKeywords } from "../schema-keywords.ts";

/** A schema without what says nothing: null keywords, and names that are no keywords, which are noted. */
export function normalSchema(found: unknown, path: string, notes: string[]): Schema {
  const schema: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(found ?? {})) {
    if (value === null && name !== "default" && name !== "example") continue;
    if (!schemaKeywords.has(name)) {
      notes.push(`${path}: the API server knows no keyword ${name}; it was left out.`);
      continue;
    }
    schema[name] = nested(name, value, path, notes);
  }
  return schema;
}

function nested(name: string, value: unknown, path: string, notes: string[]): unknown {
  switch (name) {
    case "properties":
      return Object.fromEntries(
        Object.entries(value as object).map(([field, inner]) => [
          field,
          normalSchema(inner, `${path}.${field}`, notes),
        ]),
      );
    case "items":
      return normalSchema(value, `${path}[]`, notes);
    case "additionalProperties":
      return typeof value === "object" ? normalSchema(value, `${path}{}`, notes) : value;
    case "not":
      return normalSchema(value, `${path}.not`, notes);
    case "allOf":
    case "anyOf":
    case "oneOf":
      return (value as unknown[]).map((inner, index) =>
        normalSchema(inner, `${path}.${name}[${index}]`, notes),
      );
    default:
      return value;
  }
}
