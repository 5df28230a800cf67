/**
 * Validation of Jobs and CronJobs.
 *
 * @module
 */
import { messageOf } from "../../../../errors.ts";
import { parseCron } from "../../../../kube/cron.ts";
import {
  type FieldError,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { matchesLabelSelector } from "../../../../kube/selector.ts";
import { internalForm } from "../go-internal.ts";
import type { Container, PodTemplate } from "../pod-shapes.ts";
import type { CronJob, Job, JobSpec } from "../workload-shapes.ts";
import { selectorErrors } from "../../../../kube/selector-rules.ts";
import {
  domainPrefixedPathErrors,
  immutable,
  immutableForm,
  notNegative,
  oneOf,
} from "./checks.ts";
import { failurePolicyErrors, successPolicyErrors } from "./job-policies.ts";
import { templateErrors } from "./pods.ts";
import { mismatchErrors } from "./workload-selection.ts";

const MODES = ["NonIndexed", "Indexed"];
const REPLACEMENTS = ["Failed", "TerminatingOrFailed"];
const CONCURRENCY = ["Allow", "Forbid", "Replace"];

export function jobErrors(object: SentObject): FieldError[] {
  const { spec, metadata } = object as Job;
  const errors = [...generatedErrors(object as Job), ...jobSpecErrors("spec", spec)];
  errors.push(...jobSelectorErrors(spec));
  if (spec.completionMode !== "Indexed" || !spec.completions) return errors;
  const longest = `${metadata.name ?? ""}-${spec.completions - 1}`;
  return dns1123LabelErrors(longest).length === 0
    ? errors
    : [
        ...errors,
        invalidValue(
          "metadata.name",
          metadata.name ?? "",
          `will not able to create pod with invalid DNS label: ${longest}`,
        ),
      ];
}

function jobSelectorErrors({ selector, template }: JobSpec): FieldError[] {
  const errors = selector ? selectorErrors("spec.selector", selector) : [required("spec.selector")];
  return selector && errors.length > 0
    ? errors
    : [...errors, ...mismatchErrors(selector, template)];
}

/** What the server puts into the labels and the selector of a Job that does not select by itself. */
function generatedErrors({ spec, metadata }: Job): FieldError[] {
  if (spec.manualSelector === true || !spec.selector) return [];
  const { uid = "", name = "" } = metadata;
  const labels = spec.template.metadata?.labels ?? {};
  const expected: Record<string, string> = {
    "controller-uid": uid,
    "job-name": name,
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
  };
  const errors = Object.entries(expected).flatMap(([key, value]) => {
    const field = "spec.template.metadata.labels";
    const found = labels[key];
    if (found === undefined) return [required(`${field}[${key}]`, `must be '${value}'`)];
    const sorted = Object.fromEntries(
      Object.entries(labels).toSorted(([left], [right]) => (left < right ? -1 : 1)),
    );
    return found === value ? [] : [invalidValue(`${field}[${key}]`, sorted, `must be '${value}'`)];
  });
  return matchesLabelSelector(spec.selector, expected)
    ? errors
    : [...errors, invalidValue("spec.selector", spec.selector, "`selector` not auto-generated")];
}

const MAX_INDEXED = 100_000;

function jobSpecErrors(field: string, spec: JobSpec): FieldError[] {
  const errors = (
    [
      "parallelism",
      "completions",
      "activeDeadlineSeconds",
      "backoffLimit",
      "ttlSecondsAfterFinished",
      "backoffLimitPerIndex",
      "maxFailedIndexes",
    ] as const
  ).flatMap((part) => notNegative(`${field}.${part}`, spec[part]));
  const { completionMode, podFailurePolicy, podReplacementPolicy, successPolicy } = spec;
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(required(`${field}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  if (spec.managedBy !== undefined) {
    errors.push(...domainPrefixedPathErrors(`${field}.managedBy`, spec.managedBy));
    if (spec.managedBy.length > 63) errors.push(tooLong(`${field}.managedBy`, 63));
  }
  if (completionMode !== undefined) {
    errors.push(...oneOf(`${field}.completionMode`, completionMode, MODES));
  }
  if (completionMode === "Indexed") errors.push(...indexedErrors(field, spec));
  else if (completionMode === undefined || completionMode === "NonIndexed") {
    errors.push(...unindexedErrors(field, spec));
  }
  if (podFailurePolicy) errors.push(...failurePolicyErrors(`${field}.podFailurePolicy`, spec));
  if (successPolicy) {
    if (completionMode === "Indexed") {
      errors.push(...successPolicyErrors(`${field}.successPolicy`, spec));
    } else {
      const shown = internalForm("batch.SuccessPolicy", successPolicy);
      errors.push(
        invalidValue(`${field}.successPolicy`, shown, "requires indexed completion mode"),
      );
    }
  }
  if (podReplacementPolicy !== undefined) {
    const known = podFailurePolicy ? ["Failed"] : REPLACEMENTS;
    errors.push(...oneOf(`${field}.podReplacementPolicy`, podReplacementPolicy, known));
  }
  return [
    ...errors,
    ...templateErrors(`${field}.template`, spec.template),
    ...restartErrors(`${field}.template.spec.restartPolicy`, spec),
  ];
}

/** Jobs end: their pods do not restart always. */
function restartErrors(field: string, { template, podFailurePolicy }: JobSpec): FieldError[] {
  const { restartPolicy = "" } = template.spec;
  if (restartPolicy === "" || restartPolicy === "Always") {
    return [required(field, 'valid values: "OnFailure", "Never"')];
  }
  if (restartPolicy !== "OnFailure" && restartPolicy !== "Never") {
    return [notSupported(field, restartPolicy, ["OnFailure", "Never"])];
  }
  if (!podFailurePolicy || restartPolicy === "Never") return [];
  const detail = 'only "Never" is supported when podFailurePolicy is specified';
  return [invalidValue(field, restartPolicy, detail)];
}

function indexedErrors(field: string, spec: JobSpec): FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes } = spec;
  const errors: FieldError[] = [];
  const limit = (part: string, value: number, detail: string): void => {
    errors.push(invalidValue(`${field}.${part}`, value, detail));
  };
  if (completions === undefined) {
    errors.push(required(`${field}.completions`, "when completion mode is Indexed"));
  }
  if (parallelism > MAX_INDEXED) {
    const detail = `must be less than or equal to ${MAX_INDEXED} when completion mode is Indexed`;
    limit("parallelism", parallelism, detail);
  }
  if (maxFailedIndexes !== undefined) {
    if (completions !== undefined && maxFailedIndexes > completions) {
      limit("maxFailedIndexes", maxFailedIndexes, "must be less than or equal to completions");
    }
    if (maxFailedIndexes > MAX_INDEXED) {
      limit("maxFailedIndexes", maxFailedIndexes, `must be less than or equal to ${MAX_INDEXED}`);
    }
  }
  if ((completions ?? 0) <= MAX_INDEXED || spec.backoffLimitPerIndex === undefined) return errors;
  const many = "when completions are above 100000 and used with backoff limit per index";
  if (maxFailedIndexes === undefined) {
    const detail = "must be specified when completions is above 100000";
    errors.push(required(`${field}.maxFailedIndexes`, detail));
  }
  for (const [part, value] of [
    ["parallelism", parallelism],
    ["maxFailedIndexes", maxFailedIndexes ?? 0],
  ] as const) {
    if (value > 10_000) limit(part, value, `must be less than or equal to 10000 ${many}`);
  }
  return errors;
}

function unindexedErrors(field: string, spec: JobSpec): FieldError[] {
  return (["backoffLimitPerIndex", "maxFailedIndexes"] as const).flatMap((part) =>
    spec[part] === undefined
      ? []
      : [invalidValue(`${field}.${part}`, spec[part], "requires indexed completion mode")],
  );
}

/** Of a Job little may change: parallelism and suspension, and of a suspended one where and how its pods will run. */
export function jobUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const { spec } = object as Job;
  const { spec: old } = previous as Job;
  const errors = [...jobSpecErrors("spec", spec), ...jobSelectorErrors(spec)];
  if (spec.completionMode !== "Indexed") {
    errors.push(...immutable("spec.completions", spec.completions, old.completions));
  } else if (
    spec.completions !== undefined &&
    spec.completions !== old.completions &&
    spec.completions !== spec.parallelism
  ) {
    const detail = "can only be modified in tandem with spec.parallelism";
    errors.push(invalidValue("spec.completions", spec.completions, detail));
  }
  errors.push(
    ...fixed("selector", "*metav1.LabelSelector", spec, old),
    ...templateUpdateErrors(spec.template, previous as Job),
  );
  for (const [part, type] of [
    ["completionMode", "*text"],
    ["podFailurePolicy", "*batch.PodFailurePolicy"],
    ["backoffLimitPerIndex", "*number"],
    ["managedBy", "*text"],
    ["successPolicy", "*batch.SuccessPolicy"],
  ] as const) {
    errors.push(...fixed(part, type, spec, old));
  }
  return errors;
}

/** A field that keeps its value, shown as the server keeps it. */
const fixed = (part: keyof JobSpec, type: string, now: JobSpec, old: JobSpec): FieldError[] =>
  immutableForm(`spec.${part}`, type, now[part], old[part]);

/** Whether the pods of a job are not there yet, or not any more. */
function mayChangePods({ spec, status = {} }: Job): boolean {
  const isSuspended = (status.conditions ?? []).some(
    (condition) => condition.type === "Suspended" && condition.status === "True",
  );
  const waits = status.startTime === undefined || isSuspended;
  return spec.suspend === true && waits && (status.active ?? 0) === 0;
}

function templateUpdateErrors(template: PodTemplate, previous: Job): FieldError[] {
  const { template: before } = previous.spec;
  const field = "spec.template";
  if (!mayChangePods(previous)) {
    return immutableForm(field, "core.PodTemplateSpec", template, before);
  }
  const { affinity, nodeSelector, tolerations, schedulingGates } = template.spec;
  const others = { ...before.spec.affinity };
  delete others.nodeAffinity;
  const { nodeAffinity } = affinity ?? {};
  const merged = { ...others, ...(nodeAffinity ? { nodeAffinity } : {}) };
  const old = {
    ...before.spec,
    affinity: affinity || Object.keys(merged).length > 0 ? merged : undefined,
    nodeSelector,
    tolerations,
    schedulingGates,
    containers: withResources(before.spec.containers, template.spec.containers),
    initContainers: withResources(before.spec.initContainers, template.spec.initContainers),
  };
  return immutableForm(`${field}.spec`, "core.PodSpec", template.spec, old);
}

/** Containers with the resources that they are to have. */
function withResources(
  old: readonly Container[] | null | undefined,
  now: readonly Container[] | null | undefined,
): readonly Container[] | null | undefined {
  if (old?.length !== now?.length) return old;
  return old?.map((container, index) => {
    const next = now?.[index];
    return next?.name === container.name
      ? { ...container, resources: next.resources ?? {} }
      : container;
  });
}

/** What is wrong with a new CronJob. */
export function newCronJobErrors(object: SentObject): FieldError[] {
  const { spec, metadata } = object as CronJob;
  const errors = cronJobSpecErrors(spec, undefined);
  const { name = "" } = metadata;
  return name.length > 52
    ? [...errors, invalidValue("metadata.name", name, "must be no more than 52 characters")]
    : errors;
}

export function cronJobUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  return cronJobSpecErrors((object as CronJob).spec, (previous as CronJob).spec);
}

function cronJobSpecErrors(spec: CronJob["spec"], old: CronJob["spec"] | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const { schedule, timeZone, concurrencyPolicy = "", jobTemplate } = spec;
  const field = "spec.schedule";
  if (schedule === "") errors.push(required(field));
  else errors.push(...scheduleErrors(field, spec, old?.schedule.includes("TZ") === true));
  errors.push(...notNegative("spec.startingDeadlineSeconds", spec.startingDeadlineSeconds));
  if (timeZone !== undefined && timeZone !== old?.timeZone) {
    errors.push(...timeZoneErrors(timeZone));
  }
  errors.push(
    ...oneOf("spec.concurrencyPolicy", concurrencyPolicy, CONCURRENCY),
    ...jobSpecErrors("spec.jobTemplate.spec", jobTemplate.spec),
  );
  const at = "spec.jobTemplate.spec";
  if (jobTemplate.spec.selector) {
    const detail = "`selector` will be auto-generated";
    errors.push(invalidValue(`${at}.selector`, jobTemplate.spec.selector, detail));
  }
  if (jobTemplate.spec.manualSelector === true) {
    errors.push(notSupported(`${at}.manualSelector`, true, ["nil", "false"]));
  }
  return [
    ...errors,
    ...notNegative("spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit),
    ...notNegative("spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit),
  ];
}

function scheduleErrors(
  field: string,
  { schedule, timeZone }: CronJob["spec"],
  mayNameZone: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  try {
    parseCron(schedule);
  } catch (thrown) {
    errors.push(invalidValue(field, schedule, messageOf(thrown)));
  }
  if (!schedule.includes("TZ")) return errors;
  if (!mayNameZone) {
    const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    return [...errors, invalidValue(field, schedule, detail)];
  }
  if (timeZone === undefined) return errors;
  const detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
  return [...errors, invalidValue(field, schedule, detail)];
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
