/**
 * ReplicaSets and ReplicationControllers: the desired number of pods.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/
 */
import { sameJson } from "../../kube/json.ts";
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { SentObject } from "../../kube/object.ts";
import { type LabelSelector, matchesLabelSelector } from "../../kube/selectors/selector.ts";
import { isNotFound } from "../../kube/status.ts";
import type { Pod } from "../builtin/kinds/core/pod/shape.ts";
import type { PodTemplate } from "../builtin/shared/pods/shapes.ts";
import type { Condition } from "../builtin/shared/shapes.ts";
import type { ControllerClient, StoreEvent } from "./client.ts";
import type { ResourceName } from "../resource-name.ts";
import type { EventRecorder } from "./event-recorder.ts";
import { concerns, keyFrom, textOf } from "./keys.ts";
import { PODS } from "../builtin/tokens.ts";
import { type OwnerKind, claimed, controllerReference, ownersOf } from "./ownership.ts";
import { availableInMs, isActive, isFinished, isReady, podFrom } from "./pods/pods.ts";
import { rankForDeletion } from "./pods/pod-ranking.ts";
import { timeOf } from "../../kube/values/times.ts";
import type { Controller } from "./work-loop.ts";

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
export class ReplicaSetController implements Controller {
  readonly name: string;
  readonly watches: readonly ResourceName[];
  readonly #kind: OwnerKind<Replicas>;
  readonly #client: ControllerClient;
  readonly #events: EventRecorder;
  readonly #clock: Clock;

  constructor(
    kind: OwnerKind<Replicas>,
    client: ControllerClient,
    events: EventRecorder,
    clock: Clock,
  ) {
    this.name = kind.kind;
    this.watches = [kind.resource, PODS];
    this.#kind = kind;
    this.#client = client;
    this.#events = events;
    this.#clock = clock;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, this.#kind.resource)) yield textOf(event.object);
    yield* ownersOf(this.#client, event, PODS, this.#kind, (owner: Replicas) =>
      this.#selectorOf(owner),
    );
  }

  async sync(key: string): Promise<number | undefined> {
    const found = this.#client.find(this.#kind.resource, keyFrom(key));
    if (!found) return undefined;
    const set = found;
    const pods = await claimed({
      client: this.#client,
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
        failure = thrown instanceof Error ? thrown : new Error(messageOf(thrown));
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
    if (missing > 0) await this.#createPods(set, missing);
    else if (missing < 0) {
      const siblings = this.#podsOfSiblings(set);
      for (const pod of rankForDeletion(active, siblings, this.#clock.now()).slice(0, -missing)) {
        await this.#deletePod(set, pod);
      }
    }
  }

  async #createPods(set: Replicas, count: number): Promise<void> {
    const { template } = set.spec;
    if (!template) return;
    for (let made = 0; made < count; made++) {
      const pod = podFrom(template, set, {
        generateName: `${set.metadata.name ?? ""}-`,
        ownerReferences: [controllerReference(set, this.#kind)],
      });
      try {
        const created = await this.#client.create(PODS, pod);
        const { name = "" } = created.metadata;
        await this.#events.record(set, "Normal", "SuccessfulCreate", `Created pod: ${name}`);
      } catch (thrown) {
        await this.#events.record(
          set,
          "Warning",
          "FailedCreate",
          `Error creating: ${messageOf(thrown)}`,
        );
        throw thrown;
      }
    }
  }

  async #deletePod(set: Replicas, pod: Pod): Promise<void> {
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    try {
      await this.#client.remove(PODS, { namespace, name }, { uid });
    } catch (thrown) {
      if (isNotFound(thrown)) return;
      await this.#events.record(
        set,
        "Warning",
        "FailedDelete",
        `Error deleting: ${messageOf(thrown)}`,
      );
      throw thrown;
    }
    await this.#events.record(set, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
  }

  /**
   * The pods of all sets of the same owner: of surplus pods, those on nodes that run several of
   * them are deleted first.
   */
  #podsOfSiblings(set: Replicas): readonly Pod[] {
    const { namespace = "" } = set.metadata;
    const owner = set.metadata.ownerReferences?.find(({ controller }) => controller);
    const sets = owner
      ? this.#client
          .list(this.#kind.resource, { namespace })
          .filter(({ metadata }) =>
            metadata.ownerReferences?.some(
              ({ uid, controller }) => controller && uid === owner.uid,
            ),
          )
      : [set];
    const uids = new Set(sets.map(({ metadata }) => metadata.uid));
    return this.#client
      .list(PODS, { namespace })
      .filter(
        (pod) =>
          isActive(pod) &&
          pod.metadata.ownerReferences?.some(({ uid, controller }) => controller && uids.has(uid)),
      );
  }

  async #writeStatus(
    set: Replicas,
    pods: readonly Pod[],
    failure: Error | undefined,
  ): Promise<number | undefined> {
    const now = this.#clock.now();
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
    if (!sameJson(status, set.status ?? {})) {
      await this.#client.updateStatus(this.#kind.resource, set, status);
    }
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
        lastTransitionTime: timeOf(this.#clock.now()),
        reason,
        message: messageOf(failure),
      },
    ];
  }
}

/** A copy without the frozen object's identity, for comparing. */
