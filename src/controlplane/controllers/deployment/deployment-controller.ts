/**
 * Deployments: rolling from one ReplicaSet to the next.
 *
 * One `sync` makes one step, as far as the pods allow it; their changes cause the next one. Sizes,
 * revisions and status have files of their own.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/
 */
import type { SentObject } from "../../../kube/object.ts";
import type { Deployment } from "../../builtin/kinds/apps/workload-rules.ts";
import { DEPLOYMENTS, PODS, REPLICA_SETS } from "../../builtin/tokens.ts";
import type { ResourceName } from "../../resource-name.ts";
import type { StoreEvent } from "../framework/client.ts";
import { ObjectController, watch } from "../framework/controller.ts";
import {
  claimed,
  controllerOf,
  isControlledBy,
  watchOwned,
} from "../framework/owner-references.ts";
import { isFinished } from "../pods/pods.ts";
import {
  countedStatus,
  deadlineInMs,
  isComplete,
  progressOf,
  rolloutStatus,
  withProgress,
} from "./deployment-status.ts";
import { cleanUp, rolloutOf, withRevision } from "./revision-sets.ts";
import { type Rollout, isResized, newSetReplicas, replicasOf } from "./rollout.ts";
import { resize, resizeAll, shrinkOld, spread } from "./set-scaler.ts";

/** Keeps the ReplicaSets of each Deployment at the sizes of its rollout. */
export class DeploymentController extends ObjectController<Deployment> {
  readonly name = "Deployment";
  readonly resource = DEPLOYMENTS;
  readonly watches = [
    watch(DEPLOYMENTS),
    watchOwned(this, REPLICA_SETS, ({ spec }) => spec.selector),
    watch(PODS, (event) => this.#deploymentsWithout(event)),
  ];

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
    const { selector, strategy } = deployment.spec;
    if (Object.keys(selector).length === 0) return undefined;
    const owned = await claimed(this.client, deployment, REPLICA_SETS, selector);
    if (deployment.metadata.deletionTimestamp) {
      return this.#writeStatus(rolloutOf(deployment, owned), countedStatus);
    }
    const rollout = rolloutOf(await this.#notePause(deployment), owned);
    if (deployment.spec.paused === true || isResized(rollout)) return this.#resize(rollout);
    return strategy.type === "Recreate" ? this.#recreate(rollout) : this.#roll(rollout);
  }

  /** Records a pause, and its end, in the condition Progressing. */
  async #notePause(deployment: Deployment): Promise<Deployment> {
    const before = progressOf(deployment)?.reason;
    const { paused = false } = deployment.spec;
    if (before === "ProgressDeadlineExceeded" || paused === (before === "DeploymentPaused")) {
      return deployment;
    }
    const end = paused ? "paused" : "resumed";
    const reason = paused ? "DeploymentPaused" : "DeploymentResumed";
    const message = `Deployment is ${end}`;
    const conditions = withProgress(deployment, this.clock.now(), "Unknown", reason, message);
    if (!conditions) return deployment;
    return this.client.updateStatus(DEPLOYMENTS, deployment, { ...deployment.status, conditions });
  }

  /** Scales a Deployment that is paused, or whose size changed, without continuing its rollout. */
  async #resize(found: Rollout): Promise<number | undefined> {
    const rollout = await withRevision(this, found, false);
    await spread(this, rollout);
    if (rollout.deployment.spec.paused === true) await cleanUp(this.client, rollout);
    return this.#writeStatus(rollout, countedStatus);
  }

  async #roll(found: Rollout): Promise<number | undefined> {
    const rollout = await withRevision(this, found, true);
    const { newSet, deployment } = rollout;
    if (!newSet) return undefined;
    const isScaled =
      (await resize(this, deployment, newSet, newSetReplicas(rollout, newSet))) ||
      (await shrinkOld(this, rollout, newSet));
    if (!isScaled && isComplete(deployment, deployment.status)) await cleanUp(this.client, rollout);
    return this.#writeStatus(rollout, rolloutStatus);
  }

  async #recreate(found: Rollout): Promise<number | undefined> {
    let rollout = await withRevision(this, found, false);
    const isScaledDown = await resizeAll(this, rollout.deployment, rollout.old, () => 0);
    if (isScaledDown || this.#oldPodsRun(rollout)) return this.#writeStatus(rollout, rolloutStatus);
    if (!rollout.newSet) rollout = await withRevision(this, rollout, true);
    const { deployment, newSet } = rollout;
    if (newSet) await resize(this, deployment, newSet, replicasOf(deployment));
    if (isComplete(deployment, deployment.status)) await cleanUp(this.client, rollout);
    return this.#writeStatus(rollout, rolloutStatus);
  }

  #oldPodsRun({ deployment, old }: Rollout): boolean {
    if (old.some(({ status }) => (status?.replicas ?? 0) > 0)) return true;
    const { namespace = "" } = deployment.metadata;
    const pods = this.client.list(PODS, { namespace }).filter((pod) => !isFinished(pod));
    return old.some((set) => pods.some((pod) => isControlledBy(pod, set)));
  }

  /** Writes the status of a rollout as its objects are stored now. */
  async #writeStatus(
    { deployment, newSet, old }: Rollout,
    statusOf: typeof countedStatus,
  ): Promise<number | undefined> {
    const stored = <T extends SentObject>(resource: ResourceName<T>, object: T): T =>
      this.client.find(resource, object.metadata) ?? object;
    const found = stored(DEPLOYMENTS, deployment);
    // This round keeps working with the same spec.
    const isSame = found.metadata.generation === deployment.metadata.generation;
    const latest = isSame ? found : deployment;
    const status = statusOf(
      {
        deployment: latest,
        newSet: newSet && stored(REPLICA_SETS, newSet),
        old: old.map((set) => stored(REPLICA_SETS, set)),
      },
      this.clock.now(),
    );
    await this.client.updateStatus(DEPLOYMENTS, latest, status);
    return deadlineInMs({ ...latest, status }, this.clock.now());
  }
}
