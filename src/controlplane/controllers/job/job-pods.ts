/** The pods of a Job: which ones count, which failed and why, and new ones. */
import { findCondition } from "../../../kube/progress/conditions.ts";
import { msOf } from "../../../kube/values/times.ts";
import { present } from "../../../present.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Job } from "../../builtin/kinds/batch/job/shape.ts";
import { rankForDeletion } from "../pods/pod-ranking.ts";
import { podFrom, readySince } from "../pods/pods.ts";

/** The finalizer of a pod that is not counted yet. */
export const TRACKING = "batch.kubernetes.io/job-tracking";
const INDEX = "batch.kubernetes.io/job-completion-index";
const INDEX_FAILURES = "batch.kubernetes.io/job-index-failure-count";
const IGNORED_FAILURES = "batch.kubernetes.io/job-index-ignored-failure-count";
const BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 600_000;

/** Whether the Job numbers its pods. */
export const isIndexed = (job: Job): boolean => job.spec.completionMode === "Indexed";

/** Whether only finished pods, not terminating ones, are replaced. */
export const replacesFailedOnly = (job: Job): boolean => job.spec.podReplacementPolicy === "Failed";

/** The completion index of a pod; -1 when it has none. */
export function indexOf(pod: Pod): number {
  const text = pod.metadata.annotations?.[INDEX];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : -1;
}

const countAt = ({ metadata }: Pod, annotation: string): number =>
  Number(metadata.annotations?.[annotation] ?? "0");

/** How often the index had failed before this pod was created. */
export const indexFailuresOf = (pod: Pod): number => countAt(pod, INDEX_FAILURES);

/** The same, including failures that a rule ignored. */
export const allIndexFailuresOf = (pod: Pod): number =>
  countAt(pod, INDEX_FAILURES) + countAt(pod, IGNORED_FAILURES);

/** The counts of an index's failures, for the pod that replaces `failed`. */
function failuresAfter(job: Job, failed: Pod | undefined): Record<string, string> {
  if (job.spec.backoffLimitPerIndex === undefined) return {};
  if (!failed) return { [INDEX_FAILURES]: "0" };
  const isIgnored = verdictOn(failed, job).action === "Ignore";
  const ignored = countAt(failed, IGNORED_FAILURES) + (isIgnored ? 1 : 0);
  return {
    [INDEX_FAILURES]: String(indexFailuresOf(failed) + (isIgnored ? 0 : 1)),
    ...(ignored > 0 ? { [IGNORED_FAILURES]: String(ignored) } : {}),
  };
}

export interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

/** In how many milliseconds after these failures the next pod may be created. */
export function backoffMs(failures: Failures | undefined, nowMs: number): number {
  if (!failures) return 0;
  const delayMs = Math.min(BACKOFF_MS * 2 ** (failures.count - 1), LONGEST_BACKOFF_MS);
  return Math.max(0, failures.lastMs + delayMs - nowMs);
}

/** In how many milliseconds the index of a failed pod may be retried. */
export const indexWaitMs = (failed: Pod | undefined, nowMs: number): number =>
  backoffMs(
    failed && { count: allIndexFailuresOf(failed) + 1, lastMs: endedAt(failed, nowMs) },
    nowMs,
  );

export function hasFailed(pod: Pod, job: Job): boolean {
  const phase = pod.status?.phase;
  if (phase === "Failed") return true;
  if (replacesFailedOnly(job)) return false;
  return pod.metadata.deletionTimestamp !== undefined && phase !== "Succeeded";
}

export const hasSucceeded = (pod: Pod): boolean => pod.status?.phase === "Succeeded";

/** The verdict of the failure policy on a failed pod. */
export interface Verdict {
  readonly action: "Count" | "Ignore" | "FailJob" | "FailIndex";
  readonly message: string;
}

/** The verdict of the first rule of the Job's failure policy that matches the pod. */
export function verdictOn(pod: Pod, job: Job): Verdict {
  const { namespace = "", name = "" } = pod.metadata;
  const rules = job.spec.podFailurePolicy?.rules ?? [];
  for (const [index, { action, onExitCodes: codes, onPodConditions = [] }] of rules.entries()) {
    const at = `matching ${action} rule at index ${index}`;
    const failed = exitsOf(pod).find(
      (exit) =>
        codes &&
        (codes.containerName === undefined || codes.containerName === exit.name) &&
        codes.values.includes(exit.code) === (codes.operator === "In"),
    );
    if (failed) {
      const message = `Container ${failed.name} for pod ${namespace}/${name} failed with exit code ${failed.code} ${at}`;
      return { action, message };
    }
    const met = onPodConditions.find(
      ({ type, status = "True" }) => findCondition(pod.status?.conditions, type)?.status === status,
    );
    if (met) {
      const message = `Pod ${namespace}/${name} has condition ${met.type} ${at}`;
      return { action, message };
    }
  }
  return { action: "Count", message: "" };
}

/** The containers of a failed pod that failed. */
function exitsOf({ status }: Pod): { name: string; code: number }[] {
  if (status?.phase !== "Failed") return [];
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
    .map(({ name, state }) => ({ name, code: state?.terminated?.exitCode ?? 0 }))
    .filter(({ code }) => code !== 0);
}

/** A pod of the Job; for an indexed Job with its index and the failed pod that it replaces. */
export function jobPod(job: Job, index: number | undefined, failed: Pod | undefined): Pod {
  const isNumbered = index !== undefined;
  const name = `${job.metadata.name ?? ""}-${index ?? ""}`;
  const labels: Record<string, string> = isNumbered ? { [INDEX]: String(index) } : {};
  const pod = podFrom(job.spec.template, job, {
    ...present({ generateName: isNumbered ? `${name}-` : undefined }),
    labels,
    annotations: { ...labels, ...failuresAfter(job, failed) },
    finalizers: [TRACKING],
  });
  if (!isNumbered) return pod;
  pod.spec.hostname ??= name;
  const variable = {
    name: "JOB_COMPLETION_INDEX",
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } },
  };
  for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]) {
    const env = (container.env ??= []);
    if (!env.some(({ name: known }) => known === variable.name)) env.push(variable);
  }
  return pod;
}

/** The active pods to remove when there are `count` too many: first those that no index needs. */
export function surplusPods(
  job: Job,
  active: readonly Pod[],
  count: number,
  nowMs: number,
): readonly Pod[] {
  const ranked = rankForDeletion(active, active, nowMs);
  if (!isIndexed(job)) return ranked.slice(0, count);
  const last = new Map(ranked.map((pod) => [indexOf(pod), pod]));
  const isNeeded = (pod: Pod): boolean =>
    indexOf(pod) < (job.spec.completions ?? 0) && last.get(indexOf(pod)) === pod;
  const needless = ranked.filter((pod) => !isNeeded(pod));
  const rest = ranked.filter(isNeeded).slice(0, Math.max(0, count - needless.length));
  return [...needless, ...rest];
}

/** When a pod ended: with its last container, or when that is unknown, when it stopped being ready. */
export function endedAt(pod: Pod, nowMs: number): number {
  const ends = (pod.status?.containerStatuses ?? []).map(({ state }) =>
    msOf(state?.terminated?.finishedAt),
  );
  return Math.max(0, ...ends) || readySince(pod) || msOf(pod.metadata.deletionTimestamp) || nowMs;
}
