/** Defaults and validation of a Job's spec, which a CronJob contains too. */
import type { Check } from "../../../../kube/check.ts";
import { checkDomainPrefixedPath, checkNotNegative } from "../../shared/checks.ts";
import { setPodTemplateDefaults } from "../../shared/pods/defaults.ts";
import { checkTemplate } from "../../shared/pods/pod-spec.ts";
import { internalForm } from "../../strategies/go-internal.ts";
import { checkFailurePolicy, checkSuccessPolicy } from "./job-policies.ts";
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

const MAX_INDEXED = 100_000;
const NEEDS_INDEXES = "requires indexed completion mode";

export function checkJobSpec(spec: Check<JobSpec>): void {
  const { completionMode, podFailurePolicy, successPolicy } = spec.value;
  for (const part of [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ] as const) {
    checkNotNegative(spec.at(part));
  }
  if (spec.value.maxFailedIndexes !== undefined) {
    const limit = spec.at("backoffLimitPerIndex");
    if (limit.value === undefined) limit.required("when maxFailedIndexes is specified");
  }
  spec.at("managedBy").ifSet((manager) => {
    checkDomainPrefixedPath(manager);
    if (manager.value.length > 63) manager.tooLong(63);
  });
  spec.at("completionMode").ifSet((mode) => mode.oneOf(["NonIndexed", "Indexed"]));
  if (completionMode === "Indexed") checkIndexed(spec);
  else if (completionMode === undefined || completionMode === "NonIndexed") {
    for (const part of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      spec.at(part).ifSet((limit) => limit.invalid(NEEDS_INDEXES));
    }
  }
  if (podFailurePolicy) checkFailurePolicy(spec);
  if (successPolicy && completionMode === "Indexed") checkSuccessPolicy(spec);
  else if (successPolicy) {
    const shown = internalForm("batch.SuccessPolicy", successPolicy);
    spec.at("successPolicy").invalid(NEEDS_INDEXES, shown);
  }
  spec.at("podReplacementPolicy").ifSet((policy) => {
    policy.oneOf(podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"]);
  });
  checkTemplate(spec.at("template"));
  checkRestartPolicy(spec.at("template").at("spec", "restartPolicy"), podFailurePolicy);
}

/** Validates the restart policy: the pods of a Job end, so they are not always restarted. */
function checkRestartPolicy(
  policy: Check<string | undefined>,
  failurePolicy: JobSpec["podFailurePolicy"],
): void {
  const { value = "" } = policy;
  if (value === "" || value === "Always") policy.required('valid values: "OnFailure", "Never"');
  else if (value !== "OnFailure") policy.oneOf(["OnFailure", "Never"]);
  else if (failurePolicy) {
    policy.invalid('only "Never" is supported when podFailurePolicy is specified');
  }
}

function checkIndexed(spec: Check<JobSpec>): void {
  const completions = spec.at("completions");
  const { backoffLimitPerIndex } = spec.value;
  const parallelism = spec.child("parallelism", spec.value.parallelism ?? 0);
  const failures = spec.at("maxFailedIndexes");
  const most = "must be less than or equal to";
  if (completions.value === undefined) completions.required("when completion mode is Indexed");
  if (parallelism.value > MAX_INDEXED) {
    parallelism.invalid(`${most} ${MAX_INDEXED} when completion mode is Indexed`);
  }
  failures.ifSet(({ value }) => {
    if (value > (completions.value ?? Infinity)) failures.invalid(`${most} completions`);
    if (value > MAX_INDEXED) failures.invalid(`${most} ${MAX_INDEXED}`);
  });
  if ((completions.value ?? 0) <= MAX_INDEXED || backoffLimitPerIndex === undefined) return;
  if (failures.value === undefined) {
    failures.required("must be specified when completions is above 100000");
  }
  for (const count of [parallelism, failures]) {
    if ((count.value ?? 0) <= 10_000) continue;
    const when = "when completions are above 100000 and used with backoff limit per index";
    count.invalid(`${most} 10000 ${when}`);
  }
}
