/** Validation of Jobs. */
import { type FieldError, invalidValue, required } from "../../../../../kube/field-errors.ts";
import { dns1123LabelErrors } from "../../../../../kube/names.ts";
import { selectorErrors } from "../../../../../kube/selectors/selector-rules.ts";
import { matchesLabelSelector } from "../../../../../kube/selectors/selector.ts";
import { immutable, immutableForm } from "../../../shared/checks.ts";
import type { Container, PodTemplate } from "../../../shared/pods/shapes.ts";
import { mismatchErrors } from "../../../shared/workloads/selection.ts";
import type { JobSpec } from "../job-spec-shape.ts";
import { jobSpecErrors } from "../job-spec.ts";
import type { Job } from "./shape.ts";

export function jobErrors(object: Job): FieldError[] {
  const { spec, metadata } = object;
  const errors = [...generatedErrors(object), ...jobSpecErrors("spec", spec)];
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

/**
 * Validates the labels and the selector that the server generates for a Job without a manual
 * selector.
 */
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

/**
 * Validates an update of a Job: parallelism and suspension may change and, while it is suspended,
 * where and how its pods will run.
 */
export function jobUpdateErrors(object: Job, previous: Job): FieldError[] {
  const { spec } = object;
  const { spec: old } = previous;
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
    ...templateUpdateErrors(spec.template, previous),
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

/**
 * Validates that a field of the spec is unchanged; the message shows the API server's internal
 * form.
 */
const fixed = (part: keyof JobSpec, type: string, now: JobSpec, old: JobSpec): FieldError[] =>
  immutableForm(`spec.${part}`, type, now[part], old[part]);

/** Whether the Job is suspended and has no pods, so that its template may change. */
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

/** Containers with the given resources. */
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
