import type { Check } from "../../../../../kube/check.ts";
import { dns1123LabelErrors } from "../../../../../kube/names.ts";
import { selectorErrors } from "../../../../../kube/selectors/selector-rules.ts";
import { matchesLabelSelector } from "../../../../../kube/selectors/selector.ts";
import { checkUnchangedForm } from "../../../shared/checks.ts";
import type { Container, PodTemplate } from "../../../shared/pods/pod-shapes.ts";
import { checkSelection } from "../../../shared/workloads/selection.ts";
import { type JobSpec, checkJobSpec } from "../job-spec.ts";
import type { Job } from "./shape.ts";

export function checkJob(job: Check<Job>): void {
  const { spec, metadata } = job.value;
  checkGenerated(job);
  checkJobSpec(job.at("spec"));
  checkJobSelector(job.at("spec"));
  if (spec.completionMode !== "Indexed" || !spec.completions) return;
  const { name = "" } = metadata;
  const longest = `${name}-${spec.completions - 1}`;
  if (dns1123LabelErrors(longest).length === 0) return;
  const detail = `will not able to create pod with invalid DNS label: ${longest}`;
  job.at("metadata", "name").invalid(detail, name);
}

function checkJobSelector(spec: Check<JobSpec>): void {
  const selector = spec.at("selector");
  if (!selector.value) selector.required();
  else if (!selector.passes((it) => it.by(selectorErrors))) return;
  checkSelection(spec.at("template"), selector.value);
}

/**
 * Validates the labels and the selector that the server generates for a Job without a manual
 * selector.
 */
function checkGenerated(job: Check<Job>): void {
  const { spec, metadata } = job.value;
  if (spec.manualSelector === true || !spec.selector) return;
  const { uid = "", name = "" } = metadata;
  const expected: Record<string, string> = {
    "controller-uid": uid,
    "job-name": name,
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
  };
  const labels = job.at("spec", "template").at("metadata", "labels");
  const sorted = Object.entries(labels.value ?? {}).toSorted(([left], [right]) =>
    left < right ? -1 : 1,
  );
  for (const [key, value] of Object.entries(expected)) {
    const label = labels.entry(key);
    if (label.value === undefined) label.required(`must be '${value}'`);
    else if (label.value !== value) {
      label.invalid(`must be '${value}'`, Object.fromEntries(sorted));
    }
  }
  if (!matchesLabelSelector(spec.selector, expected)) {
    job.at("spec", "selector").invalid("`selector` not auto-generated");
  }
}

/**
 * Validates an update of a Job: parallelism and suspension may change and, while it is suspended,
 * where and how its pods will run.
 */
export function checkJobUpdate(job: Check<Job>, previous: Job): void {
  const spec = job.at("spec");
  const completions = spec.at("completions");
  const { spec: old } = previous;
  checkJobSpec(spec);
  checkJobSelector(spec);
  if (spec.value.completionMode !== "Indexed") completions.unchanged(old.completions);
  else if (
    completions.value !== undefined &&
    completions.value !== old.completions &&
    completions.value !== spec.value.parallelism
  ) {
    completions.invalid("can only be modified in tandem with spec.parallelism");
  }
  checkUnchangedForm(spec.at("selector"), "*metav1.LabelSelector", old.selector);
  checkTemplateUpdate(spec.at("template"), previous);
  checkUnchangedForm(spec.at("completionMode"), "*text", old.completionMode);
  checkUnchangedForm(spec.at("podFailurePolicy"), "*batch.PodFailurePolicy", old.podFailurePolicy);
  checkUnchangedForm(spec.at("backoffLimitPerIndex"), "*number", old.backoffLimitPerIndex);
  checkUnchangedForm(spec.at("managedBy"), "*text", old.managedBy);
  checkUnchangedForm(spec.at("successPolicy"), "*batch.SuccessPolicy", old.successPolicy);
}

/** Whether the Job is suspended and has no pods, so that its template may change. */
function mayChangePods({ spec, status = {} }: Job): boolean {
  const isSuspended = (status.conditions ?? []).some(
    (condition) => condition.type === "Suspended" && condition.status === "True",
  );
  const waits = status.startTime === undefined || isSuspended;
  return spec.suspend === true && waits && (status.active ?? 0) === 0;
}

function checkTemplateUpdate(template: Check<PodTemplate>, previous: Job): void {
  const { template: before } = previous.spec;
  if (!mayChangePods(previous)) {
    checkUnchangedForm(template, "core.PodTemplateSpec", before);
    return;
  }
  const { spec } = template.value;
  const { affinity, nodeSelector, tolerations, schedulingGates } = spec;
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
    containers: withResources(before.spec.containers, spec.containers),
    initContainers: withResources(before.spec.initContainers, spec.initContainers),
  };
  checkUnchangedForm<unknown>(template.at("spec"), "core.PodSpec", old);
}

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
