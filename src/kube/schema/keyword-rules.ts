/**
 * Validation of the keywords of a schema in a CustomResourceDefinition, and of their combinations.
 *
 * @see
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation
 */
import {
  type FieldError,
  forbidden,
  invalidValue,
  notSupported,
  required,
} from "../field-errors.ts";
import { fieldPathProblem } from "./field-path.ts";
import { ruleTextErrors } from "./rule-texts.ts";
import { sortedKeys } from "./sorted-keys.ts";
import { propertyOf, type Schema } from "./structural.ts";

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];

/** The surroundings of a node. */
interface Place {
  readonly root: boolean;
  /** Whether the node is below apiVersion, kind or metadata of an object. */
  readonly inTypeMeta: boolean;
  /** The reason why there may be no default here. */
  readonly noDefault?: string;
}

/** A schema as a client may send it: keywords that no structural schema has are still there. */
type RawSchema = Schema & Readonly<Record<string, unknown>>;

const isTypeMeta = (name: string): boolean =>
  name === "apiVersion" || name === "kind" || name === "metadata";

const isEmpty = (value: unknown): boolean =>
  typeof value !== "object" || value === null || Object.keys(value).length === 0;

/**
 * The error that keeps the API server from reading the schema; reported when nothing else is wrong.
 */
export function unsupportedKeyword(schema: Schema): string | undefined {
  for (const node of schemasOf(schema)) {
    const raw = node as RawSchema;
    const found = [
      [raw["id"], "id"],
      [raw["$schema"], "schema"],
      [raw["$ref"], "$ref"],
      [!isEmpty(raw["patternProperties"]), "patternProperties"],
      [!isEmpty(raw["dependencies"]), "dependencies"],
      [raw["additionalItems"] !== undefined, "additionalItems"],
      [!isEmpty(raw["definitions"]), "definitions"],
    ].find(([present]) => present !== undefined && present !== "" && present !== false);
    if (found) return `OpenAPIV3Schema '${String(found[1])}' is not supported`;
    if (Array.isArray(raw.items)) {
      return "OpenAPIV3Schema 'items' must be a schema, but is an array";
    }
    if (raw["x-kubernetes-preserve-unknown-fields"] === false) {
      return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
    }
  }
  return undefined;
}

/** The schema and every schema inside of it. */
export function* schemasOf(schema: Schema): Generator<Schema> {
  const open: Schema[] = [schema];
  for (let node = open.pop(); node; node = open.pop()) {
    yield node;
    const { items, additionalProperties, not, allOf = [], anyOf = [], oneOf = [] } = node;
    if (items && !Array.isArray(items)) open.push(items);
    if (typeof additionalProperties === "object") open.push(additionalProperties);
    if (not) open.push(not);
    open.push(...allOf, ...anyOf, ...oneOf, ...Object.values(node.properties ?? {}));
  }
}

/** All errors of keywords, in the schema and below. */
export function keywordErrors(
  schema: Schema,
  path: string,
  place: Place = { root: true, inTypeMeta: false },
): FieldError[] {
  const errors = ownErrors(schema as RawSchema, path, place);
  const { properties = {}, additionalProperties, items, allOf, anyOf, oneOf, not } = schema;
  const below: Place = { ...place, root: false };
  if (schema.uniqueItems) {
    const rule = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbidden(`${path}.uniqueItems`, rule));
  }
  if (additionalProperties !== undefined) {
    const at = `${path}.additionalProperties`;
    if (Object.keys(properties).length > 0 && additionalProperties !== true) {
      const rule = "additionalProperties and properties are mutual exclusive";
      errors.push(forbidden(at, rule));
    }
    if (typeof additionalProperties === "object") {
      const noDefault = "inside additionalProperties applying to object metadata";
      const inside = place.inTypeMeta ? { ...below, noDefault } : below;
      errors.push(...keywordErrors(additionalProperties, at, inside));
    }
  }
  for (const [name, property] of Object.entries(properties)) {
    let inside = below;
    if ((place.root || schema["x-kubernetes-embedded-resource"]) && isTypeMeta(name)) {
      inside = { ...below, inTypeMeta: true };
      if (place.root) inside = { ...inside, noDefault: `in top-level ${name}` };
    }
    errors.push(...keywordErrors(property, `${path}.properties[${name}]`, inside));
  }
  if (not) errors.push(...keywordErrors(not, `${path}.not`, below));
  for (const [operator, branches = []] of Object.entries({ allOf, oneOf, anyOf })) {
    for (const [index, branch] of branches.entries()) {
      errors.push(...keywordErrors(branch, `${path}.${operator}[${index}]`, below));
    }
  }
  errors.push(...namedErrors(schema as RawSchema, "definitions", path, below));
  if (Array.isArray(items)) {
    for (const [index, item] of (items as Schema[]).entries()) {
      errors.push(...keywordErrors(item, `${path}.items[${index}]`, below));
    }
  } else if (items) errors.push(...keywordErrors(items, `${path}.items`, below));
  errors.push(...namedErrors(schema as RawSchema, "dependencies", path, below));
  errors.push(...topologyErrors(schema, path));
  for (const [index, rule] of (schema["x-kubernetes-validations"] ?? []).entries()) {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    errors.push(...ruleTextErrors(rule, at));
    if (rule.fieldPath && fieldPathProblem(rule.fieldPath, schema) !== undefined) {
      errors.push(invalidValue(`${at}.fieldPath`, rule.fieldPath, "must be a valid path"));
    }
  }
  return errors;
}

/** Errors of the named schemas below an unsupported keyword, which are checked all the same. */
function namedErrors(schema: RawSchema, keyword: string, path: string, place: Place): FieldError[] {
  const named = Object.entries(
    (schema[keyword] ?? {}) as Readonly<Record<string, Schema | string[]>>,
  );
  return named.flatMap(([name, inner]) =>
    Array.isArray(inner) ? [] : keywordErrors(inner, `${path}.${keyword}[${name}]`, place),
  );
}

/** Errors of keywords that do not exist here, and of defaults where there may be none. */
function ownErrors(schema: RawSchema, path: string, place: Place): FieldError[] {
  const errors: FieldError[] = [];
  const unsupported = (keyword: string, present: boolean): void => {
    if (present) errors.push(forbidden(`${path}.${keyword}`, `${keyword} is not supported`));
  };
  if (schema.type && !TYPES.includes(schema.type)) {
    errors.push(notSupported(`${path}.type`, schema.type, TYPES));
  }
  if (place.noDefault !== undefined && schema.default !== undefined && schema.default !== null) {
    errors.push(forbidden(`${path}.default`, `must not be set ${place.noDefault}`));
  }
  unsupported("id", schema["id"] !== undefined && schema["id"] !== "");
  unsupported("additionalItems", schema["additionalItems"] !== undefined);
  unsupported("patternProperties", !isEmpty(schema["patternProperties"]));
  unsupported("definitions", !isEmpty(schema["definitions"]));
  unsupported("dependencies", schema["dependencies"] !== undefined);
  unsupported("$ref", schema["$ref"] !== undefined);
  if ((schema.type as string | undefined) === "null") {
    const rule = "type cannot be set to null, use nullable as an alternative";
    errors.push(forbidden(`${path}.type`, rule));
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    errors.push(forbidden(`${path}.items`, "items must be a schema object and not an array"));
  }
  if (place.inTypeMeta && schema["x-kubernetes-embedded-resource"]) {
    const rule = "must not be used inside of resource meta";
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, rule));
  }
  return errors;
}

const valueOrRequired = (at: string, value: string | undefined, rule: string): FieldError =>
  value ? invalidValue(at, value, rule) : required(at, rule);

/** Errors of the types of lists and maps, by which server-side apply merges them. */
function topologyErrors(schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const mapType: string | undefined = schema["x-kubernetes-map-type"];
  const listType: string | undefined = schema["x-kubernetes-list-type"];
  const mapKeys = schema["x-kubernetes-list-map-keys"] ?? [];
  const items = Array.isArray(schema.items) ? undefined : schema.items;
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    const at = `${path}.x-kubernetes-preserve-unknown-fields`;
    errors.push(invalidValue(at, false, "must be true or undefined"));
  }
  if (mapType !== undefined && schema.type !== "object") {
    const rule = "must be object if x-kubernetes-map-type is specified";
    errors.push(valueOrRequired(`${path}.type`, schema.type, rule));
  }
  if (mapType !== undefined && mapType !== "atomic" && mapType !== "granular") {
    errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  if (listType !== undefined && schema.type !== "array") {
    const rule = "must be array if x-kubernetes-list-type is specified";
    errors.push(valueOrRequired(`${path}.type`, schema.type, rule));
  } else if (listType === "set" && items) {
    const rule = "must be atomic as item of a list with x-kubernetes-list-type=set";
    const itemListType = items["x-kubernetes-list-type"];
    if (items.type === "array" && itemListType !== undefined && itemListType !== "atomic") {
      errors.push(invalidValue(`${path}.items.x-kubernetes-list-type`, itemListType, rule));
    }
    if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
      errors.push(invalidValue(`${path}.items.x-kubernetes-map-type`, itemListType, rule));
    }
  }
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType)) {
    const at = `${path}.x-kubernetes-list-type`;
    errors.push(notSupported(at, listType, ["atomic", "set", "map"]));
  }
  if (mapKeys.length > 0 && listType !== "map") {
    const rule = "must be map if x-kubernetes-list-map-keys is non-empty";
    errors.push(valueOrRequired(`${path}.x-kubernetes-list-type`, listType, rule));
  }
  if (listType === "map") errors.push(...mapListErrors(schema, mapKeys, path));
  if ((listType === "set" || listType === "map") && items) {
    errors.push(...itemErrors(items, listType, mapKeys, path));
  }
  return errors;
}

function mapListErrors(schema: Schema, mapKeys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { items } = schema;
  const keysPath = `${path}.x-kubernetes-list-map-keys`;
  if (mapKeys.length === 0) {
    errors.push(required(keysPath, "must not be empty if x-kubernetes-list-type is map"));
  }
  if (!items) {
    const rule = "must have a schema if x-kubernetes-list-type is map";
    errors.push(required(`${path}.items`, rule));
  } else if (Array.isArray(items)) {
    const rule = "must only have a single schema if x-kubernetes-list-type is map";
    errors.push(invalidValue(`${path}.items`, sortedKeys(items), rule));
  } else if (items.type !== "object") {
    const rule = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalidValue(`${path}.items.type`, items.type ?? "", rule));
  } else {
    for (const [index, key] of mapKeys.entries()) {
      const property = propertyOf(items, key);
      if (!property) {
        errors.push(
          invalidValue(keysPath, mapKeys, "entries must all be names of item properties"),
        );
      } else if (property.type === "array" || property.type === "object") {
        const rule = "must be a scalar type if parent array's x-kubernetes-list-type is map";
        errors.push(invalidValue(`${path}.items.properties[${key}].type`, items.type, rule));
      }
      if (mapKeys.indexOf(key) < index) {
        errors.push(invalidValue(keysPath, mapKeys, "must not contain duplicate entries"));
      }
    }
  }
  return errors;
}

/** Errors of items: those of sets and maps are never null, and keys always have a value. */
function itemErrors(
  items: Schema,
  listType: string,
  mapKeys: readonly string[],
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (items.nullable) {
    const rule = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbidden(`${path}.items.nullable`, rule));
  }
  if (listType !== "map") return errors;
  const needed = "this property is in x-kubernetes-list-map-keys, so it";
  for (const key of mapKeys) {
    const property = propertyOf(items, key);
    if (!property) continue;
    const at = `${path}.items.properties[${key}]`;
    const defaulted = property.default !== undefined && property.default !== null;
    if (!(items.required ?? []).includes(key) && !defaulted) {
      const rule = `${needed} must have a default or be a required property`;
      errors.push(required(`${at}.default`, rule));
    }
    if (property.nullable) {
      errors.push(forbidden(`${at}.nullable`, `${needed} cannot be nullable`));
    }
  }
  return errors;
}
