/**
 * Reading a field by its simple path (`.spec.replicas`), with Go's complaints about wrong types.
 *
 * @see https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1/unstructured#NestedInt64
 */
import { encodeJson, getField, isJsonObject, setField } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { formatNumber, isInt64, isNumeric } from "../../kube/text/go-number.ts";
import { sortedKeys } from "../../kube/schema/sorted-keys.ts";

/** The value, or an error; neither when the field is absent. */
export interface Nested<T> {
  readonly value?: T;
  readonly problem?: string;
}

/** The steps of `.a.b`. */
function stepsOf(path: string): string[] {
  return path.replace(/^\./, "").split(".");
}

/** A value and its type as Go's `%v` and `%T` print them. */
function describe(value: unknown): string {
  if (value === null) return "<nil> is of the type <nil>";
  if (typeof value === "boolean") return `${value} is of the type bool`;
  if (isNumeric(value)) {
    return `${formatNumber(value)} is of the type ${isInt64(value) ? "int64" : "float64"}`;
  }
  if (typeof value === "string") return `${value} is of the type string`;
  const type = Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
  return `${goValue(sortedKeys(value))} is of the type ${type}`;
}

function goValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (isJsonObject(value)) {
    return `map[${Object.entries(value)
      .map(([name, field]) => `${name}:${goValue(field)}`)
      .join(" ")}]`;
  }
  if (value === null) return "<nil>";
  return typeof value === "string" ? value : encodeJson(value);
}

function find(object: JsonObject, steps: readonly string[]): Nested<unknown> {
  let value: unknown = object;
  for (const [index, step] of steps.entries()) {
    if (value === null) return {};
    if (!isJsonObject(value)) {
      const path = `.${steps.slice(0, index + 1).join(".")}`;
      const expected = "expected map[string]interface{}";
      return { problem: `${path} accessor error: ${describe(value)}, ${expected}` };
    }
    value = getField(value, step);
    if (value === undefined) return {};
  }
  return { value };
}

/** The whole number at `path`. */
export function findInteger(object: JsonObject, path: string): Nested<number> {
  const steps = stepsOf(path);
  const { value, problem } = find(object, steps);
  if (problem !== undefined) return { problem };
  if (value === undefined) return {};
  if (isNumeric(value) && isInt64(value)) return { value: Number(value) };
  const at = `.${steps.join(".")}`;
  return { problem: `${at} accessor error: ${describe(value)}, expected int64` };
}

/** The text at `path`. */
export function findText(object: JsonObject, path: string): Nested<string> {
  const steps = stepsOf(path);
  const { value, problem } = find(object, steps);
  if (problem !== undefined) return { problem };
  if (value === undefined) return {};
  if (typeof value === "string") return { value };
  const at = `.${steps.join(".")}`;
  return { problem: `${at} accessor error: ${describe(value)}, expected string` };
}

/**
 * Sets the value at `path`, making the objects on the way to it.
 *
 * @returns an error when something else is in the way
 */
export function setNested(object: JsonObject, path: string, value: unknown): string | undefined {
  const steps = stepsOf(path);
  let at = object;
  for (const [index, step] of steps.slice(0, -1).entries()) {
    const next = getField(at, step);
    if (isJsonObject(next)) at = next;
    else if (next === undefined) {
      const made: JsonObject = {};
      setField(at, step, made);
      at = made;
    } else {
      const where = `.${steps.slice(0, index + 1).join(".")}`;
      return `value cannot be set because ${where} is not a map[string]interface{}`;
    }
  }
  setField(at, steps.at(-1) ?? "", value);
  return undefined;
}
