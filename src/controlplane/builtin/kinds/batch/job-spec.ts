/** The shape, defaults and validation of a Job's spec, which a CronJob contains too. */
import type { JobSpec as BuiltInSpec } from "../../../../generated/k8s/batch-v1.ts";
import type { PodTemplate } from "../../shared/pods/pod-shapes.ts";
import type { LabelSelector } from "../../shared/shapes.ts";
import type { Check } from "../../../../kube/check.ts";
import { checkDomainPrefixedPath, checkNotNegative } from "../../shared/checks.ts";
import { setPodTemplateDefaults } from "../../shared/pods/defaults.ts";
import { checkTemplate } from "../../shared/workloads/pod-spec.ts";
import { internalForm } from "../../go/internal.ts";
import { messageOf } from "../../../../errors.ts";
import { quote } from "../../../../kube/field-errors.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import { parseIndexes } from "./job-indexes.ts";

export interface JobSpec extends Omit<BuiltInSpec, "selector" | "template" | "completionMode"> {
  completionMode?: string;
  selector?: LabelSelector;
  template: PodTemplate;
}

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

const MAX_RULES = 20;
const MAX_CODES = 255;

type FailureRule = NonNullable<JobSpec["podFailurePolicy"]>["rules"][number];
type ExitCodes = NonNullable<FailureRule["onExitCodes"]>;
type SuccessRule = NonNullable<JobSpec["successPolicy"]>["rules"][number];

/** Validates a word that is required; the message about a missing one lists the valid ones. */
function checkWord(word: Check<string | undefined>, known: readonly string[]): void {
  if (word.given(`valid values: [${known.map(quote).join(" ")}]`)) word.oneOf(known);
}

function checkFailurePolicy(spec: Check<JobSpec>): void {
  const rules = spec.at("podFailurePolicy", "rules");
  const { containers, initContainers = [] } = spec.value.template.spec;
  const names = [...(containers ?? []), ...initContainers].map(({ name }) => name);
  rules.atMost(MAX_RULES);
  rules.each((rule) => checkFailureRule(rule, spec.value, names));
}

function checkFailureRule(
  rule: Check<FailureRule>,
  spec: JobSpec,
  containers: readonly string[],
): void {
  const { onExitCodes, onPodConditions = [] } = rule.value;
  const action = rule.at("action");
  if (action.value !== "FailIndex") {
    checkWord(action, ["Count", "FailIndex", "FailJob", "Ignore"]);
  } else if (spec.backoffLimitPerIndex === undefined) {
    action.invalid("requires the backoffLimitPerIndex to be set");
  }
  rule.at("onExitCodes").ifSet((codes) => checkExitCodes(codes, containers));
  rule.at("onPodConditions").each((pattern) => {
    pattern.at("type").named(qualifiedNameErrors);
    checkWord(pattern.at("status"), ["False", "True", "Unknown"]);
  });
  if (onExitCodes && onPodConditions.length > 0) {
    rule.invalidStructure("specifying both OnExitCodes and OnPodConditions is not supported");
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    rule.invalidStructure("specifying one of OnExitCodes and OnPodConditions is required");
  }
}

function checkExitCodes(codes: Check<ExitCodes>, containers: readonly string[]): void {
  const { operator, containerName } = codes.value;
  const values: Check<readonly number[] | null> = codes.at("values");
  const numbers = values.value ?? [];
  checkWord(codes.at("operator"), ["In", "NotIn"]);
  if (containerName !== undefined && !containers.includes(containerName)) {
    codes
      .at("containerName")
      .invalid("must be one of the container or initContainer names in the pod template");
  }
  if (numbers.length === 0) values.invalid("at least one value is required");
  else values.atMost(MAX_CODES);
  const seen = new Set<number>();
  values.each((value) => {
    if (operator === "In" && value.value === 0) value.invalid("must not be 0 for the In operator");
    value.uniqueIn(seen);
  });
  const isOrdered = numbers.every(
    (value, index) => index === 0 || (numbers[index - 1] ?? 0) <= value,
  );
  if (!isOrdered) values.invalid("must be ordered");
}

function checkSuccessPolicy(spec: Check<JobSpec>): void {
  const { completions = 0 } = spec.value;
  const rules = spec.at("successPolicy", "rules");
  rules.given("at least one rules must be specified when the successPolicy is specified");
  rules.atMost(MAX_RULES);
  rules.each((rule) => checkSuccessRule(rule, completions));
}

function checkSuccessRule(rule: Check<SuccessRule>, completions: number): void {
  const { succeededIndexes, succeededCount } = rule.value;
  const count = rule.at("succeededCount");
  if (succeededIndexes === undefined && succeededCount === undefined) {
    rule.required("at least one of succeededCount or succeededIndexes must be specified");
  }
  let total = succeededIndexes === undefined ? Infinity : 0;
  rule.at("succeededIndexes").ifSet((indexes) => {
    try {
      total = parseIndexes(indexes.value, completions).length;
    } catch (thrown) {
      indexes.invalid(`error parsing succeededIndexes: ${messageOf(thrown)}`);
    }
  });
  if (succeededCount === undefined) return;
  checkNotNegative(count);
  const refuse = (most: number, what: string): void =>
    count.invalid(`must be less than or equal to ${most} (the number of ${what})`);
  if (succeededCount > completions) refuse(completions, "specified completions");
  if (succeededCount > total) refuse(total, "indexes in the specified succeededIndexes field");
}
