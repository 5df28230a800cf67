/**
 * The progress of a Job: the counts of its pods, added to those of before, and whether the Job
 * ends.
 *
 * Pure; the controller reads, writes and waits.
 */
import { findCondition } from "../../../kube/progress/conditions.ts";
import { present } from "../../../present.ts";
import { formatIndexes, parseIndexes } from "../../builtin/kinds/batch/job-indexes.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Job } from "../../builtin/kinds/batch/job/shape.ts";
import { isTrue } from "../framework/conditions.ts";
import { isActive, isReady, isTerminating, restartsOf } from "../pods/pods.ts";
import {
  TRACKING,
  type Verdict,
  hasFailed,
  hasSucceeded,
  allIndexFailuresOf,
  indexFailuresOf,
  indexOf,
  isIndexed,
  replacesFailedOnly,
  verdictOn,
} from "./job-pods.ts";

/** Why a Job ends; the type is that of the condition which is set first. */
interface Ending {
  readonly type: "FailureTarget" | "SuccessCriteriaMet";
  readonly reason: string;
  readonly message: string;
}

/** The pods of a Job, sorted and counted. */
export interface Progress {
  readonly active: readonly Pod[];
  readonly ready: number;
  /** Finished pods that the status does not count yet. */
  readonly newSucceeded: readonly Pod[];
  readonly newFailed: readonly Pod[];
  /** The pods among them that a rule ignores. */
  readonly ignored: ReadonlySet<Pod>;
  readonly succeeded: number;
  readonly failed: number;
  readonly completed: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
  /** The last failed pod of each index to retry: kept until the next one exists. */
  readonly delayed: ReadonlyMap<number | undefined, Pod>;
  readonly ending: Ending | undefined;
}

/** Sorts and counts the pods of `job`; `leftMs` is what is left of its deadline, if it has one. */
export function progressOf(job: Job, pods: readonly Pod[], leftMs: number | undefined): Progress {
  const { status = {}, spec } = job;
  const { backoffLimitPerIndex: perIndex, completions = 0 } = spec;
  const { succeeded: won = [], failed: lost = [] } = status.uncountedTerminatedPods ?? {};
  const uncounted = new Set([...won, ...lost]);
  const fits = (pod: Pod): boolean => {
    const index = indexOf(pod);
    return !isIndexed(job) || (index >= 0 && index < completions);
  };
  const fresh = pods.filter(
    (pod) =>
      pod.metadata.finalizers?.includes(TRACKING) &&
      !uncounted.has(pod.metadata.uid ?? "") &&
      fits(pod),
  );
  const hasLost = isTrue(job, "FailureTarget");
  const newSucceeded = fresh.filter(hasSucceeded);
  const newFailed = fresh.filter((pod) => !hasSucceeded(pod) && hasFailed(pod, job));
  const verdicts = newFailed.map((pod) => verdictOn(pod, job));
  const ignored = new Set(newFailed.filter((_, place) => verdicts[place]?.action === "Ignore"));

  const completed = new Set(parseIndexes(status.completedIndexes ?? "", completions));
  const failedIndexes = new Set(parseIndexes(status.failedIndexes ?? "", completions));
  if (isIndexed(job)) for (const pod of newSucceeded) completed.add(indexOf(pod));
  if (perIndex !== undefined) {
    for (const pod of pods) {
      if (indexOf(pod) < 0 || !fits(pod) || !hasFailed(pod, job)) continue;
      // The pod is deleted because the Job has failed, not the other way round.
      if (hasLost && pod.status?.phase !== "Failed") continue;
      const { action } = verdictOn(pod, job);
      const isLast = action !== "Ignore" && indexFailuresOf(pod) >= perIndex;
      if (action === "FailIndex" || isLast) failedIndexes.add(indexOf(pod));
    }
  }
  const active = pods.filter(isActive);
  const found: Omit<Progress, "ending"> = {
    active,
    ready: active.filter(isReady).length,
    newSucceeded,
    newFailed,
    ignored,
    succeeded: isIndexed(job)
      ? completed.size
      : (status.succeeded ?? 0) + won.length + newSucceeded.length,
    failed: (status.failed ?? 0) + lost.length + newFailed.length - ignored.size,
    completed,
    failedIndexes,
    delayed: delayedPods(job, fresh, active, { completed, failedIndexes }),
  };
  const ending = endingOf(job, found, verdicts, leftMs);
  return ending
    ? { ...found, ...abandoned(job, found, fresh, ending), ending }
    : { ...found, ending };
}

/** The failed pods of a Job that ends: also those that still run, which are removed. */
function abandoned(
  job: Job,
  { newSucceeded, newFailed, ignored }: Omit<Progress, "ending">,
  fresh: readonly Pod[],
  { type }: Ending,
): Pick<Progress, "newFailed" | "ignored"> {
  const known = new Set([...newSucceeded, ...newFailed]);
  const removed = fresh.filter((pod) => !known.has(pod));
  // Once the Job has succeeded, pods that are still being deleted are not failures.
  const spared = removed.filter(
    (pod) => type === "SuccessCriteriaMet" || verdictOn(pod, job).action === "Ignore",
  );
  const unfinished = newFailed.filter(
    (pod) => type === "SuccessCriteriaMet" && pod.status?.phase !== "Failed",
  );
  return {
    newFailed: [...newFailed, ...removed],
    ignored: new Set([...ignored, ...spared, ...unfinished]),
  };
}

/** The last failed pod of each index to retry that has no active pod yet. */
function delayedPods(
  job: Job,
  fresh: readonly Pod[],
  active: readonly Pod[],
  { completed, failedIndexes }: Pick<Progress, "completed" | "failedIndexes">,
): Map<number, Pod> {
  const delayed = new Map<number, Pod>();
  if (job.spec.backoffLimitPerIndex === undefined) return delayed;
  const running = new Set(active.map(indexOf));
  for (const pod of fresh) {
    const index = indexOf(pod);
    if (!hasFailed(pod, job) || index < 0 || running.has(index)) continue;
    if (completed.has(index) || failedIndexes.has(index)) continue;
    const known = delayed.get(index);
    if (!known || allIndexFailuresOf(known) <= allIndexFailuresOf(pod)) delayed.set(index, pod);
  }
  return delayed;
}

function endingOf(
  job: Job,
  progress: Omit<Progress, "ending">,
  verdicts: readonly Verdict[],
  leftMs: number | undefined,
): Ending | undefined {
  for (const type of ["FailureTarget", "SuccessCriteriaMet"] as const) {
    const known = findCondition(job.status?.conditions, type);
    const { status, reason = "", message = "" } = known ?? {};
    if (status === "True") return { type, reason, message };
  }
  const failure = (reason: string, message: string): Ending => ({
    type: "FailureTarget",
    reason,
    message,
  });
  const { backoffLimit = 6, maxFailedIndexes, completions = 0 } = job.spec;
  const fatal = verdicts.find(({ action }) => action === "FailJob");
  if (fatal) return failure("PodFailurePolicy", fatal.message);
  if (progress.failed > backoffLimit || restartsExceed(job, progress.active, backoffLimit)) {
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if (leftMs !== undefined && leftMs <= 0) {
    return failure("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  const lost = progress.failedIndexes.size;
  if (maxFailedIndexes !== undefined && lost > maxFailedIndexes) {
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return failure("MaxFailedIndexesExceeded", message);
  }
  if (lost > 0 && lost + progress.completed.size >= completions) {
    return failure("FailedIndexes", "Job has failed indexes");
  }
  return successOf(job, progress);
}

function restartsExceed(job: Job, active: readonly Pod[], limit: number): boolean {
  if (job.spec.template.spec.restartPolicy !== "OnFailure") return false;
  const restarts = active.reduce((sum, pod) => sum + restartsOf(pod), 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Whether a rule of the success policy is met. */
function successOf(job: Job, { completed }: Omit<Progress, "ending">): Ending | undefined {
  const { completions = 0, successPolicy } = job.spec;
  for (const [index, rule] of (successPolicy?.rules ?? []).entries()) {
    const { succeededIndexes, succeededCount } = rule;
    const listed =
      succeededIndexes === undefined ? undefined : parseIndexes(succeededIndexes, completions);
    const done = listed ? listed.filter((one) => completed.has(one)).length : completed.size;
    const needed = succeededCount ?? listed?.length ?? 0;
    if (done >= needed && needed > 0) {
      const message = `Matched rules at index ${index}`;
      return { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message };
    }
  }
  return undefined;
}

/** The end of a Job whose completions are reached, once few enough pods are active. */
export function completionOf(
  { spec }: Job,
  { succeeded }: Progress,
  active: number,
): Ending | undefined {
  const isEnough = spec.completions === undefined ? succeeded > 0 : succeeded >= spec.completions;
  if (!isEnough || active > 0) return undefined;
  const message = "Reached expected number of succeeded pods";
  return { type: "SuccessCriteriaMet", reason: "CompletionsReached", message };
}

/** How many pods the Job wants to run now. */
export function wantedActive(job: Job, { succeeded, active, failedIndexes }: Progress): number {
  const { completions, parallelism = 1 } = job.spec;
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.min(parallelism, Math.max(0, completions - succeeded - failedIndexes.size));
}

/** The indexes that need a pod, the smallest first. */
export function indexesToRun(job: Job, progress: Progress, pods: readonly Pod[]): number[] {
  const isLeaving = (pod: Pod): boolean => replacesFailedOnly(job) && isTerminating(pod);
  const taken = new Set(pods.filter((pod) => isActive(pod) || isLeaving(pod)).map(indexOf));
  const isDone = (index: number): boolean =>
    progress.completed.has(index) || progress.failedIndexes.has(index);
  return Array.from({ length: job.spec.completions ?? 0 }, (_, index) => index).filter(
    (index) => !taken.has(index) && !isDone(index),
  );
}

/** The fields of the status that list finished indexes. */
export function indexFields(job: Job, { completed, failedIndexes }: Progress): Job["status"] {
  if (!isIndexed(job)) return {};
  const isListed = job.spec.backoffLimitPerIndex !== undefined;
  return present({
    completedIndexes: formatIndexes(completed) || undefined,
    failedIndexes: isListed ? formatIndexes(failedIndexes) : undefined,
  });
}
