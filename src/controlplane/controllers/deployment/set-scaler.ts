/**
 * The sizes of a Deployment's ReplicaSets.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#proportional-scaling
 */
import type { Deployment } from "../../builtin/kinds/apps/workload-rules.ts";
import type { ReplicaSet } from "../../builtin/shared/workloads/workload-shapes.ts";
import { REPLICA_SETS } from "../../builtin/tokens.ts";
import type { Tools } from "../framework/controller.ts";
import { byAge } from "../framework/keys.ts";
import {
  type Rollout,
  allOf,
  availableOf,
  isSaturated,
  isScaled,
  maxSurge,
  maxUnavailable,
  proportion,
  replicasOf,
  sizeAnnotations,
  sumOf,
} from "./rollout.ts";

/**
 * Scales a set, and records it in an event.
 *
 * @param always - bring the annotations up to date even when the size stays
 * @returns whether the size changed
 * @throws StatusError
 */
export async function resize(
  { client, events }: Tools,
  deployment: Deployment,
  set: ReplicaSet,
  size: number,
  always = false,
): Promise<boolean> {
  const { name = "", annotations } = set.metadata;
  const before = replicasOf(set);
  const sizes = sizeAnnotations(deployment);
  const isUpToDate = Object.entries(sizes).every(([key, value]) => annotations?.[key] === value);
  if (before === size && (!always || isUpToDate)) return false;
  await client.update(REPLICA_SETS, {
    ...set,
    metadata: { ...set.metadata, annotations: { ...annotations, ...sizes } },
    spec: { ...set.spec, replicas: size },
  });
  if (before === size) return false;
  const direction = size > before ? "up" : "down";
  const message = `Scaled ${direction} replica set ${name} from ${before} to ${size}`;
  await events.record(deployment, "Normal", "ScalingReplicaSet", message);
  return true;
}

/** Scales several sets. @returns whether any size changed @throws StatusError */
export async function resizeAll(
  tools: Tools,
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  sizeOf: (set: ReplicaSet) => number,
): Promise<boolean> {
  let scaled = false;
  for (const set of sets) scaled = (await resize(tools, deployment, set, sizeOf(set))) || scaled;
  return scaled;
}

/** Spreads a new size over the sets: over all of them during a rollout. @throws StatusError */
export async function spread(tools: Tools, rollout: Rollout): Promise<void> {
  const { deployment, newSet, old } = rollout;
  const active = allOf(rollout).filter(isScaled);
  const wanted = replicasOf(deployment);
  if (active.length < 2) {
    const only = active[0] ?? newSet ?? old.toSorted(byAge).at(-1);
    if (only) await resize(tools, deployment, only, wanted);
    return;
  }
  if (newSet && isSaturated(deployment, newSet)) {
    await resizeAll(tools, deployment, old, () => 0);
    return;
  }
  if (deployment.spec.strategy.type !== "RollingUpdate") return;
  const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0;
  const toAdd = allowed - sumOf(active, replicasOf);
  const ordered = active.toSorted(
    (left, right) =>
      replicasOf(right) - replicasOf(left) || (toAdd > 0 ? byAge(right, left) : byAge(left, right)),
  );
  let left = toAdd;
  const sizes = ordered.map((set) => {
    const share = proportion(set, deployment, left);
    left -= share;
    return replicasOf(set) + share;
  });
  for (const [index, set] of ordered.entries()) {
    const size = (sizes[index] ?? 0) + (index === 0 ? left : 0);
    await resize(tools, deployment, set, Math.max(0, size), true);
  }
}

/**
 * Scales old sets down: unhealthy pods first, then as many others as may be unavailable.
 *
 * @returns whether any size changed
 * @throws StatusError
 */
export async function shrinkOld(
  tools: Tools,
  rollout: Rollout,
  newSet: ReplicaSet,
): Promise<boolean> {
  const { deployment } = rollout;
  const old = rollout.old.filter(isScaled).toSorted(byAge);
  const minAvailable = replicasOf(deployment) - maxUnavailable(deployment);
  const unavailableNew = replicasOf(newSet) - availableOf(newSet);
  const mayGo = sumOf(allOf(rollout), replicasOf) - minAvailable - unavailableNew;
  if (old.length === 0 || mayGo <= 0) return false;
  const sizes = new Map(old.map((set) => [set, replicasOf(set)]));
  const take = (limit: number, spare: (set: ReplicaSet, size: number) => number): void => {
    let left = limit;
    for (const [set, size] of sizes) {
      const count = Math.max(0, Math.min(left, spare(set, size)));
      sizes.set(set, size - count);
      left -= count;
    }
  };
  take(mayGo, (set, size) => size - availableOf(set));
  take(sumOf([...old, newSet], availableOf) - minAvailable, (_, size) => size);
  return resizeAll(tools, deployment, old, (set) => sizes.get(set) ?? 0);
}
