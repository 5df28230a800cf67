/**
 * Deployments: rolling from one ReplicaSet to the next.
 *
 * One `sync` makes one step, as far as the pods allow it; their changes cause the next one. Sizes,
 * revisions and status have files of their own.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/
 */
import { sameJson } from "../../../kube/json.ts";
import type { Clock } from "../../../clock.ts";
import type { Deployment } from "../../builtin/kinds/apps/shared.ts";
import type { ReplicaSet } from "../../builtin/shared/workloads/shapes.ts";
import type { ControllerClient, StoreEvent } from "../client.ts";
import type { EventRecorder } from "../event-recorder.ts";
import { concerns, keyFrom, textOf } from "../keys.ts";
import { DEPLOYMENTS, PODS, REPLICA_SETS } from "../../builtin/tokens.ts";
import { claimed, controllerOf, isControlledBy, ownersOf } from "../ownership.ts";
import { isFinished } from "../pods/pods.ts";
import type { Controller } from "../work-loop.ts";
import {
  countedStatus,
  deadlineInMs,
  type DeploymentStatus,
  findCondition,
  hasDeadline,
  isComplete,
  rolloutStatus,
  updateStatus,
  withProgress,
} from "./deployment-status.ts";
import { KIND, RevisionSets } from "./revision-sets.ts";
import { type Sets, allOf, divide } from "./revisions.ts";
import { isResized, isScaled, newSetReplicas, replicasOf } from "./rollout-arithmetic.ts";
import { SetScaler } from "./set-scaler.ts";

/** Keeps the ReplicaSets of each Deployment at the sizes of its rollout. */
export class DeploymentController implements Controller {
  readonly name = "Deployment";
  readonly watches = [DEPLOYMENTS, REPLICA_SETS, PODS];
  readonly #client: ControllerClient;
  readonly #scaler: SetScaler;
  readonly #revisions: RevisionSets;
  readonly #clock: Clock;

  constructor(client: ControllerClient, events: EventRecorder, clock: Clock) {
    this.#client = client;
    this.#scaler = new SetScaler(client, events);
    this.#revisions = new RevisionSets(client, events, clock);
    this.#clock = clock;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, DEPLOYMENTS)) yield textOf(event.object);
    yield* ownersOf(
      this.#client,
      event,
      REPLICA_SETS,
      KIND,
      (owner: Deployment) => owner.spec.selector,
    );
    // Recreate waits until the last old pod is gone.
    if (concerns(event, PODS) && event.type === "DELETED") {
      const { namespace = "" } = event.object.metadata;
      const owner = controllerOf(event.object);
      const set =
        owner?.kind === "ReplicaSet"
          ? this.#client.find(REPLICA_SETS, { namespace, name: owner.name })
          : undefined;
      const deployment = set && controllerOf(set);
      if (deployment) yield `${namespace}/${deployment.name}`;
    }
  }

  async sync(key: string): Promise<number | undefined> {
    let deployment = this.#find(key);
    if (!deployment) return undefined;
    const { selector } = deployment.spec;
    if (Object.keys(selector).length === 0) return undefined;
    const owned = await claimed({
      client: this.#client,
      owner: deployment,
      kind: KIND,
      resource: REPLICA_SETS,
      selector,
    });
    if (deployment.metadata.deletionTimestamp) {
      const sets = divide(deployment, owned);
      return this.#writeStatus(
        deployment,
        countedStatus(deployment, allOf(sets), sets.newSet, this.#clock.now()),
      );
    }
    deployment = await this.#notePause(deployment);
    if (deployment.spec.paused === true || isResized(deployment, owned)) {
      return this.#resize(deployment, owned);
    }
    return deployment.spec.strategy.type === "Recreate"
      ? this.#recreate(deployment, owned)
      : this.#roll(deployment, owned);
  }

  #find(key: string): Deployment | undefined {
    return this.#client.find(DEPLOYMENTS, keyFrom(key));
  }

  /** Records a pause, and its end, in the condition Progressing. */
  async #notePause(deployment: Deployment): Promise<Deployment> {
    const before = findCondition(deployment.status, "Progressing");
    if (!hasDeadline(deployment) || before?.reason === "ProgressDeadlineExceeded") {
      return deployment;
    }
    const paused = deployment.spec.paused === true;
    if (paused === (before?.reason === "DeploymentPaused")) return deployment;
    const conditions = withProgress(
      deployment,
      this.#clock.now(),
      "Unknown",
      paused ? "DeploymentPaused" : "DeploymentResumed",
      paused ? "Deployment is paused" : "Deployment is resumed",
    );
    return updateStatus(this.#client, {
      ...deployment,
      status: { ...deployment.status, conditions },
    });
  }

  /** Scales a Deployment that is paused, or whose size changed, without continuing its rollout. */
  async #resize(deployment: Deployment, owned: readonly ReplicaSet[]): Promise<number | undefined> {
    const { sets, deployment: current } = await this.#revisions.withRevision(
      deployment,
      owned,
      false,
    );
    await this.#scaler.spread(current, sets);
    if (current.spec.paused === true) await this.#revisions.cleanUp(current, sets.old);
    const now = this.#latest(current);
    const refreshed = this.#refresh(sets);
    return this.#writeStatus(
      now,
      countedStatus(now, allOf(refreshed), refreshed.newSet, this.#clock.now()),
    );
  }

  async #roll(deployment: Deployment, owned: readonly ReplicaSet[]): Promise<number | undefined> {
    const { sets, deployment: current } = await this.#revisions.withRevision(
      deployment,
      owned,
      true,
    );
    const { newSet } = sets;
    if (!newSet) return undefined;
    const wanted = replicasOf(current);
    const target =
      replicasOf(newSet) > wanted ? wanted : newSetReplicas(current, allOf(sets), newSet);
    const scaledUp = await this.#scaler.resize(current, newSet, target);
    const scaledDown = scaledUp ? false : await this.#scaler.shrinkOld(current, sets, newSet);
    if (!scaledUp && !scaledDown && isComplete(current, current.status ?? {})) {
      await this.#revisions.cleanUp(current, sets.old);
    }
    return this.#writeRollout(current, sets);
  }

  async #recreate(
    deployment: Deployment,
    owned: readonly ReplicaSet[],
  ): Promise<number | undefined> {
    const first = await this.#revisions.withRevision(deployment, owned, false);
    let { sets, deployment: current } = first;
    let scaledDown = false;
    for (const set of sets.old.filter(isScaled)) {
      scaledDown = (await this.#scaler.resize(current, set, 0)) || scaledDown;
    }
    if (scaledDown || this.#oldPodsRun(sets, owned)) return this.#writeRollout(current, sets);
    if (!sets.newSet)
      ({ sets, deployment: current } = await this.#revisions.withRevision(current, owned, true));
    if (sets.newSet) await this.#scaler.resize(current, sets.newSet, replicasOf(current));
    if (isComplete(current, current.status ?? {})) await this.#revisions.cleanUp(current, sets.old);
    return this.#writeRollout(current, sets);
  }

  #oldPodsRun(sets: Sets, owned: readonly ReplicaSet[]): boolean {
    if (sets.old.some(({ status }) => (status?.replicas ?? 0) > 0)) return true;
    const others = owned.filter((set) => set.metadata.uid !== sets.newSet?.metadata.uid);
    return others.some((set) =>
      this.#client
        .list(PODS, { namespace: set.metadata.namespace ?? "" })
        .some((pod) => isControlledBy(pod, set) && !isFinished(pod)),
    );
  }

  async #writeRollout(deployment: Deployment, sets: Sets): Promise<number | undefined> {
    const now = this.#latest(deployment);
    const { newSet, old } = this.#refresh(sets);
    const status = rolloutStatus(now, allOf({ newSet, old }), newSet, this.#clock.now());
    return this.#writeStatus(now, status);
  }

  async #writeStatus(
    deployment: Deployment,
    status: DeploymentStatus,
  ): Promise<number | undefined> {
    if (!sameJson(status, deployment.status ?? {})) {
      await updateStatus(this.#client, { ...deployment, status });
    }
    return deadlineInMs(deployment, status, this.#clock.now());
  }

  /**
   * The Deployment as it is stored now, for its status; this round keeps working with the same
   * spec.
   */
  #latest(deployment: Deployment): Deployment {
    const stored = this.#find(textOf(deployment));
    if (!stored) return deployment;
    return stored.metadata.generation === deployment.metadata.generation ? stored : deployment;
  }

  #refresh({ newSet, old }: Sets): Sets {
    const read = (set: ReplicaSet): ReplicaSet =>
      this.#client.find(REPLICA_SETS, keyFrom(textOf(set))) ?? set;
    return { newSet: newSet && read(newSet), old: old.map(read) };
  }
}
