/**
 * The status of a Deployment: counts, and the conditions Available, Progressing and ReplicaFailure.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#deployment-status
 */
import { findCondition } from "../../../kube/progress/conditions.ts";
import { msOf, timeOf } from "../../../kube/values/times.ts";
import { present } from "../../../present.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import type { Deployment } from "../../builtin/kinds/apps/workload-rules.ts";
import { withoutCondition } from "../framework/conditions.ts";
import { nonZero } from "../framework/counts.ts";
import { type Rollout, allOf, availableOf, maxUnavailable, replicasOf, sumOf } from "./rollout.ts";

export type DeploymentStatus = NonNullable<Deployment["status"]>;

const NO_DEADLINE = 2 ** 31 - 1;
const COMPLETE = "NewReplicaSetAvailable";
const TIMED_OUT = "ProgressDeadlineExceeded";

/** Whether a rollout without progress is reported. */
function hasDeadline({ spec }: Deployment): boolean {
  return (spec.progressDeadlineSeconds ?? NO_DEADLINE) !== NO_DEADLINE;
}

/** What is reported about the progress of a Deployment. */
export const progressOf = ({ status }: Deployment): Condition | undefined =>
  findCondition(status?.conditions, "Progressing");

/**
 * The conditions with one that changed now put last; as they are when its status and reason are
 * those of before, unless `always`.
 */
function withCondition(
  conditions: readonly Condition[] = [],
  change: Condition,
  nowMs: number,
  always = false,
): Condition[] {
  const before = findCondition(conditions, change.type);
  const hasStatus = before?.status === change.status;
  if (hasStatus && before.reason === change.reason && !always) return [...conditions];
  const lastUpdateTime = timeOf(nowMs);
  const since = hasStatus ? before.lastTransitionTime : undefined;
  const lastTransitionTime = since ?? lastUpdateTime;
  const placed = { ...change, lastUpdateTime, lastTransitionTime };
  return [...withoutCondition(conditions, change.type), placed];
}

/** The conditions of a Deployment with the given Progressing condition; none without a deadline. */
export function withProgress(
  deployment: Deployment,
  nowMs: number,
  status: string,
  reason: string,
  message: string,
): Condition[] | undefined {
  if (!hasDeadline(deployment)) return undefined;
  const change = { type: "Progressing", status, reason, message };
  return withCondition(deployment.status?.conditions, change, nowMs);
}

/** The counts of a status, and whether enough pods are available. */
export function countedStatus(rollout: Rollout, nowMs: number): DeploymentStatus {
  const { deployment, newSet } = rollout;
  const all = allOf(rollout);
  const availableReplicas = sumOf(all, availableOf);
  // A set that its controller has not seen yet has no terminating pods.
  const isTold = all.every(
    ({ status }) => status?.terminatingReplicas !== undefined || !status?.observedGeneration,
  );
  const { collisionCount, conditions } = deployment.status ?? {};
  const isEnough = availableReplicas >= replicasOf(deployment) - maxUnavailable(deployment);
  const available = {
    type: "Available",
    status: isEnough ? "True" : "False",
    reason: isEnough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: `Deployment ${isEnough ? "has" : "does not have"} minimum availability.`,
  };
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...nonZero({
      replicas: sumOf(all, ({ status }) => status?.replicas),
      updatedReplicas: newSet?.status?.replicas ?? 0,
      readyReplicas: sumOf(all, ({ status }) => status?.readyReplicas),
      availableReplicas,
      unavailableReplicas: Math.max(0, sumOf(all, replicasOf) - availableReplicas),
    }),
    ...(isTold
      ? { terminatingReplicas: sumOf(all, ({ status }) => status?.terminatingReplicas) }
      : {}),
    ...present({ collisionCount }),
    conditions: withCondition(conditions, available, nowMs),
  };
}

/** Whether every pod is new and available. */
export function isComplete(deployment: Deployment, status: DeploymentStatus = {}): boolean {
  const {
    updatedReplicas = 0,
    replicas = 0,
    availableReplicas = 0,
    observedGeneration = 0,
  } = status;
  const wanted = replicasOf(deployment);
  return (
    [updatedReplicas, replicas, availableReplicas].every((count) => count === wanted) &&
    observedGeneration >= (deployment.metadata.generation ?? 0)
  );
}

const oldOf = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number =>
  replicas - updatedReplicas;

const hasProgressed = (before: DeploymentStatus, now: DeploymentStatus): boolean =>
  oldOf(now) < oldOf(before) ||
  (["updatedReplicas", "readyReplicas", "availableReplicas"] as const).some(
    (count) => (now[count] ?? 0) > (before[count] ?? 0),
  );

/** The counted status with its conditions of progress and failure. */
export function rolloutStatus(rollout: Rollout, nowMs: number): DeploymentStatus {
  const status = countedStatus(rollout, nowMs);
  const conditions = progressed(rollout, status, nowMs);
  const type = "ReplicaFailure";
  const [failure] = [rollout.newSet, ...rollout.old].flatMap(
    (set) => findCondition(set?.status?.conditions, type) ?? [],
  );
  if (!failure) return { ...status, conditions: withoutCondition(conditions, type) };
  const { reason = "", message = "" } = failure;
  const change = { type, status: failure.status, reason, message };
  return { ...status, conditions: withCondition(conditions, change, nowMs) };
}

/** The conditions of the status with what is to be said about the progress of the rollout. */
function progressed(
  { deployment, newSet }: Rollout,
  status: DeploymentStatus,
  nowMs: number,
): Condition[] {
  const { conditions = [] } = status;
  const before = progressOf(deployment);
  if (!hasDeadline(deployment)) return withoutCondition(conditions, "Progressing");
  if (oldOf(status) === 0 && before?.reason === COMPLETE) return conditions;
  const { kind, metadata } = newSet ?? deployment;
  const told = (value: string, reason: string, end: string): Condition => ({
    type: "Progressing",
    status: value,
    reason,
    message: `${kind} "${metadata.name ?? ""}" ${end}`,
  });
  if (isComplete(deployment, status)) {
    return withCondition(conditions, told("True", COMPLETE, "has successfully progressed."), nowMs);
  }
  if (hasProgressed(deployment.status ?? {}, status)) {
    // Each step counts, even with the same reason: the deadline runs from the last one.
    return withCondition(
      conditions,
      told("True", "ReplicaSetUpdated", "is progressing."),
      nowMs,
      true,
    );
  }
  if (!before || before.reason === COMPLETE) return conditions;
  if (before.reason !== TIMED_OUT && deadlineOf(deployment, before) >= nowMs) return conditions;
  return withCondition(conditions, told("False", TIMED_OUT, "has timed out progressing."), nowMs);
}

const deadlineOf = (deployment: Deployment, progressing: Condition): number =>
  msOf(progressing.lastUpdateTime) + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000;

/** In how many milliseconds the rollout exceeds its deadline; `undefined` when it cannot. */
export function deadlineInMs(deployment: Deployment, nowMs: number): number | undefined {
  const progressing = progressOf(deployment);
  if (!hasDeadline(deployment) || !progressing) return undefined;
  if (isComplete(deployment, deployment.status)) return undefined;
  if ([TIMED_OUT, COMPLETE].includes(progressing.reason ?? "")) return undefined;
  return Math.max(0, deadlineOf(deployment, progressing) - nowMs) + 1000;
}
