/**
 * The progress of a Job: the counts of its pods, added to those of before, and whether the Job
 * ends.
 *
 * Pure; the controller reads, writes and waits.
 */
import { formatIndexes, parseIndexes } from "../../builtin/kinds/batch/job-indexes.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Job } from "../../builtin/kinds/batch/job/shape.ts";
import { isActive, isReady, restartsOf } from "../pods/pods.ts";
import {
  TRACKING,
  type Verdict,
  hasFailed,
  hasSucceeded,
  allIndexFailuresOf,
  indexFailuresOf,
  indexOf,
  isIndexed,
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
  readonly delayed: ReadonlyMap<number, Pod>;
  readonly ending: Ending | undefined;
}

const ENDED = ["FailureTarget", "SuccessCriteriaMet"] as const;

/** Whether a condition of the Job is true. */
export const isTrue = ({ status }: Job, type: string): boolean =>
  status?.conditions?.some(
    (condition) => condition.type === type && condition.status === "True",
  ) === true;

/** Whether the Job has finished. */
export const isOver = (job: Job): boolean => isTrue(job, "Complete") || isTrue(job, "Failed");

/** Sorts and counts the pods of `job`; `leftMs` is what is left of its deadline, if it has one. */
export function progressOf(job: Job, pods: readonly Pod[], leftMs: number | undefined): Progress {
  const { status = {} } = job;
  const uncounted = new Set([
    ...(status.uncountedTerminatedPods?.succeeded ?? []),
    ...(status.uncountedTerminatedPods?.failed ?? []),
  ]);
  const fresh = pods.filter(
    ({ metadata }) => metadata.finalizers?.includes(TRACKING) && !uncounted.has(metadata.uid ?? ""),
  );
  const over = isTrue(job, "FailureTarget");
  const won = isTrue(job, "SuccessCriteriaMet");
  const fits = (pod: Pod): boolean => {
    const index = indexOf(pod);
    return !isIndexed(job) || (index >= 0 && index < (job.spec.completions ?? 0));
  };
  const newSucceeded = fresh.filter((pod) => hasSucceeded(pod) && fits(pod));
  const newFailed = fresh.filter(
    (pod) =>
      fits(pod) &&
      !hasSucceeded(pod) &&
      (hasFailed(pod, job) || ((over || won) && pod.metadata.deletionTimestamp !== undefined)),
  );
  // Once the Job has succeeded, pods that are still being deleted are not failures.
  const spared = won ? newFailed.filter((pod) => pod.status?.phase !== "Failed") : [];
  const verdicts = new Map(newFailed.map((pod) => [pod, verdictOn(pod, job)]));
  const ignored = new Set([
    ...spared,
    ...newFailed.filter((pod) => verdicts.get(pod)?.action === "Ignore"),
  ]);

  const completions = job.spec.completions ?? 0;
  const completed = new Set(indexesIn(status.completedIndexes, completions));
  const failedIndexes = new Set(indexesIn(status.failedIndexes, completions));
  if (isIndexed(job)) for (const pod of newSucceeded) completed.add(indexOf(pod));
  const { backoffLimitPerIndex: perIndex } = job.spec;
  if (perIndex !== undefined) {
    for (const pod of pods) {
      if (indexOf(pod) < 0 || !fits(pod) || !hasFailed(pod, job)) continue;
      // The pod is deleted because the Job has failed, not the other way round.
      if (over && pod.status?.phase !== "Failed") continue;
      const { action } = verdictOn(pod, job);
      const isLast = action !== "Ignore" && indexFailuresOf(pod) >= perIndex;
      if (action === "FailIndex" || isLast) failedIndexes.add(indexOf(pod));
    }
  }
  const succeeded = isIndexed(job)
    ? completed.size
    : (status.succeeded ?? 0) +
      (status.uncountedTerminatedPods?.succeeded?.length ?? 0) +
      newSucceeded.length;
  const failed =
    (status.failed ?? 0) +
    (status.uncountedTerminatedPods?.failed?.length ?? 0) +
    newFailed.length -
    ignored.size;
  const active = pods.filter(isActive);
  const found: Omit<Progress, "ending"> = {
    active,
    ready: active.filter(isReady).length,
    newSucceeded,
    newFailed,
    ignored,
    succeeded,
    failed,
    completed,
    failedIndexes,
    delayed: delayedPods(job, fresh.filter(fits), active, { completed, failedIndexes }),
  };
  return { ...found, ending: endingOf(job, found, [...verdicts.values()], leftMs) };
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

const indexesIn = (text: string | undefined, completions: number): number[] =>
  text === undefined ? [] : parseIndexes(text, Math.max(completions, 0));

function endingOf(
  job: Job,
  progress: Omit<Progress, "ending">,
  verdicts: readonly Verdict[],
  leftMs: number | undefined,
): Ending | undefined {
  for (const type of ENDED) {
    const known = job.status?.conditions?.find(
      (condition) => condition.type === type && condition.status === "True",
    );
    if (known) return { type, reason: known.reason ?? "", message: known.message ?? "" };
  }
  const failure = (reason: string, message: string): Ending => ({
    type: "FailureTarget",
    reason,
    message,
  });
  const fatal = verdicts.find(({ action }) => action === "FailJob");
  if (fatal) return failure("PodFailurePolicy", fatal.message);
  const limit = job.spec.backoffLimit ?? 6;
  if (progress.failed > limit || restartsExceed(job, progress.active, limit)) {
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if (leftMs !== undefined && leftMs <= 0) {
    return failure("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  const { maxFailedIndexes, completions = 0 } = job.spec;
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
  const { completions, successPolicy } = job.spec;
  for (const [index, rule] of (successPolicy?.rules ?? []).entries()) {
    const wanted =
      rule.succeededIndexes === undefined
        ? [...completed]
        : parseIndexes(rule.succeededIndexes, completions ?? 0).filter((one) => completed.has(one));
    const needed =
      rule.succeededCount ?? parseIndexes(rule.succeededIndexes ?? "", completions ?? 0).length;
    if (wanted.length >= needed && needed > 0) {
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
  const taken = new Set(
    pods.filter((pod) => isActive(pod) || isLeaving(pod, job)).map((pod) => indexOf(pod)),
  );
  return Array.from({ length: job.spec.completions ?? 0 }, (_, index) => index).filter(
    (index) =>
      !taken.has(index) && !progress.completed.has(index) && !progress.failedIndexes.has(index),
  );
}

const isLeaving = (pod: Pod, job: Job): boolean =>
  job.spec.podReplacementPolicy === "Failed" &&
  pod.metadata.deletionTimestamp !== undefined &&
  !hasFailed(pod, job) &&
  !hasSucceeded(pod);

/** The fields of the status that list finished indexes. */
export function indexFields(job: Job, progress: Progress): Job["status"] {
  if (!isIndexed(job)) return {};
  const completedIndexes = formatIndexes(progress.completed);
  return {
    ...(completedIndexes === "" ? {} : { completedIndexes }),
    ...(job.spec.backoffLimitPerIndex === undefined
      ? {}
      : { failedIndexes: formatIndexes(progress.failedIndexes) }),
  };
}
