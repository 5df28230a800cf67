/**
 * How many pods a rollout may add and remove. Pure arithmetic over a Deployment and its
 * ReplicaSets.
 *
 * @see
 * https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
 */
import type { Deployment } from "../../builtin/kinds/apps/shared.ts";
import type { ReplicaSet } from "../../builtin/shared/workloads/shapes.ts";
import { shareOf } from "../share.ts";

export const DESIRED = "deployment.kubernetes.io/desired-replicas";
export const MAX = "deployment.kubernetes.io/max-replicas";

export const replicasOf = (set: { spec: { replicas?: number } }): number => set.spec.replicas ?? 1;

/** Whether the set should have pods. */
export const isScaled = (set: ReplicaSet): boolean => replicasOf(set) > 0;

export const sumOf = (
  sets: readonly ReplicaSet[],
  count: (set: ReplicaSet) => number | undefined,
): number => sets.reduce((sum, set) => sum + (count(set) ?? 0), 0);

/** The surge and the unavailability in pods; they are never both 0. */
function fenceposts(deployment: Deployment): { surge: number; unavailable: number } {
  const { type, rollingUpdate } = deployment.spec.strategy;
  if (type !== "RollingUpdate") return { surge: 0, unavailable: 0 };
  const total = replicasOf(deployment);
  const surge = shareOf(rollingUpdate?.maxSurge, total, "up");
  const unavailable = shareOf(rollingUpdate?.maxUnavailable, total, "down");
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export const maxSurge = (deployment: Deployment): number => fenceposts(deployment).surge;

export function maxUnavailable(deployment: Deployment): number {
  const total = replicasOf(deployment);
  return total === 0 ? 0 : Math.min(fenceposts(deployment).unavailable, total);
}

/** The size that the newest set may have now. */
export function newSetReplicas(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  newSet: ReplicaSet,
): number {
  const wanted = replicasOf(deployment);
  if (deployment.spec.strategy.type === "Recreate") return wanted;
  const room = wanted + maxSurge(deployment) - sumOf(all, replicasOf);
  const size = replicasOf(newSet);
  return room <= 0 ? size : size + Math.min(room, wanted - size);
}

/** The part of `toAdd` that one set gets when a Deployment is scaled in the middle of a rollout. */
export function proportion(
  set: ReplicaSet,
  deployment: Deployment,
  toAdd: number,
  added: number,
): number {
  if (replicasOf(set) === 0 || toAdd === 0 || toAdd === added) return 0;
  const allowed = toAdd - added;
  const fraction = fractionOf(set, deployment);
  return toAdd > 0 ? Math.min(fraction, allowed) : Math.max(fraction, allowed);
}

function fractionOf(set: ReplicaSet, deployment: Deployment): number {
  const size = replicasOf(set);
  if (replicasOf(deployment) === 0) return -size;
  const before =
    Number(set.metadata.annotations?.[MAX] ?? Number.NaN) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  const target = (size * (replicasOf(deployment) + maxSurge(deployment))) / before;
  return Math.round(target) - size;
}

/** The annotations of a set with the sizes of its Deployment. */
export function sizeAnnotations(deployment: Deployment): Record<string, string> {
  const wanted = replicasOf(deployment);
  return { [DESIRED]: String(wanted), [MAX]: String(wanted + maxSurge(deployment)) };
}

/** Whether the Deployment's size changed since the sets were last scaled. */
export function isResized(deployment: Deployment, owned: readonly ReplicaSet[]): boolean {
  return owned.filter(isScaled).some((set) => {
    const desired = set.metadata.annotations?.[DESIRED];
    return desired !== undefined && desired !== String(replicasOf(deployment));
  });
}

/** Whether the set has all the pods of the Deployment, and all are available. */
export function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const wanted = replicasOf(deployment);
  return (
    replicasOf(set) === wanted &&
    set.metadata.annotations?.[DESIRED] === String(wanted) &&
    (set.status?.availableReplicas ?? 0) === wanted
  );
}
