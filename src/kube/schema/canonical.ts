/** Schemas in the API server's stored form: without meaningless keywords. */
import { isJsonObject } from "../json.ts";
import type { JsonObject } from "../object.ts";
import { coerceEmbedded } from "./embedded.ts";
import { schemasOf } from "./keyword-rules.ts";
import type { Schema } from "./structural.ts";

/** Keywords that are dropped when they are false, empty texts, empty lists or empty maps. */
const DROPPED_WHEN_EMPTY = new Set([
  "id",
  "$schema",
  "description",
  "type",
  "nullable",
  "format",
  "title",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "pattern",
  "uniqueItems",
  "enum",
  "required",
  "allOf",
  "oneOf",
  "anyOf",
  "properties",
  "patternProperties",
  "dependencies",
  "definitions",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-validations",
]);

/** Keywords that are kept whatever their value. */
const KEPT = new Set([
  "$ref",
  "default",
  "maximum",
  "minimum",
  "maxLength",
  "minLength",
  "maxItems",
  "minItems",
  "multipleOf",
  "maxProperties",
  "minProperties",
  "items",
  "not",
  "additionalProperties",
  "additionalItems",
  "externalDocs",
  "example",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
]);

const saysNothing = (value: unknown): boolean =>
  value === false ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.keys(value).length === 0);

const isObjectOrList = (value: unknown): boolean => isJsonObject(value) || Array.isArray(value);

/** Removes, in place, the parts that the API server does not keep from a schema and those in it. */
export function canonicaliseSchema(schema: Schema): void {
  for (const node of schemasOf(schema)) {
    const keywords = node as JsonObject;
    // Items that are neither a schema nor a list of schemas are dropped.
    if (!isObjectOrList(keywords["items"])) delete keywords["items"];
    for (const keyword of Object.keys(keywords)) {
      const known = KEPT.has(keyword) || DROPPED_WHEN_EMPTY.has(keyword);
      const empty = DROPPED_WHEN_EMPTY.has(keyword) && saysNothing(keywords[keyword]);
      if (!known || empty) delete keywords[keyword];
    }
    // Checking the default of an embedded object also normalises its metadata.
    if (node.default !== undefined) coerceEmbedded(node.default, node, { self: true });
  }
}
