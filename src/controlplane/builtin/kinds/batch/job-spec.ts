/** Defaults and validation of a Job's spec, which a CronJob contains too. */
import {
  type FieldError,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../../../kube/field-errors.ts";
import { domainPrefixedPathErrors, notNegative, oneOf } from "../../shared/checks.ts";
import { setPodTemplateDefaults } from "../../shared/pods/defaults.ts";
import { templateErrors } from "../../shared/pods/pod-spec.ts";
import { internalForm } from "../../strategies/go-internal.ts";
import { failurePolicyErrors, successPolicyErrors } from "./job-policies.ts";
import type { JobSpec } from "./job-spec-shape.ts";

export function tooManyIndexes(at: string, spec: JobSpec): string[] {
  const { completionMode, completions = 0, parallelism = 0 } = spec;
  return completionMode === "Indexed" && completions > 100_000 && parallelism > 10_000
    ? [
        `${at}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
      ]
    : [];
}

export function setJobSpecDefaults(spec: JobSpec): void {
  setPodTemplateDefaults(spec.template);
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) if (!pattern.status) pattern.status = "True";
  }
}

const MODES = ["NonIndexed", "Indexed"];
const REPLACEMENTS = ["Failed", "TerminatingOrFailed"];
const MAX_INDEXED = 100_000;

export function jobSpecErrors(field: string, spec: JobSpec): FieldError[] {
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

/** Validates the restart policy: the pods of a Job end, so they are not always restarted. */
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
