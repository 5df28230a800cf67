/**
 * A Deployment with its ReplicaSets, and how many pods a rollout may add and remove: pure
 * arithmetic.
 *
 * @see
 * https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
 */
import type { Deployment } from "../../builtin/kinds/apps/workload-rules.ts";
import type { ReplicaSet } from "../../builtin/shared/workloads/workload-shapes.ts";
import { shareOf } from "../framework/counts.ts";

export const DESIRED = "deployment.kubernetes.io/desired-replicas";
export const MAX = "deployment.kubernetes.io/max-replicas";

/** A Deployment and its ReplicaSets in one round of work. */
export interface Rollout {
  readonly deployment: Deployment;
  /** The set with the Deployment's current template. */
  readonly newSet: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** The old sets, then the newest one if it exists. */
export const allOf = ({ newSet, old }: Rollout): ReplicaSet[] =>
  newSet ? [...old, newSet] : [...old];

export const replicasOf = (set: { spec: { replicas?: number } }): number => set.spec.replicas ?? 1;

/** Whether the set should have pods. */
export const isScaled = (set: ReplicaSet): boolean => replicasOf(set) > 0;

export const sumOf = (
  sets: readonly ReplicaSet[],
  count: (set: ReplicaSet) => number | undefined,
): number => sets.reduce((sum, set) => sum + (count(set) ?? 0), 0);

export const availableOf = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;

/** How many pods there may be beyond the Deployment's size. */
export function maxSurge(deployment: Deployment): number {
  const { type, rollingUpdate } = deployment.spec.strategy;
  return type === "RollingUpdate" ? shareOf(rollingUpdate?.maxSurge, replicasOf(deployment)) : 0;
}

/** How many pods of the Deployment's size may be unavailable; 1 where there is no surge either. */
export function maxUnavailable(deployment: Deployment): number {
  const { type, rollingUpdate } = deployment.spec.strategy;
  if (type !== "RollingUpdate") return 0;
  const total = replicasOf(deployment);
  const unavailable = shareOf(rollingUpdate?.maxUnavailable, total, "down");
  return Math.min(Math.max(unavailable, maxSurge(deployment) === 0 ? 1 : 0), total);
}

/** The size that the newest set may have now. */
export function newSetReplicas(rollout: Rollout, newSet: ReplicaSet): number {
  const { deployment } = rollout;
  const wanted = replicasOf(deployment);
  const size = replicasOf(newSet);
  if (deployment.spec.strategy.type === "Recreate" || size > wanted) return wanted;
  const room = wanted + maxSurge(deployment) - sumOf(allOf(rollout), replicasOf);
  return room <= 0 ? size : size + Math.min(room, wanted - size);
}

/**
 * The part that one set gets of the pods that are left to add, or to remove where that is negative,
 * when a Deployment is scaled in the middle of a rollout.
 */
export function proportion(set: ReplicaSet, deployment: Deployment, left: number): number {
  if (left === 0) return 0;
  const fraction = fractionOf(set, deployment);
  return left > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
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
export function isResized(rollout: Rollout): boolean {
  const wanted = String(replicasOf(rollout.deployment));
  return allOf(rollout)
    .filter(isScaled)
    .some(({ metadata }) => (metadata.annotations?.[DESIRED] ?? wanted) !== wanted);
}

/** Whether the set has all the pods of the Deployment, and all are available. */
export function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const wanted = replicasOf(deployment);
  return (
    replicasOf(set) === wanted &&
    set.metadata.annotations?.[DESIRED] === String(wanted) &&
    availableOf(set) === wanted
  );
}
