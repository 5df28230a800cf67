/**
 * The ReplicaSet of a Deployment's newest revision, and the history of the older ones.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#clean-up-policy
 */
import { messageOf } from "../../../errors.ts";
import { hasReason, isAlreadyExists } from "../../../kube/status.ts";
import type { Deployment } from "../../builtin/kinds/apps/shared.ts";
import type { ReplicaSet } from "../../builtin/shared/workloads/shapes.ts";
import type { Tools } from "../controller.ts";
import { DEPLOYMENTS, REPLICA_SETS } from "../../builtin/tokens.ts";
import { type OwnerKind, controllerReference, isControlledBy } from "../ownership.ts";
import { canonicalJson, hashOf } from "../template-hash.ts";
import {
  type DeploymentStatus,
  findCondition,
  hasDeadline,
  withProgress,
} from "./deployment-status.ts";
import {
  HASH_LABEL,
  REVISION,
  type Sets,
  annotationsOf,
  byAge,
  divide,
  maxRevision,
  revisionOf,
  templateText,
} from "./revisions.ts";
import { newSetReplicas, replicasOf, sizeAnnotations } from "./rollout-arithmetic.ts";
import { present } from "../../../present.ts";

/** Deployments as owners. */
export const KIND: OwnerKind<Deployment> = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  resource: DEPLOYMENTS,
};

/** The sets of a Deployment, and the stored Deployment after its revision was written. */
interface Revised {
  readonly sets: Sets;
  readonly deployment: Deployment;
}

/**
 * Creates the newest set of a Deployment, keeps its revision, and removes sets beyond the history
 * limit.
 */
export class RevisionSets {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * The sets, with the newest one's annotations up to date; with `create`, a missing newest set is
   * created.
   */
  async withRevision(
    deployment: Deployment,
    owned: readonly ReplicaSet[],
    create: boolean,
  ): Promise<Revised> {
    const sets = divide(deployment, owned);
    const revision = maxRevision(sets.old) + 1;
    if (!sets.newSet) {
      return create ? this.#createSet(deployment, sets, revision) : { sets, deployment };
    }
    const annotations = annotationsOf(deployment, sets.newSet, revision);
    const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
    let { newSet } = sets;
    if (
      canonicalJson(annotations) !== canonicalJson(newSet.metadata.annotations ?? {}) ||
      (newSet.spec.minReadySeconds ?? 0) !== minReadySeconds
    ) {
      newSet = await this.#tools.client.update(REPLICA_SETS, {
        ...newSet,
        metadata: { ...newSet.metadata, annotations },
        spec: { ...newSet.spec, minReadySeconds },
      });
    }
    const message = `Found new replica set "${newSet.metadata.name ?? ""}"`;
    const conditions =
      hasDeadline(deployment) && !findCondition(deployment.status, "Progressing")
        ? withProgress(deployment, this.#now(), "True", "FoundNewReplicaSet", message)
        : undefined;
    return {
      sets: { newSet, old: sets.old },
      deployment: await this.#noteRevision(deployment, revisionOf(newSet), conditions),
    };
  }

  /** Deletes empty old sets beyond the history limit. */
  async cleanUp(deployment: Deployment, old: readonly ReplicaSet[]): Promise<void> {
    const limit = deployment.spec.revisionHistoryLimit;
    if (limit === undefined) return;
    const alive = old.filter(({ metadata }) => !metadata.deletionTimestamp);
    const surplus = alive
      .toSorted((left, right) => revisionOf(left) - revisionOf(right) || byAge(left, right))
      .slice(0, Math.max(0, alive.length - limit));
    for (const set of surplus) {
      const { replicas = 0, observedGeneration = 0 } = set.status ?? {};
      const isSettled = (set.metadata.generation ?? 0) <= observedGeneration;
      if (replicas === 0 && replicasOf(set) === 0 && isSettled) {
        await this.#tools.client.remove(REPLICA_SETS, set.metadata);
      }
    }
  }

  async #createSet(deployment: Deployment, { old }: Sets, revision: number): Promise<Revised> {
    const draft = draftSet(deployment);
    const size = newSetReplicas(deployment, [...old, draft], draft);
    draft.spec.replicas = size;
    const sizes = sizeAnnotations(deployment);
    draft.metadata.annotations = annotationsOf(deployment, draft, revision, sizes);
    const { name = "" } = draft.metadata;
    let newSet: ReplicaSet;
    try {
      newSet = await this.#tools.client.create(REPLICA_SETS, draft);
    } catch (thrown) {
      if (isAlreadyExists(thrown)) await this.#noteCollision(deployment, draft);
      else await this.#noteFailedSet(deployment, name, thrown);
      throw thrown;
    }
    if (size > 0) {
      const message = `Scaled up replica set ${name} from 0 to ${size}`;
      await this.#tools.events.record(deployment, "Normal", "ScalingReplicaSet", message);
    }
    const message = `Created new replica set "${name}"`;
    const conditions = hasDeadline(deployment)
      ? withProgress(deployment, this.#now(), "True", "NewReplicaSetCreated", message)
      : undefined;
    return {
      sets: { newSet, old },
      deployment: await this.#noteRevision(deployment, revision, conditions),
    };
  }

  /** Counts a collision: another owner's set has the name, so the next try uses another name. */
  async #noteCollision(deployment: Deployment, draft: ReplicaSet): Promise<void> {
    const existing = this.#tools.client.find(REPLICA_SETS, draft.metadata);
    if (
      existing &&
      isControlledBy(existing, deployment) &&
      templateText(existing.spec.template) === templateText(draft.spec.template)
    ) {
      return;
    }
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    const status = { ...deployment.status, collisionCount };
    await this.#tools.client.updateStatus(DEPLOYMENTS, deployment, status);
  }

  async #noteFailedSet(deployment: Deployment, name: string, thrown: unknown): Promise<void> {
    // The Deployment is deleted with its terminating namespace.
    if (hasReason(thrown, "Forbidden") && messageOf(thrown).includes("being terminated")) return;
    const message = `Failed to create new replica set "${name}": ${messageOf(thrown)}`;
    if (hasDeadline(deployment)) {
      const reason = "ReplicaSetCreateError";
      const conditions = withProgress(deployment, this.#now(), "False", reason, message);
      const status = { ...deployment.status, conditions };
      await this.#tools.client.updateStatus(DEPLOYMENTS, deployment, status);
    }
    await this.#tools.events.record(deployment, "Warning", "ReplicaSetCreateError", message);
  }

  /** Writes the revision, and the conditions that come with it, where they differ. */
  async #noteRevision(
    deployment: Deployment,
    revision: number,
    conditions: DeploymentStatus["conditions"],
  ): Promise<Deployment> {
    const { annotations } = deployment.metadata;
    if (annotations?.[REVISION] === String(revision) && !conditions) return deployment;
    const next: Deployment = {
      ...deployment,
      metadata: {
        ...deployment.metadata,
        annotations: { ...annotations, [REVISION]: String(revision) },
      },
      status: { ...deployment.status, ...present({ conditions }) },
    };
    return this.#tools.client.update(DEPLOYMENTS, next, "status");
  }

  #now(): number {
    return this.#tools.clock.now();
  }
}

/** The newest set before it is created, without a size. */
function draftSet(deployment: Deployment): ReplicaSet {
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = hashOf(JSON.parse(templateText(template)), deployment.status?.collisionCount ?? 0);
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${deployment.metadata.name ?? ""}-${hash}`,
      namespace: deployment.metadata.namespace ?? "",
      labels,
      ownerReferences: [controllerReference(deployment, KIND)],
    },
    spec: {
      replicas: 0,
      ...present({ minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
