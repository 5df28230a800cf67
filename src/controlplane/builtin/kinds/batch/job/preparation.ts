/**
 * Defaults of Jobs, and what a create prepares.
 *
 * @module
 */
import { setJobSpecDefaults } from "../job-spec.ts";
import type { Job } from "./shape.ts";

export function setJobDefaults(object: Job): void {
  const { spec, metadata } = object;
  setJobSpecDefaults(spec);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
  const labels = spec.template.metadata?.labels;
  // The labels are the very same ones: those that the template is given later are the job's too.
  if (labels && !metadata.labels) metadata.labels = labels;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  spec.manualSelector ??= false;
}

/** A new Job selects its pods by its own uid, unless its writer takes care of that. */
export function prepareJobForCreate(object: Job): void {
  const { spec, metadata } = object;
  if (spec.manualSelector) return;
  const uid = metadata.uid ?? "";
  const labels = ((spec.template.metadata ??= {}).labels ??= {});
  labels["controller-uid"] ??= uid;
  labels["batch.kubernetes.io/controller-uid"] ??= uid;
  labels["job-name"] ??= metadata.name ?? "";
  labels["batch.kubernetes.io/job-name"] ??= metadata.name ?? "";
  spec.selector ??= {};
  (spec.selector.matchLabels ??= {})["batch.kubernetes.io/controller-uid"] ??= uid;
}
