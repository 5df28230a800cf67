/** Validation of the status of Jobs: counts never fall, and a Job ends once, for a reason. */
import { messageOf } from "../../../../../errors.ts";
import type { Check } from "../../../../../kube/check.ts";
import { checkNotNegative } from "../../../shared/checks.ts";
import { parseIndexes } from "../job-indexes.ts";
import type { Job } from "./shape.ts";

type Status = NonNullable<Job["status"]>;

const isTrue = ({ conditions = [] }: Status, type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === "True");

export function checkJobStatus(job: Check<Job>, { status: old = {} }: Job): void {
  const { spec } = job.value;
  const status: Check<Status> = job.child("status", job.value.status ?? {});
  for (const part of ["active", "succeeded", "failed", "ready", "terminating"] as const) {
    checkNotNegative(status.at(part));
  }
  const uids = new Set<string>();
  for (const part of ["succeeded", "failed"] as const) {
    status.at("uncountedTerminatedPods", part).each((uid) => {
      if (uid.value === "") uid.invalid("must not be empty");
      else uid.uniqueIn(uids);
    });
  }
  checkEnding(status);
  if (isTrue(status.value, "Complete") || isTrue(status.value, "Failed")) checkFinished(status);
  checkIndexes(status, spec);
  checkBalance(status);
  checkChanges(status, old, spec.suspend === true);
}

/** Reports conditions that contradict each other, or the old ones. */
function refuseConditions(status: Check<Status>, detail: string): void {
  status.at("conditions").invalidStructure(detail);
}

function checkEnding(status: Check<Status>): void {
  const { startTime = "", completionTime } = status.value;
  const complete = isTrue(status.value, "Complete");
  const failed = isTrue(status.value, "Failed");
  const completion = status.at("completionTime");
  if (complete && failed) {
    refuseConditions(status, "cannot set Complete=True and Failed=true conditions");
  }
  if (complete && isTrue(status.value, "FailureTarget")) {
    refuseConditions(status, "cannot set Complete=True and FailureTarget=true conditions");
  }
  if (completionTime && !complete) {
    completion.invalid("cannot set completionTime when there is no Complete=True condition");
  }
  if (complete) completion.given("completionTime is required for Complete jobs");
  if (completionTime && Date.parse(completionTime) < Date.parse(startTime)) {
    completion.invalid("must be equal to or after `startTime`");
  }
  const needs = (condition: string, other: string): string =>
    `cannot set ${condition} condition without the ${other} condition`;
  if (failed && !isTrue(status.value, "FailureTarget")) {
    refuseConditions(status, needs("Failed=True", "FailureTarget=true"));
  }
  if (complete && !isTrue(status.value, "SuccessCriteriaMet")) {
    refuseConditions(status, needs("Complete=True", "SuccessCriteriaMet=true"));
  }
}

function checkFinished(status: Check<Status>): void {
  const { active = 0, terminating = 0, uncountedTerminatedPods = {} } = status.value;
  if (active > 0) status.at("active").invalid("active>0 is invalid for finished job");
  status.at("startTime").given("startTime is required for finished job");
  const { succeeded = [], failed = [] } = uncountedTerminatedPods;
  if (succeeded.length + failed.length > 0) {
    const shown = { Succeeded: succeeded, Failed: failed };
    status.at("uncountedTerminatedPods").invalid("must be empty for finished job", shown);
  }
  if (terminating > 0) {
    status.at("terminating").invalid("terminating>0 is invalid for finished job");
  }
}

function checkIndexes(status: Check<Status>, spec: Job["spec"]): void {
  const completed = status.at("completedIndexes");
  const failed = status.at("failedIndexes");
  const read = (part: "completedIndexes" | "failedIndexes"): number[] => {
    const { value: text = "" } = status.at(part);
    if (spec.completions === undefined) return [];
    try {
      return parseIndexes(text, spec.completions);
    } catch (thrown) {
      status.at(part).invalid(`error parsing ${part}: ${messageOf(thrown)}`);
      return [];
    }
  };
  const completedOnes = read("completedIndexes");
  const failedOnes = spec.backoffLimitPerIndex === undefined ? [] : read("failedIndexes");
  if (completed.value && spec.completionMode !== "Indexed") {
    completed.invalid("cannot set non-empty completedIndexes when non-indexed completion mode");
  }
  if (failed.value !== undefined && spec.backoffLimitPerIndex === undefined) {
    failed.invalid("cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  }
  const both = failedOnes.find((index) => completedOnes.includes(index));
  if (both !== undefined) {
    failed.invalid(`failedIndexes and completedIndexes overlap at index: ${both}`);
  }
}

function checkBalance(status: Check<Status>): void {
  const { active = 0 } = status.value;
  status.at("ready").ifSet((ready) => {
    if (ready.value > active) ready.invalid("cannot set more ready pods than active");
  });
  if (!isTrue(status.value, "SuccessCriteriaMet")) return;
  for (const type of ["Failed", "FailureTarget"]) {
    if (!isTrue(status.value, type)) continue;
    refuseConditions(status, `cannot set SuccessCriteriaMet=True and ${type}=true conditions`);
  }
}

function checkChanges(status: Check<Status>, old: Status, isSuspended: boolean): void {
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (isTrue(old, type) && !isTrue(status.value, type)) {
      refuseConditions(status, `cannot disable the terminal ${type}=True condition`);
    }
  }
  for (const part of ["failed", "succeeded"] as const) {
    const { value: count = 0 } = status.at(part);
    if (count < (old[part] ?? 0)) {
      status.at(part).invalid(`cannot decrease the ${part} counter`, count);
    }
  }
  const { completionTime } = old;
  if (completionTime) status.at("completionTime").ifSet((time) => time.unchanged(completionTime));
  const start = status.at("startTime");
  if (old.startTime && old.startTime !== start.value && !isSuspended) {
    start.invalid("field is immutable for unsuspended job once set", start.value ?? null);
  }
  if (isTrue(old, "SuccessCriteriaMet") && !isTrue(status.value, "SuccessCriteriaMet")) {
    refuseConditions(status, "cannot disable the SuccessCriteriaMet=True condition");
  }
}
