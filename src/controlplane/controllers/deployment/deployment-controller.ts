/**
 * Deployments: rolling from one ReplicaSet to the next.
 *
 * One `sync` makes one step, as far as the pods allow it; their changes cause the next one. Sizes,
 * revisions and status have files of their own.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/
 */
import type { Deployment } from "../../builtin/kinds/apps/shared.ts";
import type { ReplicaSet } from "../../builtin/shared/workloads/shapes.ts";
import type { StoreEvent } from "../client.ts";
import { DEPLOYMENTS, PODS, REPLICA_SETS } from "../../builtin/tokens.ts";
import { claimed, controllerOf, isControlledBy, watchOwned } from "../ownership.ts";
import { isFinished } from "../pods/pods.ts";
import { ObjectController, watch } from "../controller.ts";
import {
  countedStatus,
  deadlineInMs,
  type DeploymentStatus,
  findCondition,
  hasDeadline,
  isComplete,
  rolloutStatus,
  withProgress,
} from "./deployment-status.ts";
import { KIND, RevisionSets } from "./revision-sets.ts";
import { type Sets, allOf, divide } from "./revisions.ts";
import { isResized, isScaled, newSetReplicas, replicasOf } from "./rollout-arithmetic.ts";
import { SetScaler } from "./set-scaler.ts";

/** Keeps the ReplicaSets of each Deployment at the sizes of its rollout. */
export class DeploymentController extends ObjectController<Deployment> {
  readonly name = "Deployment";
  readonly resource = DEPLOYMENTS;
  readonly watches = [
    watch(DEPLOYMENTS),
    watchOwned(this.client, REPLICA_SETS, KIND, ({ spec }) => spec.selector),
    watch(PODS, (event) => this.#deploymentsWithout(event)),
  ];
  readonly #scaler = new SetScaler(this);
  readonly #revisions = new RevisionSets(this);

  /** The Deployment of a deleted pod: Recreate waits until the last old one is gone. */
  *#deploymentsWithout({ type, object }: StoreEvent): Iterable<string> {
    const owner = controllerOf(object);
    if (type !== "DELETED" || owner?.kind !== "ReplicaSet") return;
    const { namespace = "" } = object.metadata;
    const set = this.client.find(REPLICA_SETS, { namespace, name: owner.name });
    const deployment = set && controllerOf(set);
    if (deployment) yield `${namespace}/${deployment.name}`;
  }

  protected async reconcile(deployment: Deployment): Promise<number | undefined> {
    const { selector } = deployment.spec;
    if (Object.keys(selector).length === 0) return undefined;
    const owned = await claimed({
      client: this.client,
      owner: deployment,
      kind: KIND,
      resource: REPLICA_SETS,
      selector,
    });
    if (deployment.metadata.deletionTimestamp) {
      return this.#writeCounts(deployment, divide(deployment, owned));
    }
    const noted = await this.#notePause(deployment);
    if (noted.spec.paused === true || isResized(noted, owned)) return this.#resize(noted, owned);
    return noted.spec.strategy.type === "Recreate"
      ? this.#recreate(noted, owned)
      : this.#roll(noted, owned);
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
      this.clock.now(),
      "Unknown",
      paused ? "DeploymentPaused" : "DeploymentResumed",
      paused ? "Deployment is paused" : "Deployment is resumed",
    );
    return this.client.updateStatus(DEPLOYMENTS, deployment, { ...deployment.status, conditions });
  }

  /** Scales a Deployment that is paused, or whose size changed, without continuing its rollout. */
  async #resize(deployment: Deployment, owned: readonly ReplicaSet[]): Promise<number | undefined> {
    const revised = await this.#revisions.withRevision(deployment, owned, false);
    const { sets, deployment: current } = revised;
    await this.#scaler.spread(current, sets);
    if (current.spec.paused === true) await this.#revisions.cleanUp(current, sets.old);
    return this.#writeCounts(this.#latest(current), this.#refresh(sets));
  }

  async #writeCounts(deployment: Deployment, sets: Sets): Promise<number | undefined> {
    const status = countedStatus(deployment, allOf(sets), sets.newSet, this.clock.now());
    return this.#writeStatus(deployment, status);
  }

  async #roll(deployment: Deployment, owned: readonly ReplicaSet[]): Promise<number | undefined> {
    const revised = await this.#revisions.withRevision(deployment, owned, true);
    const { sets, deployment: current } = revised;
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
      this.client
        .list(PODS, { namespace: set.metadata.namespace ?? "" })
        .some((pod) => isControlledBy(pod, set) && !isFinished(pod)),
    );
  }

  async #writeRollout(deployment: Deployment, sets: Sets): Promise<number | undefined> {
    const now = this.#latest(deployment);
    const { newSet, old } = this.#refresh(sets);
    const status = rolloutStatus(now, allOf({ newSet, old }), newSet, this.clock.now());
    return this.#writeStatus(now, status);
  }

  async #writeStatus(
    deployment: Deployment,
    status: DeploymentStatus,
  ): Promise<number | undefined> {
    await this.client.updateStatus(DEPLOYMENTS, deployment, status);
    return deadlineInMs(deployment, status, this.clock.now());
  }

  /**
   * The Deployment as it is stored now, for its status; this round keeps working with the same
   * spec.
   */
  #latest(deployment: Deployment): Deployment {
    const stored = this.client.find(DEPLOYMENTS, deployment.metadata) ?? deployment;
    return stored.metadata.generation === deployment.metadata.generation ? stored : deployment;
  }

  #refresh({ newSet, old }: Sets): Sets {
    const read = (set: ReplicaSet): ReplicaSet =>
      this.client.find(REPLICA_SETS, set.metadata) ?? set;
    return { newSet: newSet && read(newSet), old: old.map(read) };
  }
}
