/**
 * Validation of defaults: the schema itself must accept them.
 *
 * @see
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting
 */
import { type FieldError, formatFieldError, invalidValue } from "../field-errors.ts";
import { copyJson, setField } from "../json.ts";
import type { JsonObject } from "../object.ts";
import { coerceEmbedded, embeddedErrors } from "../schema/embedded.ts";
import { prune } from "../schema/prune.ts";
import { RuleChecker } from "./rule-check.ts";
import { sortedKeys } from "../schema/sorted-keys.ts";
import type { Schema } from "../schema/structural.ts";
import { SchemaValidator } from "../schema/validate.ts";

/** The path from a node of a schema to the object around it. */
interface Surroundings {
  /** The schema of the whole object, embedded or not. */
  readonly root: Schema;
  readonly steps: readonly (string | 0)[];
  /** Whether the node is inside apiVersion, kind or metadata of that object. */
  readonly inTypeMeta: boolean;
}

const isTypeMeta = (name: string): boolean =>
  name === "apiVersion" || name === "kind" || name === "metadata";

/**
 * All errors of the defaults of a kind's schema. Those below `additionalProperties` are not
 * checked.
 */
export function defaultErrors(schema: Schema, path: string): FieldError[] {
  const root: Schema = { ...schema, "x-kubernetes-embedded-resource": true };
  return nodeErrors(root, path, { root, steps: [], inTypeMeta: false });
}

function nodeErrors(schema: Schema, path: string, around: Surroundings): FieldError[] {
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const here = embedded ? { root: schema, steps: [], inTypeMeta: false } : around;
  const errors: FieldError[] = [];
  if (schema.default !== undefined && schema.default !== null) {
    errors.push(...ownErrors(schema, schema.default, `${path}.default`, here));
  }
  if (schema.items) {
    const inside = { ...here, steps: [...here.steps, 0 as const] };
    errors.push(...nodeErrors(schema.items, `${path}.items`, inside));
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const inTypeMeta = here.inTypeMeta || (embedded && isTypeMeta(name));
    const inside = { ...here, steps: [...here.steps, name], inTypeMeta };
    errors.push(...nodeErrors(property, `${path}.properties[${name}]`, inside));
  }
  return errors;
}

function ownErrors(
  schema: Schema,
  value: unknown,
  path: string,
  around: Surroundings,
): FieldError[] {
  if (around.inTypeMeta) {
    const object = objectAround(copyJson(value), around.steps);
    const { error } = coerceEmbedded(object, around.root, { self: true });
    const found = error ? [error] : embeddedErrors(object, around.root, { self: true });
    if (found.length > 0) {
      const texts = found.map(formatFieldError);
      const shown = texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
      return [invalidValue(path, sortedKeys(value), `must result in valid metadata: ${shown}`)];
    }
    return validErrors(schema, value, path);
  }
  const errors: FieldError[] = [];
  const root = schema["x-kubernetes-embedded-resource"] === true;
  const pruned = copyJson(value);
  const unknown = prune(pruned, schema, { root });
  if (unknown.length > 0) {
    errors.push(invalidValue(path, sortedKeys(value), "must not have unknown fields"));
  }
  const { error } = coerceEmbedded(copyJson(value), schema, { path, self: true });
  const embedded = error ? [error] : embeddedErrors(value, schema, { path, self: true });
  if (embedded.length > 0) return [...errors, ...embedded];
  return [...errors, ...validErrors(schema, value, path)];
}

/**
 * The errors of the schema, then of its rules: first as on an update that changes nothing, then as
 * on a creation.
 */
function validErrors(schema: Schema, value: unknown, path: string): FieldError[] {
  const validator = new SchemaValidator(schema, { intOrString: false });
  const errors = validator.validate(value, { base: path });
  if (errors.length > 0) return errors;
  const rules = new RuleChecker(schema, schema["x-kubernetes-embedded-resource"] === true);
  const kept = rules.check(value, value, { path });
  return kept.length > 0 ? kept : rules.check(value, undefined, { path });
}

/** The object that has `value` at the end of `steps`. */
function objectAround(value: unknown, steps: readonly (string | 0)[]): JsonObject {
  let object = value;
  for (const step of steps.toReversed()) {
    if (step === 0) object = [object];
    else {
      const parent: JsonObject = {};
      setField(parent, step, object);
      object = parent;
    }
  }
  return { apiVersion: "validation/v1", kind: "Validation", ...(object as JsonObject) };
}
