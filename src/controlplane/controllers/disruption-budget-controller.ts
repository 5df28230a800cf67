/**
 * PodDisruptionBudgets: how many pods may be evicted now.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../clock.ts";
import type { KubeObject } from "../../kube/object.ts";
import { type LabelSelector, matchesLabelSelector } from "../../kube/selector.ts";
import type { Pod } from "../builtin/strategies/pod-shapes.ts";
import type { Condition, IntOrString } from "../builtin/strategies/shapes.ts";
import type { ControllerClient, ResourceName, StoreEvent } from "./client.ts";
import {
  BUDGETS,
  PODS,
  REPLICATION_CONTROLLERS,
  REPLICA_SETS,
  STATEFUL_SETS,
  concerns,
  keyFrom,
  textOf,
} from "./keys.ts";
import { controllerOf } from "./ownership.ts";
import { isFinished, isReady } from "./pods.ts";
import { msOf, timeOf } from "./times.ts";
import type { Controller } from "./work-loop.ts";

interface Budget extends KubeObject {
  spec?: { minAvailable?: IntOrString; maxUnavailable?: IntOrString; selector?: LabelSelector };
  status?: {
    disruptedPods?: Record<string, string>;
    conditions?: Condition[];
    currentHealthy?: number;
    desiredHealthy?: number;
    disruptionsAllowed?: number;
    expectedPods?: number;
    observedGeneration?: number;
  };
}

/** How long an eviction may take before it no longer counts. */
const EVICTION_MS = 120_000;
const OWNERS: Readonly<Record<string, ResourceName>> = {
  ReplicaSet: REPLICA_SETS,
  ReplicationController: REPLICATION_CONTROLLERS,
  StatefulSet: STATEFUL_SETS,
};

/** Keeps the status of budgets. */
export class DisruptionBudgetController implements Controller {
  readonly name = "DisruptionBudget";
  readonly watches = [BUDGETS, PODS, ...Object.values(OWNERS)];
  readonly #client: ControllerClient;
  readonly #clock: Clock;

  constructor(client: ControllerClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, BUDGETS)) yield textOf(event.object);
    const { namespace = "", labels } = event.object.metadata;
    const isPod = concerns(event, PODS);
    if (!isPod && !Object.values(OWNERS).some((owner) => concerns(event, owner))) return;
    for (const budget of this.#client.list(BUDGETS, { namespace }) as readonly Budget[]) {
      const { selector } = budget.spec ?? {};
      if (
        !isPod ||
        matchesLabelSelector(selector, labels) ||
        matchesLabelSelector(selector, event.old?.metadata.labels)
      ) {
        yield textOf(budget);
      }
    }
  }

  async sync(key: string): Promise<undefined> {
    const budget = this.#client.find(BUDGETS, keyFrom(key)) as Budget | undefined;
    if (!budget) return;
    const { namespace = "" } = budget.metadata;
    const now = this.#clock.now();
    const pods = (this.#client.list(PODS, { namespace }) as Pod[]).filter(
      (pod) => !isFinished(pod) && matchesLabelSelector(budget.spec?.selector, pod.metadata.labels),
    );
    const disrupted = Object.fromEntries(
      Object.entries(budget.status?.disruptedPods ?? {}).filter(([name, time]) =>
        pods.some(
          ({ metadata }) =>
            metadata.name === name && !metadata.deletionTimestamp && msOf(time) + EVICTION_MS > now,
        ),
      ),
    );
    const healthy = pods.filter(
      (pod) =>
        isReady(pod) &&
        !pod.metadata.deletionTimestamp &&
        !((pod.metadata.name ?? "") in disrupted),
    ).length;
    const { expected, desired } = this.#expectations(budget, pods);
    const allowed = expected === 0 ? 0 : Math.max(0, healthy - desired);
    const conditions = this.#conditions(budget, allowed);
    const status: NonNullable<Budget["status"]> = {
      observedGeneration: budget.metadata.generation ?? 0,
      ...(Object.keys(disrupted).length > 0 ? { disruptedPods: disrupted } : {}),
      disruptionsAllowed: allowed,
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected,
      conditions,
    };
    if (isDeepStrictEqual(structuredClone(budget.status), status)) return;
    await this.#client.update(BUDGETS, { ...budget, status } as Budget, "status");
  }

  #expectations(budget: Budget, pods: readonly Pod[]): { expected: number; desired: number } {
    const { minAvailable, maxUnavailable } = budget.spec ?? {};
    if (maxUnavailable !== undefined) {
      const expected = this.#expectedScale(pods);
      return { expected, desired: Math.max(0, expected - share(maxUnavailable, expected)) };
    }
    if (typeof minAvailable === "string") {
      const expected = this.#expectedScale(pods);
      return { expected, desired: share(minAvailable, expected) };
    }
    return { expected: pods.length, desired: minAvailable ?? 0 };
  }

  /** How many pods the controllers of these pods want in sum. */
  #expectedScale(pods: readonly Pod[]): number {
    const scales = new Map<string, number>();
    for (const pod of pods) {
      const owner = controllerOf(pod);
      const resource = owner && OWNERS[owner.kind];
      if (!resource) continue;
      const { namespace = "" } = pod.metadata;
      const found = this.#client.find(resource, { namespace, name: owner.name }) as
        (KubeObject & { spec?: { replicas?: number } }) | undefined;
      if (found) scales.set(owner.uid, found.spec?.replicas ?? 1);
    }
    return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
  }

  #conditions(budget: Budget, allowed: number): Condition[] {
    const before = budget.status?.conditions ?? [];
    const status = allowed > 0 ? "True" : "False";
    const known = before.find(({ type }) => type === "DisruptionAllowed");
    const since = known?.status === status ? known.lastTransitionTime : undefined;
    return [
      ...before.filter(({ type }) => type !== "DisruptionAllowed"),
      {
        type: "DisruptionAllowed",
        status,
        observedGeneration: budget.metadata.generation ?? 0,
        lastTransitionTime: since ?? timeOf(this.#clock.now()),
        reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
        message: "",
      },
    ];
  }
}

/** A count, or a part of `total` rounded up. */
function share(value: IntOrString, total: number): number {
  return typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100);
}
