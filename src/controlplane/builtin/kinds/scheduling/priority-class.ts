/** Rules of the kind PriorityClass. */
import { forbiddenTo } from "../../../failures.ts";
import { type FieldError, forbidden } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { at, numberAt } from "../../at.ts";
import { immutable } from "../../shared/checks.ts";
import { preemptionErrors } from "../../shared/pods/pod-spec.ts";
import { SYSTEM_PRIORITIES } from "../../shared/system-priorities.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import {
  BOOLEAN,
  INTEGER,
  ageColumn,
  column,
  nameColumn,
  printer,
  textColumn,
} from "../../tables/column.ts";

function setPriorityClassDefaults(object: PriorityClass): void {
  object.preemptionPolicy ??= "PreemptLowerPriority";
}

/** The shape of a PriorityClass. */
export interface PriorityClass extends SentObject {
  value?: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

const HIGHEST_PRIORITY = 1_000_000_000;

function newPriorityClassErrors(object: PriorityClass): FieldError[] {
  const { metadata, value = 0, globalDefault, preemptionPolicy } = object;
  const { name = "" } = metadata;
  const errors: FieldError[] = [];
  if (name.startsWith("system-")) {
    const known = SYSTEM_PRIORITIES.get(name);
    const problem =
      known === undefined
        ? `${name} is not a known system priority class`
        : value !== known
          ? `value of ${name} PriorityClass must be ${known}`
          : globalDefault === true
            ? `globalDefault of ${name} PriorityClass must be false`
            : undefined;
    if (problem !== undefined) {
      errors.push(
        forbidden(
          "metadata.name",
          `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`,
        ),
      );
    }
  } else if (value > HIGHEST_PRIORITY) {
    const detail = `maximum allowed value of a user defined priority is ${HIGHEST_PRIORITY}`;
    errors.push(forbidden("value", detail));
  }
  return preemptionPolicy === undefined
    ? errors
    : [...errors, ...preemptionErrors("preemptionPolicy", preemptionPolicy)];
}

function priorityClassUpdateErrors(now: PriorityClass, old: PriorityClass): FieldError[] {
  return [
    ...((now.value ?? 0) === (old.value ?? 0)
      ? []
      : [forbidden("value", "may not be changed in an update.")]),
    ...immutable("preemptionPolicy", now.preemptionPolicy, old.preemptionPolicy),
  ];
}

function keepSystemClass({ metadata: { name = "" } }: SentObject): void {
  if (!name.startsWith("system-")) return;
  const resource = { group: "scheduling.k8s.io", plural: "priorityclasses" };
  throw forbiddenTo(resource, name, "this is a system priority class and cannot be deleted");
}

/** The rules of PriorityClasses. */
export const priorityClassRules: KindRules = {
  validateCreate: newPriorityClassErrors,
  validateUpdate: priorityClassUpdateErrors,
  generation: [],
  setDefaults: setPriorityClassDefaults,
  table: printer([
    nameColumn,
    column("Value", (object) => numberAt(object, "value"), INTEGER),
    column("Global-Default", (object) => at(object, "globalDefault") === true, BOOLEAN),
    ageColumn,
    textColumn("PreemptionPolicy", "preemptionPolicy"),
  ]),
  deletion: { check: keepSystemClass },
  columnFields: {
    Value: "scheduling.v1.PriorityClass.value",
    "Global-Default": "scheduling.v1.PriorityClass.globalDefault",
    PreemptionPolicy: "scheduling.v1.PriorityClass.preemptionPolicy",
  },
};
