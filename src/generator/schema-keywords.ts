/** The keywords of a CRD's schema, as data. */
import type { Schema } from "../kube/schema/structural.ts";

/** The types that a keyword makes sense on. */
export type KeywordTarget = "number" | "string" | "array" | "object" | "any";

type CrdKeyword = Exclude<keyof Schema, `x-kubernetes-patch-${string}`>;

const TARGETS: Readonly<Record<CrdKeyword, KeywordTarget>> = {
  type: "any",
  format: "any",
  title: "any",
  description: "any",
  default: "any",
  example: "any",
  externalDocs: "any",
  nullable: "any",
  enum: "any",
  properties: "object",
  additionalProperties: "object",
  required: "object",
  minProperties: "object",
  maxProperties: "object",
  items: "array",
  minItems: "array",
  maxItems: "array",
  uniqueItems: "array",
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
  minLength: "string",
  maxLength: "string",
  pattern: "string",
  allOf: "any",
  anyOf: "any",
  oneOf: "any",
  not: "any",
  "x-kubernetes-preserve-unknown-fields": "any",
  "x-kubernetes-embedded-resource": "object",
  "x-kubernetes-int-or-string": "any",
  "x-kubernetes-list-type": "array",
  "x-kubernetes-list-map-keys": "array",
  "x-kubernetes-map-type": "object",
  "x-kubernetes-validations": "any",
};

/** All keywords that a schema may have, and the types that each makes sense on. */
export const schemaKeywords: ReadonlyMap<string, KeywordTarget> = new Map(Object.entries(TARGETS));

/** A schema without some of its keywords. */
export function without(schema: Schema, ...keywords: (keyof Schema)[]): Schema {
  const rest = { ...schema };
  for (const keyword of keywords) delete rest[keyword];
  return rest;
}
