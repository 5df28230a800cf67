/** Defaults of Jobs, and the preparation of new ones. */
import { setJobSpecDefaults } from "../job-spec.ts";
import type { Job } from "./shape.ts";

export function setJobDefaults(object: Job): void {
  const { spec, metadata } = object;
  setJobSpecDefaults(spec);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
  const labels = spec.template.metadata?.labels;
  // One shared object: labels that are added to the template later are the Job's too.
  if (labels && !metadata.labels) metadata.labels = labels;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  spec.manualSelector ??= false;
}

/** Makes a new Job select its pods by its own uid, unless it has a manual selector. */
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
