/** Jobs as a table. */
import type { SentObject } from "../../../../../kube/object.ts";
import { at, numberAt, textAt } from "../../../at.ts";
import { humanDuration } from "../../../../../kube/values/age.ts";
import { conditionOf } from "../../../tables/cells.ts";

export function completions(job: SentObject): string {
  const succeeded = numberAt(job, "status.succeeded");
  const wanted = at(job, "spec.completions");
  if (typeof wanted === "number") return `${succeeded}/${wanted}`;
  const parallelism = numberAt(job, "spec.parallelism");
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

export function jobDuration(job: SentObject, nowMs: number): string {
  const started = textAt(job, "status.startTime");
  if (started === "") return "";
  const completed = textAt(job, "status.completionTime");
  return humanDuration((completed === "" ? nowMs : Date.parse(completed)) - Date.parse(started));
}

export function jobStatus(job: SentObject): string {
  const has = (type: string): boolean => textAt(conditionOf(job, type), "status") === "True";
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (job.metadata.deletionTimestamp !== undefined) return "Terminating";
  return (
    ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find((type) => has(type)) ?? "Running"
  );
}
