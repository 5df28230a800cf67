/**
 * The smallest object that a schema takes, as far as the schema says it.
 *
 * @module
 */
import type { Schema } from "../../kube/schema/structural.ts";

const FORMATS: Readonly<Record<string, string>> = {
  date: "2026-01-01",
  "date-time": "2026-01-01T00:00:00Z",
  duration: "30s",
  ipv4: "192.0.2.1",
  uri: "https://example.com",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** A value with what is required, and no more; patterns and rules may ask for another. */
function minimalValue(schema: Schema): unknown {
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
      return Array.from({ length: minItems }, () => (items ? minimalValue(items) : {}));
    }
    default:
      return minimalFields(schema);
  }
}

function minimalText({ format, minLength = 0 }: Schema): string {
  return (FORMATS[format ?? ""] ?? "example").padEnd(minLength, "x");
}

function minimalFields({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  const fields = required.flatMap((name): [string, unknown][] => {
    const field = properties[name];
    return field ? [[name, minimalValue(field)]] : [];
  });
  return Object.fromEntries(fields);
}

/** The fields of a minimal object beside its metadata: the spec always, since clients write it. */
export function minimalObject({ properties = {}, required = [] }: Schema): object {
  const names = Object.keys(properties).filter(
    (name) => name === "spec" || (required.includes(name) && !STANDARD.has(name)),
  );
  return Object.fromEntries(names.map((name) => [name, minimalFields(properties[name] ?? {})]));
}

const STANDARD = new Set(["apiVersion", "kind", "metadata", "status"]);
