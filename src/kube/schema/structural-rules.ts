/**
 * Validation of structural schemas: every value has one type, stated outside of logical operators.
 *
 * @see
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
import { RE2JS } from "re2js";
import { messageOf } from "../../errors.ts";
import {
  type FieldError,
  forbidden,
  formatFieldError,
  invalidValue,
  required,
} from "../field-errors.ts";
import { propertyOf, type Schema, valuesOf } from "./structural.ts";

/** The place of a node in a schema; messages depend on it. */
type Level = "root" | "item" | "field";

const MISSING_TYPE: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

const isTrue = (value: unknown): boolean => value === true;
const has = (value: unknown): boolean => value !== undefined && value !== "" && value !== false;

/** All errors that keep the schema from being structural, sorted by their texts. */
export function structuralErrors(schema: Schema, path: string): FieldError[] {
  const errors = [...nodeErrors(schema, "root", path), ...logicErrors(schema, schema, path, path)];
  return errors.sort((a, b) => (formatFieldError(a) < formatFieldError(b) ? -1 : 1));
}

function nodeErrors(schema: Schema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { type, items, additionalProperties } = schema;
  const embedded = isTrue(schema["x-kubernetes-embedded-resource"]);
  const preserving = isTrue(schema["x-kubernetes-preserve-unknown-fields"]);
  const intOrString = isTrue(schema["x-kubernetes-int-or-string"]);
  const properties = Object.entries(schema.properties ?? {});

  if (type === "array" && !items) errors.push(required(`${path}.items`, "must be specified"));
  if (items) errors.push(...nodeErrors(items, "item", `${path}.items`));
  for (const [name, property] of properties) {
    errors.push(...nodeErrors(property, "field", `${path}.properties[${name}]`));
  }
  if (additionalProperties !== undefined) {
    const at = `${path}.additionalProperties`;
    if (level === "root") errors.push(forbidden(at, "must not be used at the root"));
    const values = valuesOf(schema);
    if (values) errors.push(...nodeErrors(values, "field", at));
  }
  if (intOrString) {
    for (const extension of [
      "x-kubernetes-preserve-unknown-fields",
      "x-kubernetes-embedded-resource",
    ] as const) {
      if (!schema[extension]) continue;
      const rule = "must be false if x-kubernetes-int-or-string is true";
      errors.push(invalidValue(`${path}.${extension}`, true, rule));
    }
  }
  errors.push(...valueErrors(schema, level, path));
  if (embedded && type !== "object") {
    const rule = "must be object if x-kubernetes-embedded-resource is true";
    const at = `${path}.type`;
    errors.push(type ? invalidValue(at, type, rule) : required(at, rule));
  } else if (!type && !intOrString && !preserving) {
    errors.push(required(`${path}.type`, MISSING_TYPE[level]));
  }
  if (embedded && additionalProperties !== undefined) {
    const rule = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(forbidden(`${path}.additionalProperties`, rule));
  }
  if (level === "root" && type && type !== "object") {
    errors.push(invalidValue(`${path}.type`, type, "must be object at the root"));
  }
  errors.push(...typeMetaErrors(schema, level, path));
  if (embedded && !preserving && properties.length === 0) {
    const rule =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(`${path}.properties`, rule));
  }
  return errors;
}

/** Errors of apiVersion, kind and metadata of a whole object, which have their own rules. */
function typeMetaErrors(schema: Schema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const whole = level === "root" || isTrue(schema["x-kubernetes-embedded-resource"]);
  for (const name of ["kind", "apiVersion"]) {
    const property = propertyOf(schema, name);
    if (whole && property && property.type !== "string") {
      const at = `${path}.properties[${name}].type`;
      errors.push(invalidValue(at, property.type ?? "", "must be string"));
    }
  }
  const metadata = propertyOf(schema, "metadata");
  const at = `${path}.properties[metadata]`;
  if (metadata && whole && metadata.type !== "object") {
    errors.push(invalidValue(`${at}.type`, metadata.type ?? "", "must be object"));
  }
  if (metadata && level === "root" && !isPlainMetadata(metadata)) {
    const rule =
      "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(forbidden(at, rule));
  }
  return errors;
}

function isPlainMetadata(metadata: Schema): boolean {
  const names = Object.keys(metadata.properties ?? {});
  return (
    names.every((name) => name === "name" || name === "generateName") &&
    Object.entries(metadata).every(
      ([keyword, value]) => ["type", "default", "properties"].includes(keyword) || !has(value),
    )
  );
}

const INT_OR_STRING = ["integer", "string"];

/** Whether the branches are those of an int-or-string, where `type` is allowed. */
function isIntOrString(branches: readonly Schema[] | undefined): boolean {
  return (
    branches?.length === 2 &&
    branches.every(
      (branch, index) =>
        branch.type === INT_OR_STRING[index] && Object.values(branch).filter(has).length === 1,
    )
  );
}

/** Errors of the logical operators and the pattern of a node. */
function valueErrors(
  schema: Schema,
  level: Level,
  path: string,
  skip?: { readonly anyOf: boolean },
): FieldError[] {
  const errors: FieldError[] = [];
  const { allOf = [], anyOf = [], oneOf = [], not, pattern } = schema;
  if (!(skip ? skip.anyOf : isIntOrString(anyOf))) {
    for (const [index, branch] of anyOf.entries()) {
      errors.push(...branchErrors(branch, level, `${path}.anyOf[${index}]`));
    }
  }
  for (const [index, branch] of allOf.entries()) {
    // Only a node's own first branch may hold the int-or-string pair, not one below it.
    const customary = !skip && index === 0 && isIntOrString(branch.anyOf);
    errors.push(...branchErrors(branch, level, `${path}.allOf[${index}]`, customary));
  }
  for (const [index, branch] of oneOf.entries()) {
    errors.push(...branchErrors(branch, level, `${path}.oneOf[${index}]`));
  }
  if (not) errors.push(...branchErrors(not, level, `${path}.not`));
  if (pattern) {
    try {
      RE2JS.compile(pattern);
    } catch (error) {
      const rule = `must be a valid regular expression, but isn't: ${messageOf(error)}`;
      errors.push(invalidValue(`${path}.pattern`, pattern, rule));
    }
  }
  return errors;
}

/** Keywords that a branch may not have, with the words of the rule. */
const FORBIDDEN_IN_BRANCHES = [
  ["type", "must be empty to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
] as const;

function branchErrors(branch: Schema, level: Level, path: string, skipAnyOf = false): FieldError[] {
  const errors = valueErrors(branch, level, path, { anyOf: skipAnyOf });
  if (branch.items) errors.push(...branchErrors(branch.items, level, `${path}.items`));
  for (const [name, property] of Object.entries(branch.properties ?? {})) {
    errors.push(...branchErrors(property, "field", `${path}.properties[${name}]`));
  }
  if (has(branch.additionalProperties)) {
    errors.push(forbidden(`${path}.additionalProperties`, "must be undefined to be structural"));
  }
  for (const [keyword, rule] of FORBIDDEN_IN_BRANCHES) {
    const value: unknown = branch[keyword];
    const present = keyword === "default" ? value !== undefined && value !== null : has(value);
    if (present && !(Array.isArray(value) && keyword !== "default" && value.length === 0)) {
      errors.push(forbidden(`${path}.${keyword}`, rule));
    }
  }
  if (propertyOf(branch, "metadata")) {
    const rule = "must not be specified in a nested context";
    errors.push(forbidden(`${path}.properties[metadata]`, rule));
  }
  return errors;
}

/**
 * Errors of fields in branches that are not declared outside of them; checked from the root only.
 */
function logicErrors(
  logic: Schema,
  schema: Schema,
  schemaPath: string,
  logicPath: string,
): FieldError[] {
  const branches: [Schema, string][] = [];
  if (logic.not) branches.push([logic.not, `${logicPath}.not`]);
  for (const operator of ["allOf", "anyOf", "oneOf"] as const) {
    for (const [index, branch] of (logic[operator] ?? []).entries()) {
      branches.push([branch, `${logicPath}.${operator}[${index}]`]);
    }
  }
  return branches.flatMap(([branch, path]) => undeclared(branch, schema, schemaPath, path));
}

function undeclared(
  branch: Schema,
  schema: Schema | undefined,
  schemaPath: string,
  path: string,
): FieldError[] {
  if (!schema) return [required(schemaPath, `because it is defined in ${path}`)];
  const errors = logicErrors(branch, schema, schemaPath, path);
  if (branch.items) {
    errors.push(...undeclared(branch.items, schema.items, `${schemaPath}.items`, `${path}.items`));
  }
  for (const [name, property] of Object.entries(branch.properties ?? {})) {
    const step = `.properties[${name}]`;
    errors.push(...undeclared(property, propertyOf(schema, name), schemaPath + step, path + step));
  }
  return errors;
}
