/**
 * Versions and schemas in the form of Go's internal structures, which some messages quote as a
 * whole.
 */
import { sortedKeys } from "../schema/sorted-keys.ts";
import type { JsonObject } from "../object.ts";
import type { Schema } from "../schema/structural.ts";
import type { DefinitionVersion } from "./definition.ts";

type Print = (value: unknown) => unknown;

const orNull: Print = (value) => value ?? null;
const orEmpty: Print = (value) => value ?? "";
const orFalse: Print = (value) => value ?? false;
const anyJson: Print = (value) => (value === undefined ? null : sortedKeys(value));
const schemaOrNull: Print = (value) =>
  value === undefined || value === null ? null : goSchema(value);
const schemas: Print = (value) =>
  Array.isArray(value) && value.length > 0 ? value.map(schemaOrNull) : null;
const schemaMap: Print = (value) => {
  const entries = Object.entries((value ?? {}) as Record<string, Schema>);
  if (entries.length === 0) return null;
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, schema]) => [name, goSchema(schema)]));
};
const schemaOrBool: Print = (value) => {
  if (value === undefined || value === null) return null;
  const isSchema = typeof value === "object";
  return { Allows: isSchema || value, Schema: isSchema ? goSchema(value) : null };
};
const schemaOrList: Print = (value) =>
  value === undefined || value === null
    ? null
    : {
        Schema: Array.isArray(value) ? null : goSchema(value),
        JSONSchemas: Array.isArray(value) ? value.map(schemaOrNull) : null,
      };
const docs: Print = (value) => {
  if (value === undefined || value === null) return null;
  const { description = "", url = "" } = value as { description?: string; url?: string };
  return { Description: description, URL: url };
};
const rules: Print = (value) =>
  Array.isArray(value)
    ? (value as JsonObject[]).map((rule) => ({
        Rule: rule["rule"] ?? "",
        Message: rule["message"] ?? "",
        MessageExpression: rule["messageExpression"] ?? "",
        Reason: rule["reason"] ?? null,
        FieldPath: rule["fieldPath"] ?? "",
        OptionalOldSelf: rule["optionalOldSelf"] ?? null,
      }))
    : null;

/**
 * The fields of schemas: Go's name, the keyword, and its printer; in the order of Go's structure.
 */
const SCHEMA_FIELDS: readonly (readonly [string, string, Print])[] = [
  ["ID", "id", orEmpty],
  ["Schema", "$schema", orEmpty],
  ["Ref", "$ref", orNull],
  ["Description", "description", orEmpty],
  ["Type", "type", orEmpty],
  ["Nullable", "nullable", orFalse],
  ["Format", "format", orEmpty],
  ["Title", "title", orEmpty],
  ["Default", "default", anyJson],
  ["Maximum", "maximum", orNull],
  ["ExclusiveMaximum", "exclusiveMaximum", orFalse],
  ["Minimum", "minimum", orNull],
  ["ExclusiveMinimum", "exclusiveMinimum", orFalse],
  ["MaxLength", "maxLength", orNull],
  ["MinLength", "minLength", orNull],
  ["Pattern", "pattern", orEmpty],
  ["MaxItems", "maxItems", orNull],
  ["MinItems", "minItems", orNull],
  ["UniqueItems", "uniqueItems", orFalse],
  ["MultipleOf", "multipleOf", orNull],
  ["Enum", "enum", anyJson],
  ["MaxProperties", "maxProperties", orNull],
  ["MinProperties", "minProperties", orNull],
  ["Required", "required", orNull],
  ["Items", "items", schemaOrList],
  ["AllOf", "allOf", schemas],
  ["OneOf", "oneOf", schemas],
  ["AnyOf", "anyOf", schemas],
  ["Not", "not", schemaOrNull],
  ["Properties", "properties", schemaMap],
  ["AdditionalProperties", "additionalProperties", schemaOrBool],
  ["PatternProperties", "patternProperties", schemaMap],
  ["Dependencies", "dependencies", anyJson],
  ["AdditionalItems", "additionalItems", schemaOrBool],
  ["Definitions", "definitions", schemaMap],
  ["ExternalDocs", "externalDocs", docs],
  ["Example", "example", anyJson],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", orNull],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", orFalse],
  ["XIntOrString", "x-kubernetes-int-or-string", orFalse],
  ["XListMapKeys", "x-kubernetes-list-map-keys", orNull],
  ["XListType", "x-kubernetes-list-type", orNull],
  ["XMapType", "x-kubernetes-map-type", orNull],
  ["XValidations", "x-kubernetes-validations", rules],
];

/** Go's names of the keywords that a schema has, in the order of Go's structure. */
export function goKeywords(schema: Schema): string[] {
  const raw = schema as JsonObject;
  return SCHEMA_FIELDS.filter(([, keyword]) => {
    const value = raw[keyword];
    const empty =
      value === undefined || value === null || value === "" || value === false || value === 0;
    return !empty || (value === false && keyword === "x-kubernetes-preserve-unknown-fields");
  }).map(([name]) => name);
}

/** A schema as Go prints it. */
export function goSchema(schema: Schema): JsonObject {
  const raw = schema as JsonObject;
  return Object.fromEntries(
    SCHEMA_FIELDS.map(([name, keyword, print]) => [name, print(raw[keyword])]),
  );
}

/** The versions of a definition as Go prints them; `null` for none. */
export function goVersions(versions: readonly DefinitionVersion[] | null): unknown {
  return versions === null
    ? null
    : versions.map((version) => ({
        Name: version.name,
        Served: version.served ?? false,
        Storage: version.storage ?? false,
        Deprecated: version.deprecated ?? false,
        DeprecationWarning: version.deprecationWarning ?? null,
        Schema: version.schema
          ? { OpenAPIV3Schema: schemaOrNull(version.schema.openAPIV3Schema) }
          : null,
        Subresources: version.subresources
          ? {
              Status: version.subresources.status ?? null,
              Scale: version.subresources.scale
                ? {
                    SpecReplicasPath: version.subresources.scale.specReplicasPath ?? "",
                    StatusReplicasPath: version.subresources.scale.statusReplicasPath ?? "",
                    LabelSelectorPath: version.subresources.scale.labelSelectorPath ?? null,
                  }
                : null,
            }
          : null,
        AdditionalPrinterColumns:
          version.additionalPrinterColumns?.map((column) => ({
            Name: column.name ?? "",
            Type: column.type ?? "",
            Format: column.format ?? "",
            Description: column.description ?? "",
            Priority: column.priority ?? 0,
            JSONPath: column.jsonPath ?? "",
          })) ?? null,
        SelectableFields:
          version.selectableFields?.map((selectable) => ({
            JSONPath: selectable.jsonPath ?? "",
          })) ?? null,
      }));
}
