/** Validation of the status of Jobs: counts never fall, and a Job ends once, for a reason. */
import { messageOf } from "../../../../../errors.ts";
import {
  type FieldError,
  duplicate,
  invalidValue,
  required,
} from "../../../../../kube/field-errors.ts";
import { immutable, notNegative } from "../../../shared/checks.ts";
import { parseIndexes } from "../job-indexes.ts";
import type { Job } from "./shape.ts";

type Status = NonNullable<Job["status"]>;

const CONDITIONS = "status.conditions";

const isTrue = ({ conditions = [] }: Status, type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === "True");

const clash = (detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field: CONDITIONS,
  message: `Invalid value: ${detail}`,
});

export function jobStatusErrors(job: Job, previous: Job): FieldError[] {
  const { status = {} } = job;
  const { status: old = {} } = previous;
  return [
    ...(["active", "succeeded", "failed", "ready", "terminating"] as const).flatMap((part) =>
      notNegative(`status.${part}`, status[part]),
    ),
    ...uncountedErrors(status),
    ...endingErrors(status),
    ...finishedErrors(status),
    ...indexErrors(job, status),
    ...balanceErrors(status),
    ...changeErrors(job, status, old),
  ];
}

function uncountedErrors({ uncountedTerminatedPods = {} }: Status): FieldError[] {
  const seen = new Set<string>();
  return (["succeeded", "failed"] as const).flatMap((part) =>
    (uncountedTerminatedPods[part] ?? []).flatMap((uid, index) => {
      const field = `status.uncountedTerminatedPods.${part}[${index}]`;
      if (uid === "") return [invalidValue(field, uid, "must not be empty")];
      if (seen.has(uid)) return [duplicate(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

function endingErrors(status: Status): FieldError[] {
  const complete = isTrue(status, "Complete");
  const failed = isTrue(status, "Failed");
  const errors: FieldError[] = [];
  if (complete && failed) errors.push(clash("cannot set Complete=True and Failed=true conditions"));
  if (complete && isTrue(status, "FailureTarget")) {
    errors.push(clash("cannot set Complete=True and FailureTarget=true conditions"));
  }
  const { completionTime, startTime } = status;
  const field = "status.completionTime";
  if (completionTime && !complete) {
    const detail = "cannot set completionTime when there is no Complete=True condition";
    errors.push(invalidValue(field, completionTime, detail));
  }
  if (!completionTime && complete) {
    errors.push(required(field, "completionTime is required for Complete jobs"));
  }
  if (startTime && completionTime && Date.parse(completionTime) < Date.parse(startTime)) {
    errors.push(invalidValue(field, completionTime, "must be equal to or after `startTime`"));
  }
  if (failed && !isTrue(status, "FailureTarget")) {
    errors.push(clash("cannot set Failed=True condition without the FailureTarget=true condition"));
  }
  if (complete && !isTrue(status, "SuccessCriteriaMet")) {
    errors.push(
      clash("cannot set Complete=True condition without the SuccessCriteriaMet=true condition"),
    );
  }
  return errors;
}

function finishedErrors(status: Status): FieldError[] {
  if (!isTrue(status, "Complete") && !isTrue(status, "Failed")) return [];
  const { active = 0, startTime, terminating = 0, uncountedTerminatedPods = {} } = status;
  const errors: FieldError[] = [];
  if (active > 0) {
    errors.push(invalidValue("status.active", active, "active>0 is invalid for finished job"));
  }
  if (!startTime) {
    errors.push(required("status.startTime", "startTime is required for finished job"));
  }
  const { succeeded = [], failed = [] } = uncountedTerminatedPods;
  if (succeeded.length + failed.length > 0) {
    const shown = { Succeeded: succeeded, Failed: failed };
    const detail = "must be empty for finished job";
    errors.push(invalidValue("status.uncountedTerminatedPods", shown, detail));
  }
  if (terminating > 0) {
    const detail = "terminating>0 is invalid for finished job";
    errors.push(invalidValue("status.terminating", terminating, detail));
  }
  return errors;
}

function indexErrors({ spec }: Job, status: Status): FieldError[] {
  const { completedIndexes = "", failedIndexes } = status;
  const errors: FieldError[] = [];
  const read = (part: "completedIndexes" | "failedIndexes", text: string): number[] => {
    if (spec.completions === undefined) return [];
    try {
      return parseIndexes(text, spec.completions);
    } catch (thrown) {
      const detail = `error parsing ${part}: ${messageOf(thrown)}`;
      errors.push(invalidValue(`status.${part}`, text, detail));
      return [];
    }
  };
  const completed = read("completedIndexes", completedIndexes);
  const counted = spec.backoffLimitPerIndex !== undefined && failedIndexes !== undefined;
  const failed = counted ? read("failedIndexes", failedIndexes) : [];
  if (completedIndexes !== "" && spec.completionMode !== "Indexed") {
    const detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
    errors.push(invalidValue("status.completedIndexes", completedIndexes, detail));
  }
  if (failedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    const detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
    errors.push(invalidValue("status.failedIndexes", failedIndexes, detail));
  }
  const both = failed.find((index) => completed.includes(index));
  if (both !== undefined) {
    const detail = `failedIndexes and completedIndexes overlap at index: ${both}`;
    errors.push(invalidValue("status.failedIndexes", failedIndexes, detail));
  }
  return errors;
}

function balanceErrors(status: Status): FieldError[] {
  const { ready, active = 0 } = status;
  const errors: FieldError[] = [];
  if (ready !== undefined && ready > active) {
    errors.push(invalidValue("status.ready", ready, "cannot set more ready pods than active"));
  }
  if (!isTrue(status, "SuccessCriteriaMet")) return errors;
  for (const type of ["Failed", "FailureTarget"]) {
    if (!isTrue(status, type)) continue;
    const shown = type === "Failed" ? "Failed=true" : "FailureTarget=true";
    errors.push(clash(`cannot set SuccessCriteriaMet=True and ${shown} conditions`));
  }
  return errors;
}

function changeErrors({ spec }: Job, status: Status, old: Status): FieldError[] {
  const errors: FieldError[] = [];
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (isTrue(old, type) && !isTrue(status, type)) {
      errors.push(clash(`cannot disable the terminal ${type}=True condition`));
    }
  }
  for (const part of ["failed", "succeeded"] as const) {
    if ((status[part] ?? 0) < (old[part] ?? 0)) {
      const detail = `cannot decrease the ${part} counter`;
      errors.push(invalidValue(`status.${part}`, status[part] ?? 0, detail));
    }
  }
  if (old.completionTime && status.completionTime) {
    errors.push(...immutable("status.completionTime", status.completionTime, old.completionTime));
  }
  if (old.startTime && old.startTime !== status.startTime && spec.suspend !== true) {
    const detail = "field is immutable for unsuspended job once set";
    errors.push(invalidValue("status.startTime", status.startTime ?? null, detail));
  }
  if (isTrue(old, "SuccessCriteriaMet") && !isTrue(status, "SuccessCriteriaMet")) {
    errors.push(clash("cannot disable the SuccessCriteriaMet=True condition"));
  }
  return errors;
}
