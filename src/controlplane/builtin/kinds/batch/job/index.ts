import { setJobSpecDefaults, tooManyIndexes } from "../job-spec.ts";
import type { Job } from "./shape.ts";
import type { SentObject } from "../../../../../kube/object.ts";
import { at, numberAt, textAt } from "../../../at.ts";
import { humanDuration } from "../../../../../kube/values/age.ts";
import { conditionOf, selectorCell } from "../../../tables/cells.ts";
import {
  isUncounted,
  nameWarnings,
  templateWarnings,
} from "../../../shared/workloads/pod-warnings.ts";
import { checked, checkedChange } from "../../../shared/checks.ts";
import { dropFromWorkload } from "../../../shared/workloads/templates.ts";
import type { KindRules } from "../../../kind-rules.ts";
import { unfilled } from "../../../unfilled.ts";
import { checkJobStatus } from "./job-status.ts";
import { checkJob, checkJobUpdate } from "./job-validation.ts";
import { field } from "../../../selectable-fields.ts";

function setJobDefaults(object: Job): void {
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
function prepareJobForCreate(object: Job): void {
  if (!object.spec.manualSelector) selectByUid(object);
  // They are filled in from the template, which has labels only now.
  if (Object.keys(object.metadata.labels ?? {}).length === 0) unfilled.add(object);
}

function selectByUid({ spec, metadata }: Job): void {
  const uid = metadata.uid ?? "";
  const labels = ((spec.template.metadata ??= {}).labels ??= {});
  labels["controller-uid"] ??= uid;
  labels["batch.kubernetes.io/controller-uid"] ??= uid;
  labels["job-name"] ??= metadata.name ?? "";
  labels["batch.kubernetes.io/job-name"] ??= metadata.name ?? "";
  spec.selector ??= {};
  (spec.selector.matchLabels ??= {})["batch.kubernetes.io/controller-uid"] ??= uid;
}

function completions(job: SentObject): string {
  const succeeded = numberAt(job, "status.succeeded");
  const wanted = at(job, "spec.completions");
  if (typeof wanted === "number") return `${succeeded}/${wanted}`;
  const parallelism = numberAt(job, "spec.parallelism");
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: SentObject, nowMs: number): string {
  const started = textAt(job, "status.startTime");
  if (started === "") return "";
  const completed = textAt(job, "status.completionTime");
  return humanDuration((completed === "" ? nowMs : Date.parse(completed)) - Date.parse(started));
}

function jobStatus(job: SentObject): string {
  const has = (type: string): boolean => textAt(conditionOf(job, type), "status") === "True";
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (job.metadata.deletionTimestamp !== undefined) return "Terminating";
  return (
    ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find((type) => has(type)) ?? "Running"
  );
}

function jobWarnings(object: Job, old: SentObject | undefined): string[] {
  if (isUncounted(object, old)) return [];
  const tooMany = tooManyIndexes("spec", object.spec);
  const names = nameWarnings(old ? undefined : object.metadata.name);
  return [...names, ...tooMany, ...templateWarnings(object, old)];
}

export const jobRules: KindRules = {
  warnings: jobWarnings,
  validate: checked(checkJob),
  validateUpdate: checkedChange(checkJobUpdate),
  validateStatus: checkedChange(checkJobStatus),
  status: "all",
  generation: ["spec"],
  setDefaults: setJobDefaults,
  dropDisabled: dropFromWorkload,
  prepareForCreate: prepareJobForCreate,
  table: {
    Status: jobStatus,
    Completions: completions,
    Duration: jobDuration,
    Selector: selectorCell("spec.selector"),
  },
  metadataChecks: ["whole", "change"],
  deletion: {
    dependents: "orphan",
    warning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  },
  refuseFieldLabel: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  selectableFields: { "status.successful": field("status.succeeded", "0") },
};
