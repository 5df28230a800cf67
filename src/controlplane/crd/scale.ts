/**
 * The scale of custom resources: its place in the object, and the values allowed there. A field is
 * read by its simple path (`.spec.replicas`), with Go's complaints about wrong types.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource
 * @see https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1/unstructured#NestedInt64
 */
import { asJson, getField, isJsonObject, setField } from "../../kube/json.ts";
import { type FieldError, invalidValue } from "../../kube/field-errors.ts";
import type { JsonObject, SentObject } from "../../kube/object.ts";
import { failure, type StatusError } from "../../kube/status.ts";
import { printType, printValue } from "../builtin/go/print.ts";
import type { ScaleAccess, ScaleValues } from "../kinds.ts";
import type { DefinitionScale } from "../../kube/definition/definition.ts";

const INT32_MAX = 2 ** 31 - 1;

const plainFailure = (message: string): StatusError => failure(500, "", message);

export function scaleAccess(scale: DefinitionScale): ScaleAccess {
  const { specReplicasPath = "", statusReplicasPath = "", labelSelectorPath = "" } = scale;
  return {
    specReplicasPath,
    statusReplicasPath,
    read(object): ScaleValues {
      const read = (path: string, type: "int64" | "string"): unknown => {
        const { value, problem } = find(object, path, type);
        if (problem !== undefined) throw plainFailure(problem);
        return value;
      };
      const replicas = read(specReplicasPath, "int64");
      const selector = labelSelectorPath === "" ? "" : read(labelSelectorPath, "string");
      return {
        replicas: replicas === undefined ? undefined : Number(replicas),
        statusReplicas: Number(read(statusReplicasPath, "int64") ?? 0),
        selector: typeof selector === "string" ? selector : "",
      };
    },
    write(object, replicas): void {
      const problem = setNested(asJson(object), specReplicasPath, replicas);
      if (problem !== undefined) throw plainFailure(problem);
    },
  };
}

function countErrors(object: SentObject, path: string): FieldError[] {
  const { value, problem } = find(object, path, "int64");
  if (problem !== undefined) return [invalidValue(path, 0, problem)];
  const count = Number(value ?? 0);
  if (count < 0) return [invalidValue(path, count, "should be a non-negative integer")];
  if (count <= INT32_MAX) return [];
  return [invalidValue(path, count, `should be less than or equal to ${INT32_MAX}`)];
}

/** Errors of the desired number of replicas. */
export function scaleSpecErrors(object: SentObject, scale: DefinitionScale): FieldError[] {
  return countErrors(object, scale.specReplicasPath ?? "");
}

/** Errors of the observed number of replicas, and of the selector. */
export function scaleStatusErrors(object: SentObject, scale: DefinitionScale): FieldError[] {
  const errors = countErrors(object, scale.statusReplicasPath ?? "");
  const { labelSelectorPath = "" } = scale;
  if (labelSelectorPath === "") return errors;
  const { problem } = find(object, labelSelectorPath, "string");
  if (problem !== undefined) errors.push(invalidValue(labelSelectorPath, "", problem));
  return errors;
}

/** The steps of `.a.b`. */
const stepsOf = (path: string): string[] => path.replace(/^\./, "").split(".");

/** The value at `path`, which is of that type in Go; or an error; neither when it is absent. */
function find(
  object: SentObject,
  path: string,
  type: "int64" | "string",
): { readonly value?: unknown; readonly problem?: string } {
  const steps = stepsOf(path);
  const mismatch = (depth: number, expected: string): { readonly problem: string } => ({
    problem: `.${steps.slice(0, depth).join(".")} accessor error: ${printValue(value)} is of the type ${printType(value)}, expected ${expected}`,
  });
  let value: unknown = object;
  for (const [index, step] of steps.entries()) {
    if (value === null) return {};
    if (!isJsonObject(value)) return mismatch(index + 1, "map[string]interface{}");
    value = getField(value, step);
    if (value === undefined) return {};
  }
  return printType(value) === type ? { value } : mismatch(steps.length, type);
}

/**
 * Sets the value at `path`, making the objects on the way to it.
 *
 * @returns an error when something else is in the way
 */
function setNested(object: JsonObject, path: string, value: unknown): string | undefined {
  const steps = stepsOf(path);
  let at = object;
  for (const [index, step] of steps.slice(0, -1).entries()) {
    const known = getField(at, step);
    const next = known === undefined ? {} : known;
    if (!isJsonObject(next)) {
      const where = `.${steps.slice(0, index + 1).join(".")}`;
      return `value cannot be set because ${where} is not a map[string]interface{}`;
    }
    setField(at, step, next);
    at = next;
  }
  setField(at, steps.at(-1) ?? "", value);
  return undefined;
}
