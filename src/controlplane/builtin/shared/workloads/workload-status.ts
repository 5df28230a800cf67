/** Validation of the counts in the status of a workload. */
import type { Check } from "../../../../kube/check.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { numberAt } from "../../at.ts";
import { checkNotNegative } from "../checks.ts";

/** Validates that counts are not negative, and that no part is larger than the whole. */
export function checkCounts(
  object: Check<SentObject & { status?: object }>,
  counts: readonly string[],
  parts: readonly string[] = [],
  ready = "readyReplicas",
): void {
  const count = (name: string): Check<number> =>
    object.child(`status.${name}`, numberAt(object.value.status, name));
  for (const name of counts) checkNotNegative(count(name));
  for (const part of parts.map(count)) {
    if (part.value > count("replicas").value) {
      part.invalid("cannot be greater than status.replicas");
    }
  }
  const available = count("availableReplicas");
  if (available.value > count("readyReplicas").value) {
    available.invalid(`cannot be greater than ${ready}`);
  }
}

export function checkReplicaSetStatus(object: Check<SentObject>): void {
  const parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
  checkCounts(object, ["replicas", ...parts, "terminatingReplicas", "observedGeneration"], parts);
}
