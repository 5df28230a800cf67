/**
 * PodDisruptionBudgets: the number of pods that may be evicted now.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/
 */
import type { DisruptionBudget } from "../builtin/kinds/policy/pod-disruption-budget.ts";
import { groupResourceOf, parseApiVersion } from "../../kube/resource.ts";
import { messageOf } from "../../errors.ts";
import type { ObjectMeta, SentObject, OwnerReference } from "../../kube/object.ts";
import { matchesLabelSelector } from "../../kube/selectors/selector.ts";
import { selectorText } from "../../kube/selectors/selector-text.ts";
import type { Pod } from "../builtin/kinds/core/pod/shape.ts";
import type { Condition } from "../builtin/shared/shapes.ts";
import type { ResourceName } from "../resource-name.ts";
import { textOf } from "./keys.ts";
import {
  BUDGETS,
  PODS,
  REPLICATION_CONTROLLERS,
  DEPLOYMENTS,
  REPLICA_SETS,
  STATEFUL_SETS,
} from "../builtin/tokens.ts";
import { withCondition } from "./conditions.ts";
import { controllerOf } from "./ownership.ts";
import { isReady } from "./pods/pods.ts";
import { shareOf } from "./share.ts";
import { msOf } from "../../kube/values/times.ts";
import { ObjectController, watch } from "./controller.ts";

/** How long an eviction may take before it no longer counts. */
const EVICTION_MS = 120_000;
const OWNERS: Readonly<Record<string, ResourceName<Scaled>>> = {
  ReplicaSet: REPLICA_SETS,
  ReplicationController: REPLICATION_CONTROLLERS,
  StatefulSet: STATEFUL_SETS,
  Deployment: DEPLOYMENTS,
};

/** How many pods are expected, and how many of them healthy. */
interface Expectations {
  readonly expected: number;
  readonly desired: number;
  /** Whether there are pods without a controller. */
  readonly hasUnmanaged: boolean;
}

/** Keeps the status of budgets. */
export class DisruptionBudgetController extends ObjectController<DisruptionBudget> {
  readonly name = "DisruptionBudget";
  readonly resource = BUDGETS;
  readonly watches = [
    watch(BUDGETS),
    // A pod that the budget no longer selects is only noticed at the next change.
    watch(PODS, ({ object: { metadata } }) =>
      this.#budgetsBeside(metadata)
        .filter(({ spec }) => matchesLabelSelector(spec?.selector, metadata.labels))
        .map(textOf),
    ),
    ...Object.values(OWNERS).map((owner) =>
      watch(owner, ({ object }) => this.#budgetsBeside(object.metadata).map(textOf)),
    ),
  ];

  #budgetsBeside({ namespace = "" }: ObjectMeta): readonly DisruptionBudget[] {
    return this.client.list(BUDGETS, { namespace });
  }

  protected async reconcile(budget: DisruptionBudget): Promise<number | undefined> {
    const { namespace = "" } = budget.metadata;
    const now = this.clock.now();
    const pods = this.client
      .list(PODS, { namespace })
      .filter((pod) => matchesLabelSelector(budget.spec?.selector, pod.metadata.labels));
    if (pods.length === 0) {
      await this.events.record(budget, "Normal", "NoPods", "No matching pods found");
    }
    let expectations: Expectations;
    try {
      expectations = this.#expectations(budget, pods);
    } catch (thrown) {
      await this.#giveUp(budget, messageOf(thrown));
      return undefined;
    }
    const { expected, desired, hasUnmanaged } = expectations;
    if (hasUnmanaged) {
      const message = `Pods selected by this PodDisruptionBudget (selector: ${selectorText(budget.spec?.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
      await this.events.record(budget, "Warning", "UnmanagedPods", message);
    }
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
    const allowed = expected === 0 ? 0 : Math.max(0, healthy - desired);
    // A pod that was to be evicted but stays counts again after a while.
    const waits = Object.values(disrupted).map((time) => msOf(time) + EVICTION_MS - now);
    const reason = allowed > 0 ? "SufficientPods" : "InsufficientPods";
    await this.client.updateStatus(BUDGETS, budget, {
      observedGeneration: budget.metadata.generation ?? 0,
      ...(waits.length > 0 ? { disruptedPods: disrupted } : {}),
      disruptionsAllowed: allowed,
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected,
      conditions: this.#conditions(budget, allowed > 0, reason),
    });
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  /** Allows no disruptions when the pods cannot be counted. */
  async #giveUp(budget: DisruptionBudget, problem: string): Promise<void> {
    const message = `Failed to calculate the number of expected pods: ${problem}`;
    await this.events.record(budget, "Warning", "CalculateExpectedPodCountFailed", message);
    const conditions = this.#conditions(budget, false, "SyncFailed", problem);
    const status = { ...budget.status, disruptionsAllowed: 0, conditions };
    await this.client.updateStatus(BUDGETS, budget, status);
  }

  #expectations(budget: DisruptionBudget, pods: readonly Pod[]): Expectations {
    const { minAvailable, maxUnavailable } = budget.spec ?? {};
    if (maxUnavailable === undefined && typeof minAvailable !== "string") {
      return { expected: pods.length, desired: minAvailable ?? 0, hasUnmanaged: false };
    }
    const { expected, hasUnmanaged } = this.#expectedScale(pods);
    const desired =
      maxUnavailable === undefined
        ? shareOf(minAvailable, expected)
        : Math.max(0, expected - shareOf(maxUnavailable, expected));
    return { expected, desired, hasUnmanaged };
  }

  /**
   * How many pods the controllers of these pods want in total.
   *
   * @throws Error when one of them has no scale
   */
  #expectedScale(pods: readonly Pod[]): Pick<Expectations, "expected" | "hasUnmanaged"> {
    const scales = new Map<string, number>();
    let hasUnmanaged = false;
    for (const pod of pods) {
      const owner = controllerOf(pod);
      if (!owner) {
        hasUnmanaged = true;
        continue;
      }
      const scaled = this.#scaled(pod, owner);
      if (!scaled)
        throw new Error(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`);
      scales.set(scaled.metadata.uid ?? "", scaled.spec?.replicas ?? 1);
    }
    const expected = [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
    return { expected, hasUnmanaged };
  }

  /**
   * The object whose scale counts for a pod: its controller, or the Deployment above its
   * ReplicaSet.
   */
  #scaled({ metadata: { namespace = "" } }: Pod, owner: OwnerReference): Scaled | undefined {
    const { group } = parseApiVersion(owner.apiVersion);
    const resource: ResourceName<Scaled> | undefined =
      OWNERS[owner.kind] ??
      this.client
        .resources()
        .find((served) => served.kind === owner.kind && served.group === group);
    if (!resource) return undefined;
    const found = this.client.find(resource, { namespace, name: owner.name });
    if (found?.metadata.uid !== owner.uid) return undefined;
    const above = owner.kind === "ReplicaSet" ? controllerOf(found) : undefined;
    if (above?.kind === "Deployment") {
      return this.client.find(DEPLOYMENTS, { namespace, name: above.name });
    }
    if (!OWNERS[owner.kind] && found.spec?.replicas === undefined) {
      throw new Error(`${groupResourceOf(resource)} does not implement the scale subresource`);
    }
    return found;
  }

  #conditions(
    budget: DisruptionBudget,
    isAllowed: boolean,
    reason: string,
    message = "",
  ): Condition[] {
    const change = {
      type: "DisruptionAllowed",
      status: isAllowed ? "True" : "False",
      observedGeneration: budget.metadata.generation ?? 0,
      reason,
      message,
    };
    return withCondition(budget.status?.conditions, change, this.clock.now());
  }
}

type Scaled = SentObject & { spec?: { replicas?: number } };
