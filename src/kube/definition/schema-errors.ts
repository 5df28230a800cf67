/** Validation of the schema of a version. */
import { type FieldError, forbidden, invalidValue } from "../field-errors.ts";
import { defaultErrors } from "../rules/default-rules.ts";
import { keywordErrors, unsupportedKeyword } from "../schema/keyword-rules.ts";
import { ruleErrors } from "../rules/rule-errors.ts";
import { structuralErrors } from "../schema/structural-rules.ts";
import type { Schema } from "../schema/structural.ts";
import { goKeywords, goSchema } from "./go-form.ts";

/** The keywords allowed at the root of a schema beside a status subresource, in Go's names. */
const ROOT_KEYWORDS = [
  "Description",
  "Type",
  "Format",
  "Title",
  "Maximum",
  "ExclusiveMaximum",
  "Minimum",
  "ExclusiveMinimum",
  "MaxLength",
  "MinLength",
  "Pattern",
  "MaxItems",
  "MinItems",
  "UniqueItems",
  "MultipleOf",
  "Required",
  "Items",
  "Properties",
  "ExternalDocs",
  "Example",
  "XPreserveUnknownFields",
  "XValidations",
];

/** The facts about its version that a schema is checked with. */
export interface SchemaErrorOptions {
  /** Whether the version has the status subresource. */
  readonly hasStatus: boolean;
  /** Whether the schema is stored already. */
  readonly unchanged?: boolean;
  /** Whether its structure, keywords, defaults and rules were checked already. */
  readonly judged?: boolean;
}

/**
 * All errors of the schema of a kind.
 *
 * @param path - its path, up to and including `openAPIV3Schema`
 */
export function schemaErrors(
  schema: Schema,
  path: string,
  { hasStatus, unchanged = false, judged = false }: SchemaErrorOptions,
): FieldError[] {
  const errors = hasStatus ? rootErrors(schema, path) : [];
  if (schema.nullable) {
    errors.push(forbidden(`${path}.nullable`, "nullable cannot be true at the root"));
  }
  const unsupported = unsupportedKeyword(schema);
  if (judged) {
    return unsupported === undefined ? errors : [...errors, invalidValue(path, "", unsupported)];
  }
  const structure: FieldError[] = [];
  if (unsupported === undefined) {
    structure.push(...structuralErrors(schema, path));
    if (structure.length === 0) structure.push(...defaultErrors(schema, path));
  }
  const keywords = keywordErrors(schema, path);
  errors.push(...structure, ...keywords);
  if (unsupported === undefined && structure.length === 0) {
    errors.push(...ruleErrors(schema, path, keywords, { unchanged }));
  }
  if (errors.length === 0 && unsupported !== undefined) {
    errors.push(invalidValue(path, "", unsupported));
  }
  return errors;
}

/** The error of the first keyword at the root that is not allowed there. */
function rootErrors(schema: Schema, path: string): FieldError[] {
  for (const keyword of goKeywords(schema)) {
    if (keyword === "Type") {
      if (schema.type === "object") continue;
      const rule =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalidValue(`${path}.type`, schema.type, rule)];
    }
    if (ROOT_KEYWORDS.includes(keyword)) continue;
    const rule = `only [${ROOT_KEYWORDS.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [invalidValue(path, goSchema(schema), rule)];
  }
  return [];
}
