/**
 * ReplicaSets and ReplicationControllers: the desired number of pods.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/
 */
import { errorFrom, messageOf } from "../../errors.ts";
import type { SentObject } from "../../kube/object.ts";
import { type LabelSelector, matchesLabelSelector } from "../../kube/selectors/selector.ts";
import type { Pod } from "../builtin/kinds/core/pod/shape.ts";
import type { PodTemplate } from "../builtin/shared/pods/shapes.ts";
import type { Condition } from "../builtin/shared/shapes.ts";
import type { ResourceName } from "../resource-name.ts";
import { PODS } from "../builtin/tokens.ts";
import {
  type OwnerKind,
  claimed,
  controllerOf,
  controllerReference,
  watchOwned,
} from "./ownership.ts";
import { availableInMs, isActive, isFinished, isReady, podFrom } from "./pods/pods.ts";
import { createPod, deletePod } from "./pods/pod-control.ts";
import { rankForDeletion } from "./pods/pod-ranking.ts";
import { timeOf } from "../../kube/values/times.ts";
import { ObjectController, type Tools, type Watch, watch } from "./controller.ts";

interface Replicas extends SentObject {
  spec: {
    replicas?: number;
    minReadySeconds?: number;
    selector?: LabelSelector | Record<string, string>;
    template?: PodTemplate;
  };
  status?: {
    replicas?: number;
    observedGeneration?: number;
    conditions?: Condition[];
  };
}

/** Creates and deletes the pods of one of the two kinds. */
export class ReplicaSetController extends ObjectController<Replicas> {
  readonly name: string;
  readonly resource: ResourceName<Replicas>;
  readonly watches: readonly Watch[];
  readonly #kind: OwnerKind<Replicas>;

  constructor(tools: Tools, kind: OwnerKind<Replicas>) {
    super(tools);
    this.name = kind.kind;
    this.resource = kind.resource;
    this.watches = [
      watch(kind.resource),
      watchOwned(tools.client, PODS, kind, (set) => this.#selectorOf(set)),
    ];
    this.#kind = kind;
  }

  protected async reconcile(set: Replicas): Promise<number | undefined> {
    const pods = await claimed({
      client: this.client,
      owner: set,
      kind: this.#kind,
      resource: PODS,
      selector: this.#selectorOf(set),
    });
    let failure: Error | undefined;
    if (!set.metadata.deletionTimestamp) {
      try {
        await this.#matchReplicas(set, pods.filter(isActive));
      } catch (thrown) {
        failure = errorFrom(thrown);
      }
    }
    // The status counts the pods from before this round; the changes cause the next one.
    const againMs = await this.#writeStatus(set, pods, failure);
    if (failure) throw failure;
    return againMs;
  }

  #selectorOf(set: Replicas): LabelSelector | undefined {
    const { selector } = set.spec;
    if (!selector || this.#kind.kind === "ReplicaSet") return selector;
    return { matchLabels: selector as Record<string, string> };
  }

  async #matchReplicas(set: Replicas, active: readonly Pod[]): Promise<void> {
    const missing = (set.spec.replicas ?? 1) - active.length;
    for (let made = 0; made < missing; made++) await this.#createPod(set);
    if (missing < 0) {
      const siblings = this.#podsOfSiblings(set);
      for (const pod of rankForDeletion(active, siblings, this.clock.now()).slice(0, -missing)) {
        await deletePod(this, set, pod);
      }
    }
  }

  async #createPod(set: Replicas): Promise<void> {
    const { template } = set.spec;
    if (!template) return;
    const pod = podFrom(template, set, {
      generateName: `${set.metadata.name ?? ""}-`,
      ownerReferences: [controllerReference(set, this.#kind)],
    });
    await createPod(this, set, pod);
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

  async #writeStatus(
    set: Replicas,
    pods: readonly Pod[],
    failure: Error | undefined,
  ): Promise<number | undefined> {
    const now = this.clock.now();
    const active = pods.filter(isActive);
    const waits = active.map((pod) => availableInMs(pod, set.spec.minReadySeconds ?? 0, now));
    const templateLabels = { matchLabels: set.spec.template?.metadata?.labels ?? {} };
    const ready = active.filter(isReady).length;
    const available = waits.filter((wait) => wait === 0).length;
    const labeled = active.filter(({ metadata }) =>
      matchesLabelSelector(templateLabels, metadata.labels),
    ).length;
    const conditions = this.#conditions(set, active.length, failure);
    const status = {
      replicas: active.length,
      ...(labeled > 0 ? { fullyLabeledReplicas: labeled } : {}),
      ...(ready > 0 ? { readyReplicas: ready } : {}),
      ...(available > 0 ? { availableReplicas: available } : {}),
      ...(this.#kind.kind === "ReplicaSet"
        ? {
            terminatingReplicas: pods.filter(
              (pod) => pod.metadata.deletionTimestamp && !isFinished(pod),
            ).length,
          }
        : {}),
      observedGeneration: set.metadata.generation ?? 0,
      ...(conditions.length > 0 ? { conditions } : {}),
    };
    await this.client.updateStatus(this.resource, set, status);
    const soonest = Math.min(...waits.filter((wait) => wait !== undefined && wait > 0).map(Number));
    return Number.isFinite(soonest) ? soonest : undefined;
  }

  #conditions(set: Replicas, activePods: number, failure: Error | undefined): Condition[] {
    const before = set.status?.conditions ?? [];
    const others = before.filter(({ type }) => type !== "ReplicaFailure");
    if (failure === undefined) return others;
    const known = before.find(({ type }) => type === "ReplicaFailure");
    if (known) return [...before];
    const reason = activePods < (set.spec.replicas ?? 1) ? "FailedCreate" : "FailedDelete";
    return [
      ...others,
      {
        type: "ReplicaFailure",
        status: "True",
        lastTransitionTime: timeOf(this.clock.now()),
        reason,
        message: messageOf(failure),
      },
    ];
  }
}
