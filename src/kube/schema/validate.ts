/**
 * Checks a value against a schema, in the words and the order of the API server.
 *
 * Structure and values only: uniqueness of lists is in `lists.ts`, embedded objects in `embedded.ts`;
 * rules in CEL run after all of them, when nothing blocking was found.
 *
 * @see https://pkg.go.dev/k8s.io/kube-openapi/pkg/validation/validate
 * @module
 */
import { RE2JS } from "re2js";
import { messageOf } from "../../errors.ts";
import { type FieldError, formatValue } from "../field-errors.ts";
import { isInt64, isNumeric } from "../go-number.ts";
import { getField, isJsonObject, sameJson } from "../json.ts";
import type { JsonObject } from "../object.ts";
import type { Correlation } from "./correlation.ts";
import { isKnownFormat, stringFormat } from "./formats.ts";
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
import { propertyOf, type Schema } from "./structural.ts";

/** What a check may know beside the value. */
interface ValidateOptions {
  /** Where the value is in its object: the start of every error's path. */
  readonly base?: string;
  /** On an update: what did not change is not complained about. */
  readonly correlation?: Correlation | undefined;
}

/** The types that a value may have; none where the schema does not say. */
function typesOf(schema: Schema, intOrString: boolean): readonly string[] {
  if (schema["x-kubernetes-int-or-string"]) return intOrString ? ["integer", "string"] : [];
  return schema.type === undefined ? [] : [schema.type];
}

/** A type of JSON Schema and the format that the API server sees in a value. */
function typeOfValue(value: unknown): { type: string; format: string } {
  if (Array.isArray(value)) return { type: "array", format: "" };
  switch (typeof value) {
    case "boolean":
      return { type: "boolean", format: "" };
    case "string":
      return { type: "string", format: "" };
    case "number":
    case "bigint":
      return isInt64(value)
        ? { type: "integer", format: "int64" }
        : { type: "number", format: "float64" };
    default:
      return { type: "object", format: "" };
  }
}

const childPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/** Whether a value is the one of an enum; numbers are compared in the type of the enum's. */
function isEnumValue(value: unknown, one: unknown): boolean {
  if (typeof value === "number" && typeof one === "number") {
    return (isInt64(one) ? Math.trunc(value) : value) === one;
  }
  return value !== null && one !== null && sameJson(value, one);
}

/** A schema ready to check values; patterns are compiled when they are first met. */
export class SchemaValidator {
  readonly #schema: Schema;
  readonly #intOrString: boolean;
  readonly #patterns = new Map<string, RE2JS | Error>();

  /** @param options.intOrString - `false`: ints-or-strings may be anything, as they may in defaults */
  constructor(schema: Schema, options: { readonly intOrString?: boolean } = {}) {
    this.#schema = schema;
    this.#intOrString = options.intOrString ?? true;
  }

  /** Everything wrong with the value. */
  validate(value: unknown, options: ValidateOptions = {}): FieldError[] {
    const { base, correlation } = options;
    return this.#ratchet(this.#schema, value, "", correlation).errors(base);
  }

  /** `#check`, unless the failures are those of a value that did not change. */
  #ratchet(
    schema: Schema,
    value: unknown,
    path: string,
    correlation: Correlation | undefined,
  ): Outcome {
    const outcome = this.#check(schema, value, path, correlation);
    if (correlation && !outcome.valid && correlation.unchanged()) outcome.clear();
    return outcome;
  }

  #check(
    schema: Schema,
    value: unknown,
    path: string,
    correlation: Correlation | undefined,
  ): Outcome {
    const outcome = new Outcome();
    const types = typesOf(schema, this.#intOrString);
    if (value === null || value === undefined) {
      if (types.length > 0 && !schema.nullable) {
        outcome.add(wrongType(path, types.join(","), "null"));
      } else outcome.matches++;
      this.#checkEnum(schema, null, path, outcome);
      return outcome;
    }
    const [onlyType] = types.length === 1 ? types : [];
    const format =
      schema.format !== undefined && isKnownFormat(schema.format, onlyType) ? schema.format : "";
    if (types.length > 0 || format !== "") {
      outcome.merge(checkType(types, format, value, path));
      outcome.matches++;
    }
    outcome.merge(this.#checkBranches(schema, value, path, correlation));
    outcome.matches++;
    if (typeof value === "string") {
      this.#checkString(schema, value, path, outcome);
      outcome.matches++;
      const isFormat = stringFormat(format);
      if (isFormat) {
        if (!isFormat(value)) outcome.add(wrongType(path, format, value));
        outcome.matches++;
      }
    } else if (isNumeric(value)) {
      const numeric = onlyType === "integer" || onlyType === "number" ? onlyType : "";
      outcome.merge(checkNumber(schema, value, path, { type: numeric, format: numeric && format }));
      outcome.matches++;
    } else if (Array.isArray(value)) {
      outcome.merge(this.#checkList(schema, value, path, correlation));
      outcome.matches++;
    }
    this.#checkEnum(schema, value, path, outcome);
    outcome.matches++;
    if (isJsonObject(value)) {
      outcome.merge(this.#checkObject(schema, value, path, correlation));
      outcome.matches++;
    }
    outcome.matches++;
    return outcome;
  }

  #checkEnum(schema: Schema, value: unknown, path: string, outcome: Outcome): void {
    const { enum: allowed } = schema;
    if (!allowed || allowed.length === 0) return;
    if (!allowed.some((one) => isEnumValue(value, one))) {
      outcome.add(notInEnum(path, value, allowed));
    }
  }

  /** Only the first failure counts. Lengths count code points. */
  #checkString(schema: Schema, value: string, path: string, outcome: Outcome): void {
    const { maxLength, minLength, pattern } = schema;
    const limited = maxLength !== undefined || minLength !== undefined;
    const length = limited ? countCodePoints(value) : 0;
    if (maxLength !== undefined && length > maxLength) {
      outcome.add(longerThan(path, maxLength));
    } else if (minLength !== undefined && length < minLength) {
      const text = `${path} in body should be at least ${minLength} chars long`;
      outcome.add(breaks(path, value, text));
    } else if (pattern) {
      const compiled = this.#pattern(pattern);
      if (compiled instanceof Error) {
        const text = `${path} in body should match '${pattern}, but pattern is invalid: ${compiled.message}'`;
        outcome.add(breaks(path, value, text));
      } else if (!compiled.matcher(value).find()) {
        outcome.add(breaks(path, value, `${path} in body should match '${pattern}'`));
      }
    }
  }

  #pattern(source: string): RE2JS | Error {
    let compiled = this.#patterns.get(source);
    if (!compiled) {
      try {
        compiled = RE2JS.compile(source);
      } catch (error) {
        compiled = error instanceof Error ? error : new Error(messageOf(error));
      }
      this.#patterns.set(source, compiled);
    }
    return compiled;
  }

  #checkList(
    schema: Schema,
    value: readonly unknown[],
    path: string,
    correlation: Correlation | undefined,
  ): Outcome {
    const outcome = new Outcome();
    const { items, minItems, maxItems } = schema;
    if (items) {
      for (const [index, item] of value.entries()) {
        const at = `${path}[${index}]`;
        outcome.merge(this.#ratchet(items, item, at, correlation?.item(index)));
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
    return outcome;
  }

  #checkObject(
    schema: Schema,
    value: JsonObject,
    path: string,
    correlation: Correlation | undefined,
  ): Outcome {
    const outcome = new Outcome();
    const { minProperties, maxProperties, additionalProperties, properties, required } = schema;
    const names = Object.keys(value);
    if (minProperties !== undefined && names.length < minProperties) {
      const text = `${path} in body should have at least ${minProperties} properties`;
      outcome.add(breaks(path, names.length, text));
    }
    if (maxProperties !== undefined && names.length > maxProperties) {
      outcome.add(moreThan(path, names.length, maxProperties, "properties"));
    }
    const ratchetField = (field: Schema, name: string, at: string): Outcome => {
      const isTypeMeta = path === "" && (name === "kind" || name === "apiVersion");
      const child = isTypeMeta ? undefined : correlation?.field(name);
      return this.#ratchet(field, getField(value, name), at, child);
    };
    if (additionalProperties !== undefined && additionalProperties !== true) {
      for (const name of names) {
        if (propertyOf(schema, name)) continue;
        if (additionalProperties === false) {
          const text = `${path}.${name} in body is a forbidden property`;
          outcome.add(breaks(path, name, text));
        } else outcome.merge(ratchetField(additionalProperties, name, `${path}.${name}`));
      }
    }
    for (const [name, field] of Object.entries(properties ?? {})) {
      if (Object.hasOwn(value, name)) {
        outcome.merge(ratchetField(field, name, childPath(path, name)));
      }
    }
    for (const name of required ?? []) {
      if (!Object.hasOwn(value, name)) outcome.add(missing(`${path}.${name}`));
    }
    return outcome;
  }

  /** anyOf, oneOf, allOf and not; the failures of the branch that fits best are told as well. */
  #checkBranches(
    schema: Schema,
    value: unknown,
    path: string,
    correlation: Correlation | undefined,
  ): Outcome {
    const outcome = new Outcome();
    const check = (branch: Schema): Outcome => this.#check(branch, value, path, correlation);
    if (!hasBranches(schema)) {
      outcome.matches++;
      return outcome;
    }
    const name = formatValue(path);
    if (schema.anyOf && schema.anyOf.length > 0) {
      let best: Outcome | undefined;
      for (const branch of schema.anyOf) {
        const result = check(branch);
        if (result.valid || !best || result.matches > best.matches) best = result;
        if (result.valid) break;
      }
      if (best && !best.valid) {
        outcome.add(breaksWhole(`${name} must validate at least one schema (anyOf)`));
      }
      if (best) outcome.merge(best);
    }
    if (schema.oneOf && schema.oneOf.length > 0) {
      let best: Outcome | undefined;
      let fits = 0;
      for (const branch of schema.oneOf) {
        const result = check(branch);
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
    if (schema.allOf && schema.allOf.length > 0) {
      let fits = 0;
      for (const branch of schema.allOf) {
        const result = check(branch);
        if (result.valid) fits++;
        outcome.merge(result);
      }
      if (fits !== schema.allOf.length) {
        const none = fits === 0 ? ". None validated" : "";
        outcome.add(breaksWhole(`${name} must validate all the schemas (allOf)${none}`));
      }
    }
    if (schema.not && check(schema.not).valid) {
      outcome.add(breaksWhole(`${name} must not validate the schema (not)`));
    }
    outcome.matches++;
    return outcome;
  }
}

const hasBranches = ({ anyOf, oneOf, allOf, not }: Schema): boolean =>
  anyOf !== undefined || oneOf !== undefined || allOf !== undefined || not !== undefined;

function checkType(
  types: readonly string[],
  format: string,
  value: unknown,
  path: string,
): Outcome {
  const outcome = new Outcome();
  const seen = typeOfValue(value);
  const numeric = types.includes("number") || types.includes("integer");
  const fits =
    types.includes(seen.type) ||
    (seen.type === "number" && types.includes("integer") && isWholeFloat(Number(value))) ||
    (seen.type === "integer" && types.includes("number"));
  const textual = typeof value === "string" || Array.isArray(value);
  if (!textual && format !== "" && !fits && seen.format !== format) {
    outcome.add(wrongType(path, format, seen.format));
  } else if (!(textual && format !== "" && !numeric) && !fits) {
    outcome.add(wrongType(path, types.join(","), seen.type));
  } else outcome.matches++;
  return outcome;
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
