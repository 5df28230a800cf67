import type { PriorityClass as PriorityClassKind } from "../../../../generated/k8s/scheduling-v1.ts";
import type { Sent } from "../../shared/shapes.ts";
import { forbiddenTo } from "../../../failures.ts";
import type { Check } from "../../../../kube/check.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { checked, checkedChange } from "../../shared/checks.ts";
import { checkPreemptionPolicy } from "../../shared/workloads/pod-spec.ts";
import { SYSTEM_PRIORITIES } from "../../shared/system-priorities.ts";
import type { KindRules } from "../../kind-rules.ts";

export type PriorityClass = Sent<PriorityClassKind>;

const HIGHEST_PRIORITY = 1_000_000_000;

function checkPriorityClass(object: Check<PriorityClass>): void {
  const { metadata, value = 0 } = object.value;
  const { name = "" } = metadata;
  if (name.startsWith("system-")) {
    const problem = systemProblem(name, object.value);
    if (problem !== undefined) {
      object
        .child("metadata.name", name)
        .forbidden(
          `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`,
        );
    }
  } else if (value > HIGHEST_PRIORITY) {
    const detail = `maximum allowed value of a user defined priority is ${HIGHEST_PRIORITY}`;
    object.at("value").forbidden(detail);
  }
  object.at("preemptionPolicy").ifSet(checkPreemptionPolicy);
}

function systemProblem(
  name: string,
  { value = 0, globalDefault }: PriorityClass,
): string | undefined {
  const known = SYSTEM_PRIORITIES.get(name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function checkChange(object: Check<PriorityClass>, old: PriorityClass): void {
  if ((object.value.value ?? 0) !== (old.value ?? 0)) {
    object.at("value").forbidden("may not be changed in an update.");
  }
  object.at("preemptionPolicy").unchanged(old.preemptionPolicy);
}

function keepSystemClass({ metadata: { name = "" } }: SentObject): void {
  if (!name.startsWith("system-")) return;
  const resource = { group: "scheduling.k8s.io", plural: "priorityclasses" };
  throw forbiddenTo(resource, name, "this is a system priority class and cannot be deleted");
}

export const priorityClassRules: KindRules = {
  validateCreate: checked(checkPriorityClass),
  validateUpdate: checkedChange(checkChange),
  generation: [],
  setDefaults(object: PriorityClass) {
    object.preemptionPolicy ??= "PreemptLowerPriority";
  },
  table: {
    Value: "value",
    "Global-Default": "globalDefault",
    PreemptionPolicy: "preemptionPolicy",
  },
  deletion: { check: keepSystemClass },
};
