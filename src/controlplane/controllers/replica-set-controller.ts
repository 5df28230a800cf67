/**
 * ReplicaSets and ReplicationControllers: the desired number of pods.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/
 */
import { messageOf } from "../../errors.ts";
import { findCondition } from "../../kube/progress/conditions.ts";
import { type LabelSelector, matchesLabelSelector } from "../../kube/selectors/selector.ts";
import { timeOf } from "../../kube/values/times.ts";
import type { Pod } from "../builtin/kinds/core/pod/shape.ts";
import type { ReplicationController } from "../builtin/kinds/core/replication-controller.ts";
import type { Condition } from "../builtin/shared/shapes.ts";
import type { ReplicaSet } from "../builtin/shared/workloads/workload-shapes.ts";
import { PODS } from "../builtin/tokens.ts";
import type { ResourceName } from "../resource-name.ts";
import { withoutCondition } from "./framework/conditions.ts";
import { ObjectController, type Tools, type Watch, watch } from "./framework/controller.ts";
import { nonZero, shortest } from "./framework/counts.ts";
import { claimed, controllerOf, watchOwned } from "./framework/owner-references.ts";
import { rankForDeletion } from "./pods/pod-ranking.ts";
import {
  availableInMs,
  createPod,
  deletePod,
  isActive,
  isAvailable,
  isReady,
  isTerminating,
  podFrom,
} from "./pods/pods.ts";

type Replicas = ReplicaSet | ReplicationController;

/** Creates and deletes the pods of one of the two kinds. */
export class ReplicaSetController extends ObjectController<Replicas> {
  readonly name: string;
  readonly resource: ResourceName<Replicas>;
  readonly watches: readonly Watch[];

  constructor(tools: Tools, kind: string, resource: ResourceName<Replicas>) {
    super(tools);
    this.name = kind;
    this.resource = resource;
    this.watches = [watch(resource), watchOwned(this, PODS, selectorOf)];
  }

  protected async reconcile(set: Replicas): Promise<number | undefined> {
    const pods = await claimed(this.client, set, PODS, selectorOf(set));
    const active = pods.filter(isActive);
    let failure: unknown;
    try {
      if (!set.metadata.deletionTimestamp) await this.#matchReplicas(set, active);
    } catch (thrown) {
      failure = thrown;
      throw thrown;
    } finally {
      // The status counts the pods from before this round; the changes cause the next one.
      await this.#writeStatus(set, pods, failure);
    }
    const now = this.clock.now();
    return shortest(active.map((pod) => availableInMs(set, pod, now)));
  }

  async #matchReplicas(set: Replicas, active: readonly Pod[]): Promise<void> {
    const { replicas = 1, template } = set.spec;
    const missing = replicas - active.length;
    for (let made = 0; template && made < missing; made++) {
      await createPod(this, set, podFrom(template, set));
    }
    if (missing >= 0) return;
    const ranked = rankForDeletion(active, this.#podsOfSiblings(set), this.clock.now());
    for (const pod of ranked.slice(0, -missing)) await deletePod(this, set, pod);
  }

  /**
   * The pods of all sets of the same owner: of surplus pods, those on nodes that run several of
   * them are deleted first.
   */
  #podsOfSiblings(set: Replicas): readonly Pod[] {
    const { namespace = "" } = set.metadata;
    const owner = controllerOf(set);
    const sets = owner
      ? this.client
          .list(this.resource, { namespace })
          .filter((other) => controllerOf(other)?.uid === owner.uid)
      : [set];
    const uids = new Set(sets.map(({ metadata }) => metadata.uid));
    return this.client
      .list(PODS, { namespace })
      .filter((pod) => isActive(pod) && uids.has(controllerOf(pod)?.uid));
  }

  async #writeStatus(set: Replicas, pods: readonly Pod[], failure: unknown): Promise<void> {
    const now = this.clock.now();
    const active = pods.filter(isActive);
    const count = (test: (pod: Pod) => boolean): number => active.filter(test).length;
    const template = { matchLabels: set.spec.template?.metadata?.labels ?? {} };
    const conditions = this.#conditions(set, active.length, failure);
    await this.client.updateStatus(this.resource, set, {
      replicas: active.length,
      ...nonZero({
        fullyLabeledReplicas: count(({ metadata }) =>
          matchesLabelSelector(template, metadata.labels),
        ),
        readyReplicas: count(isReady),
        availableReplicas: count((pod) => isAvailable(set, pod, now)),
      }),
      ...(this.name === "ReplicaSet"
        ? { terminatingReplicas: pods.filter(isTerminating).length }
        : {}),
      observedGeneration: set.metadata.generation ?? 0,
      ...(conditions.length > 0 ? { conditions } : {}),
    });
  }

  #conditions({ spec, status }: Replicas, active: number, failure: unknown): Condition[] {
    const type = "ReplicaFailure";
    const before = status?.conditions ?? [];
    if (failure === undefined) return withoutCondition(before, type);
    if (findCondition(before, type)) return before;
    const reason = active < (spec.replicas ?? 1) ? "FailedCreate" : "FailedDelete";
    const lastTransitionTime = timeOf(this.clock.now());
    const message = messageOf(failure);
    return [...before, { type, status: "True", lastTransitionTime, reason, message }];
  }
}

/** A ReplicationController selects by labels alone. */
function selectorOf({ kind, spec: { selector } }: Replicas): LabelSelector | undefined {
  if (!selector || kind === "ReplicaSet") return selector;
  return { matchLabels: selector as Record<string, string> };
}
