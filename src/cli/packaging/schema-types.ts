/** The TypeScript type of what a schema of a CRD describes. */
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { jsDoc, memberName } from "../../generator/import/source-text.ts";

/** A type as source text. `indent` is that of the line that it begins on. */
function typeOfSchema(schema: unknown, indent = ""): string {
  if (!isJsonObject(schema)) return "unknown";
  const type = withoutNull(schema, indent);
  return schema["nullable"] === true ? `${type} | null` : type;
}

function withoutNull(schema: JsonObject, indent: string): string {
  const { enum: values, type, items } = schema;
  if (schema["x-kubernetes-int-or-string"] === true) return "number | string";
  if (Array.isArray(values) && values.length > 0) {
    return values.map((value) => JSON.stringify(value)).join(" | ");
  }
  if (type === "string" || type === "boolean") return type;
  if (type === "integer" || type === "number") return "number";
  if (type === "array") return listOf(typeOfSchema(items, indent));
  return type === "object" ? objectType(schema, indent) : "unknown";
}

const listOf = (item: string): string =>
  /^[\w"]+$/.test(item) || /^\{[^]*\}$/.test(item) ? `${item}[]` : `(${item})[]`;

function objectType(schema: JsonObject, indent: string): string {
  const { properties, additionalProperties } = schema;
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (isJsonObject(additionalProperties)) {
    return `Record<string, ${typeOfSchema(additionalProperties, indent)}>`;
  }
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) {
    return "Record<string, unknown>";
  }
  const fields = `{\n${fieldsOf(schema, `${indent}  `)}${indent}}`;
  return isOpen ? `(${fields} & Record<string, unknown>)` : fields;
}

/** The fields of an object, a line each. What has a default is always there when it is read. */
export function fieldsOf({ properties, required }: JsonObject, indent: string): string {
  if (!isJsonObject(properties)) return "";
  return Object.entries(properties)
    .map(([name, field]) => {
      const { description, default: preset } = isJsonObject(field) ? field : {};
      const isThere = preset !== undefined || (Array.isArray(required) && required.includes(name));
      const text = typeof description === "string" ? jsDoc(description, indent) : undefined;
      const type = typeOfSchema(field, indent);
      return `${text ?? ""}${indent}${memberName(name)}${isThere ? "" : "?"}: ${type};\n`;
    })
    .join("");
}
