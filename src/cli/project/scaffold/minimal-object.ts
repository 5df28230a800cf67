/** The smallest object that a schema takes, as far as the schema says it. */
import type { Schema } from "../../../kube/schema/structural.ts";
import { tableOf } from "../../../table.ts";

const FORMATS = tableOf<string>({
  date: "2026-01-01",
  "date-time": "2026-01-01T00:00:00Z",
  duration: "30s",
  ipv4: "192.0.2.1",
  uri: "https://example.com",
  uuid: "00000000-0000-4000-8000-000000000000",
});

/** The choice of the fields that an object has. */
export interface ObjectOptions {
  /** Also fields that the API server would fill in, which classes have with an initialiser. */
  readonly withDefaults?: boolean;
}

/** A value with what is required, and no more; patterns and rules may ask for another. */
export function minimalValue(schema: Schema, options: ObjectOptions = {}): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum?.[0] !== undefined) return schema.enum[0];
  if (schema["x-kubernetes-int-or-string"]) return 1;
  switch (schema.type) {
    case "string":
      return minimalText(schema);
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 1, Math.min(1, schema.maximum ?? 1));
    case "boolean":
      return true;
    case "array": {
      const { items, minItems = 0 } = schema;
      return Array.from({ length: minItems }, () => (items ? minimalValue(items, options) : {}));
    }
    default:
      return minimalFields(schema, options);
  }
}

function minimalText({ format, minLength = 0 }: Schema): string {
  return (FORMATS.get(format ?? "") ?? "example").padEnd(minLength, "x");
}

function minimalFields(
  { properties = {}, required = [] }: Schema,
  options: ObjectOptions,
): Record<string, unknown> {
  const isWanted = (name: string, field: Schema): boolean =>
    required.includes(name) || (options.withDefaults === true && field.default !== undefined);
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name, field]) => isWanted(name, field))
      .map(([name, field]) => [name, minimalValue(field, options)]),
  );
}

/** The fields of a minimal object beside its metadata: the spec always, since clients write it. */
export function minimalObject(
  { properties = {}, required = [] }: Schema,
  options: ObjectOptions = {},
): object {
  const names = Object.keys(properties).filter(
    (name) =>
      (name === "spec" && properties[name] !== undefined) ||
      (required.includes(name) && !STANDARD.has(name)),
  );
  return Object.fromEntries(
    names.map((name) => [name, minimalFields(properties[name] ?? {}, options)]),
  );
}

const STANDARD = new Set(["apiVersion", "kind", "metadata", "status"]);
