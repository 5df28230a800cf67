/**
 * The scale of custom resources: its place in the object, and the values allowed there.
 *
 * @see
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource
 */
import { asJson } from "../../kube/json.ts";
import { type FieldError, invalidValue } from "../../kube/field-errors.ts";
import type { JsonObject, SentObject } from "../../kube/object.ts";
import { failure, type StatusError } from "../../kube/status.ts";
import type { ScaleAccess, ScaleValues } from "../kinds.ts";
import type { DefinitionScale } from "../../kube/definition/definition.ts";
import { findInteger, findText, type Nested, setNested } from "./nested.ts";

const INT32_MAX = 2 ** 31 - 1;

const plainFailure = (message: string): StatusError => failure(500, "", message);

function valueOf<T>({ value, problem }: Nested<T>): T | undefined {
  if (problem !== undefined) throw plainFailure(problem);
  return value;
}

/** The access of a `Scale` to an object. */
export function scaleAccess(scale: DefinitionScale): ScaleAccess {
  const { specReplicasPath = "", statusReplicasPath = "", labelSelectorPath = "" } = scale;
  return {
    specReplicasPath,
    statusReplicasPath,
    read(object): ScaleValues {
      const from = asJson(object);
      return {
        replicas: valueOf(findInteger(from, specReplicasPath)),
        statusReplicas: valueOf(findInteger(from, statusReplicasPath)) ?? 0,
        selector:
          labelSelectorPath === "" ? "" : (valueOf(findText(from, labelSelectorPath)) ?? ""),
      };
    },
    write(object, replicas): void {
      const problem = setNested(asJson(object), specReplicasPath, replicas);
      if (problem !== undefined) throw plainFailure(problem);
    },
  };
}

function countErrors(object: JsonObject, path: string): FieldError[] {
  const { value = 0, problem } = findInteger(object, path);
  if (problem !== undefined) return [invalidValue(path, 0, problem)];
  if (value < 0) return [invalidValue(path, value, "should be a non-negative integer")];
  if (value <= INT32_MAX) return [];
  return [invalidValue(path, value, `should be less than or equal to ${INT32_MAX}`)];
}

/** Errors of the desired number of replicas. */
export function scaleSpecErrors(object: SentObject, scale: DefinitionScale): FieldError[] {
  return countErrors(asJson(object), scale.specReplicasPath ?? "");
}

/** Errors of the observed number of replicas, and of the selector. */
export function scaleStatusErrors(object: SentObject, scale: DefinitionScale): FieldError[] {
  const errors = countErrors(asJson(object), scale.statusReplicasPath ?? "");
  const { labelSelectorPath } = scale;
  if (labelSelectorPath === undefined || labelSelectorPath === "") return errors;
  const { problem } = findText(asJson(object), labelSelectorPath);
  if (problem !== undefined) errors.push(invalidValue(labelSelectorPath, "", problem));
  return errors;
}
