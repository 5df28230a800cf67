/** The pods of a Job: which ones count, which failed and why, and new ones. */
import type { JsonObject } from "../../../kube/object.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Job } from "../../builtin/kinds/batch/job/shape.ts";
import { type OwnerKind, controllerReference } from "../ownership.ts";
import { rankForDeletion } from "../pods/pod-ranking.ts";
import { podFrom } from "../pods/pods.ts";
import { msOf } from "../../../kube/values/times.ts";

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

/** How often the index had failed before this pod was created. */
export const indexFailuresOf = (pod: Pod): number =>
  Number(pod.metadata.annotations?.[INDEX_FAILURES] ?? "0");

const ignoredFailuresOf = (pod: Pod): number =>
  Number(pod.metadata.annotations?.[IGNORED_FAILURES] ?? "0");

/** The same, including failures that a rule ignored. */
export const allIndexFailuresOf = (pod: Pod): number =>
  indexFailuresOf(pod) + ignoredFailuresOf(pod);

/** The counts of an index's failures, for the pod that replaces `failed`. */
function failuresAfter(job: Job, failed: Pod | undefined): Record<string, string> {
  if (job.spec.backoffLimitPerIndex === undefined) return {};
  const isIgnored = failed !== undefined && verdictOn(failed, job).action === "Ignore";
  const counted = failed ? indexFailuresOf(failed) + (isIgnored ? 0 : 1) : 0;
  const ignored = failed ? ignoredFailuresOf(failed) + (isIgnored ? 1 : 0) : 0;
  return {
    [INDEX_FAILURES]: String(counted),
    ...(ignored > 0 ? { [IGNORED_FAILURES]: String(ignored) } : {}),
  };
}

/** In how many milliseconds the index of a failed pod may be retried. */
export function indexWaitMs(failed: Pod | undefined, nowMs: number): number {
  if (!failed) return 0;
  return Math.max(0, endedAt(failed, nowMs) + backoffMs(allIndexFailuresOf(failed) + 1) - nowMs);
}

/** Whether a pod counts as failed. */
export function hasFailed(pod: Pod, job: Job): boolean {
  const phase = pod.status?.phase;
  if (phase === "Failed") return true;
  if (replacesFailedOnly(job)) return false;
  return pod.metadata.deletionTimestamp !== undefined && phase !== "Succeeded";
}

/** Whether a pod has succeeded. */
export const hasSucceeded = (pod: Pod): boolean => pod.status?.phase === "Succeeded";

/** The verdict of the failure policy on a failed pod. */
export interface Verdict {
  readonly action: "Count" | "Ignore" | "FailJob" | "FailIndex";
  readonly message: string;
}

const COUNTED: Verdict = { action: "Count", message: "" };

/** The verdict of the first rule of the Job's failure policy that matches the pod. */
export function verdictOn(pod: Pod, job: Job): Verdict {
  for (const [index, rule] of (job.spec.podFailurePolicy?.rules ?? []).entries()) {
    const action = rule.action;
    const at = `matching ${action} rule at index ${index}`;
    const { namespace = "", name = "" } = pod.metadata;
    const codes = rule.onExitCodes;
    if (codes && pod.status?.phase === "Failed") {
      const found = containersOf(pod).find(
        (container) =>
          (codes.containerName === undefined || codes.containerName === container.name) &&
          container.exitCode !== 0 &&
          codes.values.includes(container.exitCode) === (codes.operator === "In"),
      );
      if (found) {
        const message = `Container ${found.name} for pod ${namespace}/${name} failed with exit code ${found.exitCode} ${at}`;
        return { action, message };
      }
    }
    for (const pattern of rule.onPodConditions ?? []) {
      const met = pod.status?.conditions?.some(
        ({ type, status }) => type === pattern.type && status === (pattern.status ?? "True"),
      );
      if (met) {
        const message = `Pod ${namespace}/${name} has condition ${pattern.type} ${at}`;
        return { action, message };
      }
    }
  }
  return COUNTED;
}

function containersOf({ status }: Pod): { name: string; exitCode: number }[] {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.flatMap(({ name, state }) =>
    state?.terminated ? [{ name, exitCode: state.terminated.exitCode }] : [],
  );
}

/** A pod of the Job; for an indexed Job with its index and the failed pod that it replaces. */
export function jobPod(
  job: Job,
  kind: OwnerKind,
  index: number | undefined,
  failed: Pod | undefined,
): Pod {
  const name = job.metadata.name ?? "";
  const numbered = index === undefined ? {} : { [INDEX]: String(index) };
  const pod = podFrom(job.spec.template, job, {
    generateName: index === undefined ? `${name}-` : `${name}-${index}-`,
    ownerReferences: [controllerReference(job, kind)],
    labels: numbered,
    annotations: {
      ...numbered,
      ...failuresAfter(job, failed),
    },
    finalizers: [TRACKING],
  });
  if (index === undefined) return pod;
  pod.spec.hostname ??= `${name}-${index}`;
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

/**
 * How many milliseconds after the last of `failures` consecutive failures the next pod may be
 * created.
 */
export function backoffMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS);
}

/**
 * When a pod ended: with its last container, or when that is unknown, when it stopped being ready.
 */
export function endedAt(pod: Pod, nowMs: number): number {
  const times = (pod.status?.containerStatuses ?? []).map(({ state }) =>
    msOf(state?.terminated?.finishedAt),
  );
  const latest = Math.max(0, ...times);
  if (latest > 0) return latest;
  const ready = pod.status?.conditions?.find(({ type }) => type === "Ready");
  return msOf(ready?.lastTransitionTime) || msOf(pod.metadata.deletionTimestamp) || nowMs;
}

/** The merge patch that removes the finalizer of a counted pod. */
export function releasePatch(pod: Pod): JsonObject {
  const rest = (pod.metadata.finalizers ?? []).filter((name) => name !== TRACKING);
  return { metadata: { uid: pod.metadata.uid, finalizers: rest.length > 0 ? rest : null } };
}
