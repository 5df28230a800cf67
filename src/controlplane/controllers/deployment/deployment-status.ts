/**
 * The status of a Deployment: counts, and the conditions Available, Progressing and ReplicaFailure.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#deployment-status
 */
import type { Condition } from "../../builtin/shared/shapes.ts";
import type { Deployment } from "../../builtin/kinds/apps/shared.ts";
import type { ReplicaSet } from "../../builtin/shared/workloads/shapes.ts";
import { msOf, timeOf } from "../../../kube/values/times.ts";
import { maxUnavailable, replicasOf, sumOf } from "./rollout-arithmetic.ts";

export type DeploymentStatus = NonNullable<Deployment["status"]>;

const NO_DEADLINE = 2 ** 31 - 1;

/** Whether a rollout without progress is reported. */
export function hasDeadline(deployment: Deployment): boolean {
  const { progressDeadlineSeconds = NO_DEADLINE } = deployment.spec;
  return progressDeadlineSeconds !== NO_DEADLINE;
}

export function findCondition(
  status: DeploymentStatus | undefined,
  type: string,
): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** A condition that changed now. */
function newCondition(
  nowMs: number,
  type: string,
  status: string,
  reason: string,
  message: string,
): Condition {
  const time = timeOf(nowMs);
  return { type, status, lastUpdateTime: time, lastTransitionTime: time, reason, message };
}

/** The conditions with `condition` in place; unchanged when status and reason are the same. */
function withCondition(conditions: readonly Condition[], condition: Condition): Condition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  if (before?.status === condition.status && before.reason === condition.reason) {
    return [...conditions];
  }
  const placed =
    before?.status === condition.status && before.lastTransitionTime !== undefined
      ? { ...condition, lastTransitionTime: before.lastTransitionTime }
      : condition;
  return [...conditions.filter(({ type }) => type !== condition.type), placed];
}

/** The conditions of a Deployment with the given Progressing condition in place. */
export function withProgress(
  deployment: Deployment,
  nowMs: number,
  status: string,
  reason: string,
  message: string,
): Condition[] {
  return withCondition(
    deployment.status?.conditions ?? [],
    newCondition(nowMs, "Progressing", status, reason, message),
  );
}

/** The counts of a status, and whether enough pods are available. */
export function countedStatus(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  nowMs: number,
): DeploymentStatus {
  const available = sumOf(all, ({ status }) => status?.availableReplicas);
  const counts = {
    replicas: sumOf(all, ({ status }) => status?.replicas),
    updatedReplicas: newSet?.status?.replicas ?? 0,
    readyReplicas: sumOf(all, ({ status }) => status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sumOf(all, replicasOf) - available),
  };
  const status: DeploymentStatus = { observedGeneration: deployment.metadata.generation ?? 0 };
  Object.assign(
    status,
    Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
  );
  if (all.every((set) => set.status?.terminatingReplicas !== undefined)) {
    status.terminatingReplicas = sumOf(all, (set) => set.status?.terminatingReplicas);
  }
  if (deployment.status?.collisionCount !== undefined) {
    status.collisionCount = deployment.status.collisionCount;
  }
  const enough = available >= replicasOf(deployment) - maxUnavailable(deployment);
  status.conditions = withCondition(
    deployment.status?.conditions ?? [],
    enough
      ? newCondition(
          nowMs,
          "Available",
          "True",
          "MinimumReplicasAvailable",
          "Deployment has minimum availability.",
        )
      : newCondition(
          nowMs,
          "Available",
          "False",
          "MinimumReplicasUnavailable",
          "Deployment does not have minimum availability.",
        ),
  );
  return status;
}

/** Whether every pod is new and available. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = replicasOf(deployment);
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed(before: DeploymentStatus, now: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus): number =>
    (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(now) < old(before) ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

/** The counted status with its conditions of progress and failure. */
export function rolloutStatus(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  nowMs: number,
): DeploymentStatus {
  const status = countedStatus(deployment, all, newSet, nowMs);
  let conditions = status.conditions ?? [];
  const before = findCondition(deployment.status, "Progressing");
  const wasComplete =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) &&
    before?.reason === "NewReplicaSetAvailable";
  const subject = newSet
    ? `ReplicaSet "${newSet.metadata.name ?? ""}"`
    : `Deployment "${deployment.metadata.name ?? ""}"`;
  if (!hasDeadline(deployment)) {
    conditions = conditions.filter(({ type }) => type !== "Progressing");
  } else if (!wasComplete) {
    if (isComplete(deployment, status)) {
      const message = `${subject} has successfully progressed.`;
      conditions = withCondition(
        conditions,
        newCondition(nowMs, "Progressing", "True", "NewReplicaSetAvailable", message),
      );
    } else if (hasProgressed(deployment.status ?? {}, status)) {
      const message = `${subject} is progressing.`;
      const progressing = newCondition(nowMs, "Progressing", "True", "ReplicaSetUpdated", message);
      // Each step counts, even with the same reason: the deadline runs from the last one.
      if (before?.status === "True" && before.lastTransitionTime !== undefined) {
        progressing.lastTransitionTime = before.lastTransitionTime;
      }
      conditions = [...conditions.filter(({ type }) => type !== "Progressing"), progressing];
    } else if (hasTimedOut(deployment, nowMs)) {
      const message = `${subject} has timed out progressing.`;
      conditions = withCondition(
        conditions,
        newCondition(nowMs, "Progressing", "False", "ProgressDeadlineExceeded", message),
      );
    }
  }
  const failure = failureOf(all, newSet);
  conditions = failure
    ? withCondition(
        conditions,
        newCondition(
          nowMs,
          "ReplicaFailure",
          failure.status,
          failure.reason ?? "",
          failure.message ?? "",
        ),
      )
    : conditions.filter(({ type }) => type !== "ReplicaFailure");
  return { ...status, conditions };
}

function failureOf(
  all: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
): Condition | undefined {
  for (const set of newSet ? [newSet, ...all] : all) {
    const failure = set.status?.conditions?.find(({ type }) => type === "ReplicaFailure");
    if (failure) return failure;
  }
  return undefined;
}

function hasTimedOut(deployment: Deployment, nowMs: number): boolean {
  const progressing = findCondition(deployment.status, "Progressing");
  if (!progressing || progressing.reason === "NewReplicaSetAvailable") return false;
  if (progressing.reason === "ProgressDeadlineExceeded") return true;
  return deadlineOf(deployment, progressing) < nowMs;
}

const deadlineOf = (deployment: Deployment, progressing: Condition): number =>
  msOf(progressing.lastUpdateTime) + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000;

/** In how many milliseconds the rollout exceeds its deadline; `undefined` when it cannot. */
export function deadlineInMs(
  deployment: Deployment,
  status: DeploymentStatus,
  nowMs: number,
): number | undefined {
  const progressing = findCondition(status, "Progressing");
  if (!hasDeadline(deployment) || !progressing || isComplete(deployment, status)) return undefined;
  if (
    progressing.reason === "ProgressDeadlineExceeded" ||
    progressing.reason === "NewReplicaSetAvailable"
  ) {
    return undefined;
  }
  return Math.max(0, deadlineOf(deployment, progressing) - nowMs) + 1000;
}
