/**
 * Validation of Jobs and CronJobs.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import {
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import { matchesLabelSelector } from "../../../../kube/selector.ts";
import type { CronJob, Job, JobSpec } from "../workload-shapes.ts";
import { notNegative } from "./checks.ts";
import { neverRestartsAlways, templateErrors } from "./pods.ts";

const MODES = ["NonIndexed", "Indexed"];
const REPLACEMENTS = ["Failed", "TerminatingOrFailed"];
const CONCURRENCY = ["Allow", "Forbid", "Replace"];
const IMMUTABLE = "field is immutable";
const UNMATCHED = "`selector` does not match template `labels`";

export function jobErrors(object: KubeObject): FieldError[] {
  const { spec, metadata } = object as Job;
  const { selector, template } = spec;
  const labels = template.metadata?.labels;
  const errors = jobSpecErrors("spec", spec);
  const mismatch = invalidValue("spec.template.metadata.labels", labels ?? null, UNMATCHED);
  if (!selector) return [required("spec.selector"), mismatch, ...errors];
  if (spec.manualSelector !== true) {
    const own = "batch.kubernetes.io/controller-uid";
    const expected = { matchLabels: { [own]: metadata.uid ?? "" } };
    const former = { matchLabels: { "controller-uid": metadata.uid ?? "" } };
    if (!isDeepStrictEqual(selector, expected) && !isDeepStrictEqual(selector, former)) {
      errors.push(invalidValue("spec.selector", selector, "`selector` not auto-generated"));
    }
  }
  if (!matchesLabelSelector(selector, labels)) errors.push(mismatch);
  return errors;
}

function jobSpecErrors(field: string, spec: JobSpec): FieldError[] {
  const errors = [
    ...notNegative(`${field}.parallelism`, spec.parallelism),
    ...notNegative(`${field}.completions`, spec.completions),
    ...notNegative(`${field}.activeDeadlineSeconds`, spec.activeDeadlineSeconds),
    ...notNegative(`${field}.backoffLimit`, spec.backoffLimit),
    ...notNegative(`${field}.ttlSecondsAfterFinished`, spec.ttlSecondsAfterFinished),
    ...notNegative(`${field}.backoffLimitPerIndex`, spec.backoffLimitPerIndex),
    ...notNegative(`${field}.maxFailedIndexes`, spec.maxFailedIndexes),
  ];
  const { completionMode, podReplacementPolicy } = spec;
  if (completionMode !== undefined && !MODES.includes(completionMode)) {
    errors.push(notSupported(`${field}.completionMode`, completionMode, MODES));
  }
  if (completionMode === "Indexed") {
    if (spec.completions === undefined) {
      errors.push(required(`${field}.completions`, "when completion mode is Indexed"));
    }
    const { parallelism = 0 } = spec;
    if (parallelism > 100_000) {
      errors.push(
        invalidValue(
          `${field}.parallelism`,
          parallelism,
          "must be less than or equal to 100000 when completion mode is Indexed",
        ),
      );
    }
  } else if (spec.backoffLimitPerIndex !== undefined) {
    errors.push(
      invalidValue(
        `${field}.backoffLimitPerIndex`,
        spec.backoffLimitPerIndex,
        "requires indexed completion mode",
      ),
    );
  }
  if (podReplacementPolicy !== undefined && !REPLACEMENTS.includes(podReplacementPolicy)) {
    errors.push(notSupported(`${field}.podReplacementPolicy`, podReplacementPolicy, REPLACEMENTS));
  }
  return [
    ...errors,
    ...templateErrors(`${field}.template`, spec.template),
    ...neverRestartsAlways(`${field}.template`, spec.template),
  ];
}

/** Of a Job little may change: parallelism and suspension; its template only while it waits. */
export function jobUpdateErrors(object: KubeObject, previous: KubeObject): FieldError[] {
  const { spec } = object as Job;
  const { spec: old, status } = previous as Job;
  const errors: FieldError[] = [];
  if (!isDeepStrictEqual(spec.selector, old.selector)) {
    errors.push(invalidValue("spec.selector", spec.selector ?? null, IMMUTABLE));
  }
  if (spec.completions !== old.completions) {
    const indexed = old.completionMode === "Indexed" && spec.completions !== undefined;
    if (!indexed) {
      errors.push(invalidValue("spec.completions", spec.completions ?? null, IMMUTABLE));
    } else if (spec.completions !== spec.parallelism) {
      errors.push(
        invalidValue(
          "spec.completions",
          spec.completions,
          "can only be modified in tandem with spec.parallelism",
        ),
      );
    }
  }
  const waits = old.suspend === true && status?.startTime === undefined;
  if (!waits && !isDeepStrictEqual(spec.template, old.template)) {
    errors.push(invalidValue("spec.template", spec.template, IMMUTABLE));
  }
  if (spec.completionMode !== old.completionMode) {
    errors.push(invalidValue("spec.completionMode", spec.completionMode ?? null, IMMUTABLE));
  }
  return errors;
}

export function cronJobErrors(object: KubeObject): FieldError[] {
  const { spec, metadata } = object as CronJob;
  const errors: FieldError[] = [];
  const { schedule, timeZone, concurrencyPolicy = "", jobTemplate } = spec;
  if (schedule === "") errors.push(required("spec.schedule"));
  else if (/^(CRON_)?TZ=/.test(schedule)) {
    errors.push(
      invalidValue(
        "spec.schedule",
        schedule,
        "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
      ),
    );
  }
  if (timeZone !== undefined) errors.push(...timeZoneErrors(timeZone));
  errors.push(
    ...notNegative("spec.startingDeadlineSeconds", spec.startingDeadlineSeconds),
    ...notNegative("spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit),
    ...notNegative("spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit),
  );
  if (!CONCURRENCY.includes(concurrencyPolicy)) {
    errors.push(notSupported("spec.concurrencyPolicy", concurrencyPolicy, CONCURRENCY));
  }
  errors.push(...jobTemplateErrors("spec.jobTemplate.spec", jobTemplate.spec));
  const { name = "" } = metadata;
  if (name.length > 52) {
    errors.push(invalidValue("metadata.name", name, "must be no more than 52 characters"));
  }
  return errors;
}

function jobTemplateErrors(field: string, spec: JobSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.manualSelector === true) {
    errors.push(notSupported(`${field}.manualSelector`, true, ["nil", "false"]));
  }
  if (spec.selector) {
    errors.push(
      invalidValue(`${field}.selector`, spec.selector, "`selector` will be auto-generated"),
    );
  }
  return [...errors, ...jobSpecErrors(field, spec)];
}

function timeZoneErrors(timeZone: string): FieldError[] {
  const field = "spec.timeZone";
  if (timeZone === "") {
    return [invalidValue(field, timeZone, "timeZone must be nil or non-empty string")];
  }
  if (timeZone.toLowerCase() === "local") {
    return [
      invalidValue(
        field,
        timeZone,
        "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
      ),
    ];
  }
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return [];
  } catch {
    return [invalidValue(field, timeZone, `unknown time zone ${timeZone}`)];
  }
}
