/**
 * PodDisruptionBudgets: the number of pods that may be evicted now.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/
 */
import type { DisruptionBudget } from "../builtin/kinds/policy/pod-disruption-budget.ts";
import { groupResourceOf } from "../../kube/resource.ts";
import { messageOf } from "../../errors.ts";
import type { ObjectMeta, SentObject, OwnerReference } from "../../kube/object.ts";
import { matchesLabelSelector } from "../../kube/selectors/selector.ts";
import { selectorText } from "../../kube/selectors/selector-text.ts";
import type { Pod } from "../builtin/kinds/core/pod/shape.ts";
import type { Condition } from "../builtin/shared/shapes.ts";
import type { ResourceName } from "../resource-name.ts";
import { referredResource, textOf } from "./framework/keys.ts";
import {
  BUDGETS,
  PODS,
  REPLICATION_CONTROLLERS,
  DEPLOYMENTS,
  REPLICA_SETS,
  STATEFUL_SETS,
} from "../builtin/tokens.ts";
import { withCondition } from "./framework/conditions.ts";
import { controllerOf } from "./framework/owner-references.ts";
import { isReady } from "./pods/pods.ts";
import { shareOf } from "./framework/counts.ts";
import { msOf } from "../../kube/values/times.ts";
import { ObjectController, watch } from "./framework/controller.ts";
import { tableOf } from "../../table.ts";

/** How long an eviction may take before it no longer counts. */
const EVICTION_MS = 120_000;
const OWNERS = tableOf<ResourceName<Scaled>>({
  ReplicaSet: REPLICA_SETS,
  ReplicationController: REPLICATION_CONTROLLERS,
  StatefulSet: STATEFUL_SETS,
  Deployment: DEPLOYMENTS,
});

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
    ...[...OWNERS.values()].map((owner) =>
      watch(owner, ({ object }) => this.#budgetsBeside(object.metadata).map(textOf)),
    ),
  ];

  #budgetsBeside({ namespace = "" }: ObjectMeta): readonly DisruptionBudget[] {
    return this.client.list(BUDGETS, { namespace });
  }

  protected async reconcile(budget: DisruptionBudget): Promise<number | undefined> {
    const { namespace = "" } = budget.metadata;
    const { minAvailable, maxUnavailable, selector } = budget.spec ?? {};
    const now = this.clock.now();
    const pods = this.client
      .list(PODS, { namespace })
      .filter((pod) => matchesLabelSelector(selector, pod.metadata.labels));
    if (pods.length === 0) {
      await this.events.record(budget, "Normal", "NoPods", "No matching pods found");
    }
    let expected = pods.length;
    // Only a minimum that is a number does not depend on how many pods there should be.
    if (maxUnavailable !== undefined || typeof minAvailable === "string") {
      try {
        expected = this.#expectedScale(pods);
      } catch (thrown) {
        await this.#giveUp(budget, messageOf(thrown));
        return undefined;
      }
      if (!pods.every(controllerOf)) {
        const message = `Pods selected by this PodDisruptionBudget (selector: ${selectorText(selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
        await this.events.record(budget, "Warning", "UnmanagedPods", message);
      }
    }
    const desired =
      maxUnavailable === undefined
        ? shareOf(minAvailable, expected)
        : Math.max(0, expected - shareOf(maxUnavailable, expected));
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

  /** How many pods the controllers of these pods want in total. @throws Error when one of them has no scale */
  #expectedScale(pods: readonly Pod[]): number {
    const scales = new Map<string, number>();
    for (const pod of pods) {
      const owner = controllerOf(pod);
      if (!owner) continue;
      const scaled = this.#scaled(pod, owner);
      if (!scaled) {
        throw new Error(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`);
      }
      scales.set(scaled.metadata.uid ?? "", scaled.spec?.replicas ?? 1);
    }
    return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
  }

  /** The object whose scale counts for a pod: its controller, or the Deployment above its ReplicaSet. */
  #scaled({ metadata: { namespace = "" } }: Pod, owner: OwnerReference): Scaled | undefined {
    const resource: ResourceName<Scaled> | undefined =
      OWNERS.get(owner.kind) ?? referredResource(this.client, owner);
    if (!resource) return undefined;
    const found = this.client.find(resource, { namespace, name: owner.name });
    if (found?.metadata.uid !== owner.uid) return undefined;
    const above = owner.kind === "ReplicaSet" ? controllerOf(found) : undefined;
    if (above?.kind === "Deployment") {
      return this.client.find(DEPLOYMENTS, { namespace, name: above.name });
    }
    if (!OWNERS.has(owner.kind) && found.spec?.replicas === undefined) {
      throw new Error(`${groupResourceOf(resource)} does not implement the scale subresource`);
    }
    return found;
  }

  #conditions(
    { metadata: { generation = 0 }, status: before }: DisruptionBudget,
    isAllowed: boolean,
    reason: string,
    message = "",
  ): Condition[] {
    const status = isAllowed ? "True" : "False";
    const facts = { status, observedGeneration: generation, reason, message };
    const change = { type: "DisruptionAllowed", ...facts };
    return withCondition(before?.conditions, change, this.clock.now());
  }
}

type Scaled = SentObject & { spec?: { replicas?: number } };
