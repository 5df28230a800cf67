/**
 * The schema of a kind, custom or built-in, as one tree that every step of a write walks.
 *
 * It is OpenAPI v3 as a CustomResourceDefinition holds it, with Kubernetes' extensions under their
 * wire names. Built-in kinds use the same shape (their `$ref`s are resolved to the nodes
 * themselves, so the graph may have cycles: walk it along data, never by itself) plus the patch
 * extensions.
 *
 * @see
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
import type { Json } from "../object.ts";

/** A CEL rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  rule: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

export interface Schema {
  type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  format?: string;
  title?: string;
  description?: string;
  default?: Json;
  example?: Json;
  externalDocs?: { url?: string; description?: string };
  nullable?: boolean;
  enum?: Json[];

  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  minProperties?: number;
  maxProperties?: number;

  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;

  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;

  minLength?: number;
  maxLength?: number;
  pattern?: string;

  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;

  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-map-type"?: "granular" | "atomic";
  "x-kubernetes-validations"?: ValidationRule[];

  /** Built-in kinds only: the patch strategy of the field. */
  "x-kubernetes-patch-strategy"?: string;
  "x-kubernetes-patch-merge-key"?: string;
}

/**
 * The schema of the declared field `name`; `__proto__` and `constructor` are names like any other.
 */
export function propertyOf(schema: Schema, name: string): Schema | undefined {
  const { properties } = schema;
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of a map's values; `undefined` where they are not described. */
export function valuesOf(schema: Schema): Schema | undefined {
  const { additionalProperties } = schema;
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** Whether the schema describes the fields of an object. */
export function describesFields(schema: Schema): boolean {
  return schema.properties !== undefined || valuesOf(schema) !== undefined;
}

/** The schema of the field `name`, whether it is declared or the key of a map. */
export function schemaOfField(schema: Schema, name: string): Schema | undefined {
  return propertyOf(schema, name) ?? valuesOf(schema);
}
