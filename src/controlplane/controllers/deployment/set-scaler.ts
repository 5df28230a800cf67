/**
 * The sizes of a Deployment's ReplicaSets.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#proportional-scaling
 */
import type { Deployment } from "../../builtin/kinds/apps/shared.ts";
import type { ReplicaSet } from "../../builtin/shared/workloads/shapes.ts";
import type { Tools } from "../controller.ts";
import { REPLICA_SETS } from "../../builtin/tokens.ts";
import { type Sets, allOf, byAge } from "./revisions.ts";
import {
  isSaturated,
  isScaled,
  maxSurge,
  maxUnavailable,
  proportion,
  replicasOf,
  sizeAnnotations,
  sumOf,
} from "./rollout-arithmetic.ts";

/** Scales the ReplicaSets of Deployments, and records it in events. */
export class SetScaler {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Scales a set.
   *
   * @param always - bring the annotations up to date even when the size stays
   * @returns whether the size changed
   * @throws StatusError
   */
  async resize(
    deployment: Deployment,
    set: ReplicaSet,
    size: number,
    always = false,
  ): Promise<boolean> {
    const before = replicasOf(set);
    if (before === size && !always) return false;
    const sizes = sizeAnnotations(deployment);
    const upToDate = Object.entries(sizes).every(
      ([key, value]) => set.metadata.annotations?.[key] === value,
    );
    if (before === size && upToDate) return false;
    await this.#tools.client.update(REPLICA_SETS, {
      ...set,
      metadata: { ...set.metadata, annotations: { ...set.metadata.annotations, ...sizes } },
      spec: { ...set.spec, replicas: size },
    });
    if (before === size) return false;
    const direction = size > before ? "up" : "down";
    await this.#tools.events.record(
      deployment,
      "Normal",
      "ScalingReplicaSet",
      `Scaled ${direction} replica set ${set.metadata.name ?? ""} from ${before} to ${size}`,
    );
    return true;
  }

  /** Spreads a new size over the sets: over all of them during a rollout. @throws StatusError */
  async spread(deployment: Deployment, sets: Sets): Promise<void> {
    const active = allOf(sets).filter(isScaled);
    const wanted = replicasOf(deployment);
    const only =
      active.length === 0
        ? (sets.newSet ?? sets.old.toSorted(byAge).at(-1))
        : active.length === 1
          ? active[0]
          : undefined;
    if (only) {
      await this.resize(deployment, only, wanted);
      return;
    }
    const { newSet } = sets;
    if (newSet && isSaturated(deployment, newSet)) {
      for (const set of sets.old.filter(isScaled)) await this.resize(deployment, set, 0);
      return;
    }
    if (deployment.spec.strategy.type !== "RollingUpdate" || active.length === 0) return;
    const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0;
    const toAdd = allowed - sumOf(active, replicasOf);
    const ordered = active.toSorted(
      (left, right) =>
        replicasOf(right) - replicasOf(left) ||
        (toAdd > 0 ? byAge(right, left) : byAge(left, right)),
    );
    let added = 0;
    const sizes = ordered.map((set) => {
      const share = toAdd === 0 ? 0 : proportion(set, deployment, toAdd, added);
      added += share;
      return replicasOf(set) + share;
    });
    for (const [index, set] of ordered.entries()) {
      const leftover = index === 0 && toAdd !== 0 ? toAdd - added : 0;
      await this.resize(deployment, set, Math.max(0, (sizes[index] ?? 0) + leftover), true);
    }
  }

  /**
   * Scales old sets down: unhealthy pods first, then as many others as may be unavailable.
   *
   * @returns whether any size changed
   * @throws StatusError
   */
  async shrinkOld(deployment: Deployment, sets: Sets, newSet: ReplicaSet): Promise<boolean> {
    const old = sets.old.filter(isScaled).toSorted(byAge);
    if (old.length === 0) return false;
    const minAvailable = replicasOf(deployment) - maxUnavailable(deployment);
    const unavailableNew = replicasOf(newSet) - (newSet.status?.availableReplicas ?? 0);
    const total = sumOf(allOf(sets), replicasOf);
    const mayGo = total - minAvailable - unavailableNew;
    if (mayGo <= 0) return false;

    const sizes = new Map(old.map((set) => [set, replicasOf(set)]));
    let cleaned = 0;
    for (const set of old) {
      const size = sizes.get(set) ?? 0;
      const unhealthy = size - (set.status?.availableReplicas ?? 0);
      const count = Math.min(mayGo - cleaned, unhealthy);
      if (count <= 0) continue;
      sizes.set(set, size - count);
      cleaned += count;
    }
    const available = sumOf([...old, newSet], ({ status }) => status?.availableReplicas);
    let spare = available - minAvailable;
    for (const set of old) {
      const size = sizes.get(set) ?? 0;
      const count = Math.min(size, spare);
      if (count <= 0) continue;
      sizes.set(set, size - count);
      spare -= count;
    }
    let scaled = false;
    for (const [set, size] of sizes) {
      scaled = (await this.resize(deployment, set, size)) || scaled;
    }
    return scaled;
  }
}
