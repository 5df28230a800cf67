/** Validation of the counts in the status of a workload. */
import { type FieldError, invalidValue } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { notNegative } from "../checks.ts";

interface Counts extends SentObject {
  status?: object;
}

/** Validates that counts are not negative, and that no part is larger than the whole. */
export function countErrors(
  object: Counts,
  counts: readonly string[],
  parts: readonly string[],
  ready = "readyReplicas",
): FieldError[] {
  const status = new Map<string, unknown>(Object.entries(object.status ?? {}));
  const count = (name: string): number => {
    const value = status.get(name);
    return typeof value === "number" ? value : 0;
  };
  const errors = counts.flatMap((name) => notNegative(`status.${name}`, count(name)));
  const total = count("replicas");
  for (const part of parts) {
    if (count(part) > total) {
      errors.push(
        invalidValue(`status.${part}`, count(part), "cannot be greater than status.replicas"),
      );
    }
  }
  if (count("availableReplicas") > count("readyReplicas")) {
    errors.push(
      invalidValue(
        "status.availableReplicas",
        count("availableReplicas"),
        `cannot be greater than ${ready}`,
      ),
    );
  }
  return errors;
}

export const replicaSetStatusErrors = (object: SentObject): FieldError[] =>
  countErrors(
    object,
    [
      "replicas",
      "fullyLabeledReplicas",
      "readyReplicas",
      "availableReplicas",
      "terminatingReplicas",
      "observedGeneration",
    ],
    ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
  );
