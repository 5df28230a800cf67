/**
 * Checks a value against a schema, in the words and the order of the API server.
 *
 * Structure and values only: uniqueness of lists is in `lists.ts`, embedded objects in
 * `embedded.ts`; rules in CEL run after all of them, when no error blocks them.
 *
 * @see https://pkg.go.dev/k8s.io/kube-openapi/pkg/validation/validate
 */
import { type FieldError, formatValue } from "../field-errors.ts";
import { isInt64, isNumeric } from "../text/go-number.ts";
import { isJsonObject, sameJson } from "../json.ts";
import type { JsonObject } from "../object.ts";
import type { Correlation } from "./correlation.ts";
import { checkNumber, isWholeFloat } from "./numbers.ts";
import {
  breaks,
  breaksWhole,
  longerThan,
  missing,
  moreThan,
  notInEnum,
  Outcome,
  wrongType,
} from "./outcome.ts";
import { PreparedSchema } from "./prepared.ts";
import { propertyOf, type Schema } from "./structural.ts";

interface ValidateOptions {
  /** The path of the value in its object: the start of every error's path. */
  readonly base?: string;
  /** On an update: unchanged values cause no errors. */
  readonly correlation?: Correlation | undefined;
}

/** The type of JSON Schema that the API server sees in a value. */
function typeOfValue(value: unknown): string {
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "string":
      return "string";
    case "number":
    case "bigint":
      return isInt64(value) ? "integer" : "number";
    default:
      return "object";
  }
}

const NO_NAMES: readonly string[] = [];

const childPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/** Whether a value equals one of an enum; numbers are compared in the type of the enum's. */
function isEnumValue(value: unknown, one: unknown): boolean {
  if (typeof value === "number" && typeof one === "number") {
    return (isInt64(one) ? Math.trunc(value) : value) === one;
  }
  return value !== null && one !== null && sameJson(value, one);
}

/** A schema ready to check values. */
export class SchemaValidator {
  readonly #root: PreparedSchema;

  /**
   * @param options.intOrString - `false`: ints-or-strings may be anything, as they may in defaults
   */
  constructor(schema: Schema, options: { readonly intOrString?: boolean } = {}) {
    this.#root = new PreparedSchema(schema, options.intOrString ?? true);
  }

  /** All errors of the value. */
  validate(value: unknown, options: ValidateOptions = {}): FieldError[] {
    const { base, correlation } = options;
    const outcome = new Outcome();
    ratchet(this.#root, value, "", correlation, outcome);
    return outcome.valid ? [] : outcome.errors(base);
  }
}

/** Runs `check`, and drops the failures of a value that did not change. */
function ratchet(
  node: PreparedSchema,
  value: unknown,
  path: string,
  correlation: Correlation | undefined,
  outcome: Outcome,
): void {
  const before = outcome.count;
  check(node, value, path, correlation, outcome);
  if (correlation && outcome.count > before && correlation.unchanged()) outcome.keep(before);
}

function check(
  node: PreparedSchema,
  value: unknown,
  path: string,
  correlation: Correlation | undefined,
  outcome: Outcome,
): void {
  const { schema, types, format, onlyType } = node;
  if (value === null || value === undefined) {
    if (types.length > 0 && !schema.nullable) {
      outcome.add(wrongType(path, types.join(","), "null"));
    } else outcome.matches++;
    checkEnum(schema, null, path, outcome);
    return;
  }
  if (types.length > 0 || format !== "") {
    checkType(types, format, value, path, outcome);
    outcome.matches++;
  }
  if (node.hasBranches) checkBranches(node, value, path, correlation, outcome);
  outcome.matches += 2;
  if (typeof value === "string") {
    checkString(node, value, path, outcome);
    outcome.matches++;
    if (node.isFormat) {
      if (!node.isFormat(value)) outcome.add(wrongType(path, format, value));
      outcome.matches++;
    }
  } else if (isNumeric(value)) {
    const numeric = onlyType === "integer" || onlyType === "number" ? onlyType : "";
    checkNumber(schema, value, path, { type: numeric, format: numeric && format }, outcome);
    outcome.matches++;
  } else if (Array.isArray(value)) {
    checkList(node, value, path, correlation, outcome);
    outcome.matches++;
  }
  checkEnum(schema, value, path, outcome);
  outcome.matches++;
  if (isJsonObject(value)) {
    checkObject(node, value, path, correlation, outcome);
    outcome.matches++;
  }
  outcome.matches++;
}

function checkEnum(schema: Schema, value: unknown, path: string, outcome: Outcome): void {
  const { enum: allowed } = schema;
  if (!allowed || allowed.length === 0) return;
  if (!allowed.some((one) => isEnumValue(value, one))) {
    outcome.add(notInEnum(path, value, allowed));
  }
}

/** Checks a string; only the first failure counts. Lengths count code points. */
function checkString(node: PreparedSchema, value: string, path: string, outcome: Outcome): void {
  const { maxLength, minLength } = node.schema;
  const { pattern } = node;
  const limited = maxLength !== undefined || minLength !== undefined;
  const length = limited ? countCodePoints(value) : 0;
  if (maxLength !== undefined && length > maxLength) {
    outcome.add(longerThan(path, maxLength));
  } else if (minLength !== undefined && length < minLength) {
    const text = `${path} in body should be at least ${minLength} chars long`;
    outcome.add(breaks(path, value, text));
  } else if (pattern && !pattern.isIn(value)) {
    const { source, mistake } = pattern;
    const invalid = mistake === undefined ? "'" : `, but pattern is invalid: ${mistake}'`;
    outcome.add(breaks(path, value, `${path} in body should match '${source}${invalid}`));
  }
}

function checkList(
  node: PreparedSchema,
  value: readonly unknown[],
  path: string,
  correlation: Correlation | undefined,
  outcome: Outcome,
): void {
  const { items } = node;
  const { minItems, maxItems } = node.schema;
  if (items) {
    for (let index = 0; index < value.length; index++) {
      ratchet(items, value[index], `${path}[${index}]`, correlation?.item(index), outcome);
    }
  }
  if (minItems !== undefined && value.length < minItems) {
    const text = `${path} in body should have at least ${minItems} items`;
    outcome.add(breaks(path, value.length, text));
  }
  if (maxItems !== undefined && value.length > maxItems) {
    outcome.add(moreThan(path, value.length, maxItems, "items"));
  }
  outcome.matches++;
}

function checkObject(
  node: PreparedSchema,
  value: JsonObject,
  path: string,
  correlation: Correlation | undefined,
  outcome: Outcome,
): void {
  const { schema } = node;
  if (schema.minProperties !== undefined || schema.maxProperties !== undefined) {
    checkSize(schema, Object.keys(value).length, path, outcome);
  }
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined && additionalProperties !== true) {
    for (const name of Object.keys(value)) {
      if (propertyOf(schema, name)) continue;
      if (!node.values) {
        const text = `${path}.${name} in body is a forbidden property`;
        outcome.add(breaks(path, name, text));
      } else {
        const below = correlatedField(path, name, correlation);
        ratchet(node.values, value[name], `${path}.${name}`, below, outcome);
      }
    }
  }
  for (const { name, node: field } of node.fields) {
    if (!Object.hasOwn(value, name)) continue;
    const below = correlatedField(path, name, correlation);
    ratchet(field, value[name], childPath(path, name), below, outcome);
  }
  for (const name of schema.required ?? NO_NAMES) {
    if (!Object.hasOwn(value, name)) outcome.add(missing(`${path}.${name}`));
  }
}

function checkSize(schema: Schema, count: number, path: string, outcome: Outcome): void {
  const { minProperties, maxProperties } = schema;
  if (minProperties !== undefined && count < minProperties) {
    const text = `${path} in body should have at least ${minProperties} properties`;
    outcome.add(breaks(path, count, text));
  }
  if (maxProperties !== undefined && count > maxProperties) {
    outcome.add(moreThan(path, count, maxProperties, "properties"));
  }
}

/**
 * The old value of a field whose errors may stay; those of kind and version of an object may not.
 */
function correlatedField(
  parent: string,
  name: string,
  correlation: Correlation | undefined,
): Correlation | undefined {
  const isTypeMeta = parent === "" && (name === "kind" || name === "apiVersion");
  return isTypeMeta ? undefined : correlation?.field(name);
}

/**
 * Checks anyOf, oneOf, allOf and not; the failures of the best matching branch are reported as
 * well.
 */
function checkBranches(
  node: PreparedSchema,
  value: unknown,
  path: string,
  correlation: Correlation | undefined,
  outcome: Outcome,
): void {
  const { anyOf, oneOf, allOf, not } = node.schema;
  const resultOf = (branch: Schema): Outcome => {
    const result = new Outcome();
    check(node.branch(branch), value, path, correlation, result);
    return result;
  };
  const name = formatValue(path);
  if (anyOf && anyOf.length > 0) {
    let best: Outcome | undefined;
    for (const branch of anyOf) {
      const result = resultOf(branch);
      if (result.valid || !best || result.matches > best.matches) best = result;
      if (result.valid) break;
    }
    if (best && !best.valid) {
      outcome.add(breaksWhole(`${name} must validate at least one schema (anyOf)`));
    }
    if (best) outcome.merge(best);
  }
  if (oneOf && oneOf.length > 0) {
    let best: Outcome | undefined;
    let fits = 0;
    for (const branch of oneOf) {
      const result = resultOf(branch);
      if (result.valid && fits++ === 0) best = result;
      else if (fits === 0 && (!best || result.matches > best.matches)) best = result;
    }
    if (fits !== 1) {
      const found = fits === 0 ? "Found none valid" : `Found ${fits} valid alternatives`;
      const text = `${name} must validate one and only one schema (oneOf). ${found}`;
      outcome.add(breaksWhole(text));
    }
    if (best && fits <= 1) outcome.merge(best);
  }
  if (allOf && allOf.length > 0) {
    let fits = 0;
    for (const branch of allOf) {
      const result = resultOf(branch);
      if (result.valid) fits++;
      outcome.merge(result);
    }
    if (fits !== allOf.length) {
      const none = fits === 0 ? ". None validated" : "";
      outcome.add(breaksWhole(`${name} must validate all the schemas (allOf)${none}`));
    }
  }
  if (not && resultOf(not).valid) {
    outcome.add(breaksWhole(`${name} must not validate the schema (not)`));
  }
}

function checkType(
  types: readonly string[],
  format: string,
  value: unknown,
  path: string,
  outcome: Outcome,
): void {
  const seen = typeOfValue(value);
  const numeric = types.includes("number") || types.includes("integer");
  const fits =
    types.includes(seen) ||
    (seen === "number" && types.includes("integer") && isWholeFloat(Number(value))) ||
    (seen === "integer" && types.includes("number"));
  const textual = seen === "string" || seen === "array";
  const seenFormat = seen === "integer" ? "int64" : seen === "number" ? "float64" : "";
  if (!textual && format !== "" && !fits && seenFormat !== format) {
    outcome.add(wrongType(path, format, seenFormat));
  } else if (!(textual && format !== "" && !numeric) && !fits) {
    outcome.add(wrongType(path, types.join(","), seen));
  } else outcome.matches++;
}

function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const code = text.charCodeAt(index);
    const next = text.charCodeAt(index + 1);
    if (code >= 0xd800 && code < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
      count--;
      index++;
    }
  }
  return count;
}
