/**
 * Deployments: rolling from one ReplicaSet to the next.
 *
 * One `sync` makes one step, as far as the pods allow it; their changes bring the next one. Arithmetic,
 * revisions and status stand in files of their own.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../../clock.ts";
import { messageOf } from "../../../errors.ts";
import { hasReason, isAlreadyExists } from "../../../kube/status.ts";
import type { Pod } from "../../builtin/strategies/pod-shapes.ts";
import type { Deployment, ReplicaSet } from "../../builtin/strategies/workload-shapes.ts";
import type { ControllerClient, StoreEvent } from "../client.ts";
import type { EventRecorder } from "../event-recorder.ts";
import { DEPLOYMENTS, PODS, REPLICA_SETS, concerns, keyFrom, textOf } from "../keys.ts";
import {
  type OwnerKind,
  claimed,
  controllerOf,
  controllerReference,
  isControlledBy,
  ownersOf,
} from "../ownership.ts";
import { isFinished } from "../pods.ts";
import { canonicalJson, hashOf } from "../template-hash.ts";
import type { Controller } from "../work-loop.ts";
import {
  countedStatus,
  deadlineInMs,
  type DeploymentStatus,
  findCondition,
  hasDeadline,
  isComplete,
  newCondition,
  rolloutStatus,
  withCondition,
} from "./deployment-status.ts";
import {
  HASH_LABEL,
  REVISION,
  annotationsOf,
  byAge,
  findNewSet,
  maxRevision,
  revisionOf,
  templateText,
} from "./revisions.ts";
import {
  DESIRED,
  MAX,
  maxSurge,
  maxUnavailable,
  newSetReplicas,
  proportion,
  replicasOf,
  sumOf,
} from "./rollout-arithmetic.ts";

const KIND: OwnerKind = { apiVersion: "apps/v1", kind: "Deployment", resource: DEPLOYMENTS };

/** The ReplicaSets of a Deployment in one round of work. */
interface Sets {
  readonly newSet: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

const allOf = ({ newSet, old }: Sets): ReplicaSet[] => (newSet ? [...old, newSet] : [...old]);

const isScaled = (set: ReplicaSet): boolean => replicasOf(set) > 0;

/** Keeps each Deployment's ReplicaSets at the sizes that its rollout asks for. */
export class DeploymentController implements Controller {
  readonly name = "Deployment";
  readonly #client: ControllerClient;
  readonly #events: EventRecorder;
  readonly #clock: Clock;

  constructor(client: ControllerClient, events: EventRecorder, clock: Clock) {
    this.#client = client;
    this.#events = events;
    this.#clock = clock;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, DEPLOYMENTS)) yield textOf(event.object);
    yield* ownersOf(
      this.#client,
      event,
      REPLICA_SETS,
      KIND,
      (owner) => (owner as Deployment).spec.selector,
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
    const owned = (await claimed({
      client: this.#client,
      owner: deployment,
      kind: KIND,
      resource: REPLICA_SETS,
      selector,
    })) as ReplicaSet[];
    if (deployment.metadata.deletionTimestamp) {
      const sets = this.#divide(deployment, owned);
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
    return this.#client.find(DEPLOYMENTS, keyFrom(key)) as Deployment | undefined;
  }

  #divide(deployment: Deployment, owned: readonly ReplicaSet[]): Sets {
    const newSet = findNewSet(deployment, owned);
    return { newSet, old: owned.filter((set) => set !== newSet) };
  }

  /** Tells of a pause, and of its end, in the Progressing condition. */
  async #notePause(deployment: Deployment): Promise<Deployment> {
    const before = findCondition(deployment.status, "Progressing");
    if (!hasDeadline(deployment) || before?.reason === "ProgressDeadlineExceeded") {
      return deployment;
    }
    const paused = deployment.spec.paused === true;
    if (paused === (before?.reason === "DeploymentPaused")) return deployment;
    const condition = paused
      ? newCondition(
          this.#clock.now(),
          "Progressing",
          "Unknown",
          "DeploymentPaused",
          "Deployment is paused",
        )
      : newCondition(
          this.#clock.now(),
          "Progressing",
          "Unknown",
          "DeploymentResumed",
          "Deployment is resumed",
        );
    const conditions = withCondition(deployment.status?.conditions ?? [], condition);
    return this.#updateStatus({ ...deployment, status: { ...deployment.status, conditions } });
  }

  /** A paused Deployment, and one whose size changed, is scaled without going on with its rollout. */
  async #resize(deployment: Deployment, owned: readonly ReplicaSet[]): Promise<number | undefined> {
    const { sets, deployment: current } = await this.#withRevision(deployment, owned, false);
    await this.#scale(current, sets);
    if (current.spec.paused === true) await this.#cleanUp(current, sets.old);
    const now = this.#latest(current);
    const refreshed = this.#refresh(sets);
    return this.#writeStatus(
      now,
      countedStatus(now, allOf(refreshed), refreshed.newSet, this.#clock.now()),
    );
  }

  async #roll(deployment: Deployment, owned: readonly ReplicaSet[]): Promise<number | undefined> {
    const { sets, deployment: current } = await this.#withRevision(deployment, owned, true);
    const { newSet } = sets;
    if (!newSet) return undefined;
    const wanted = replicasOf(current);
    const target =
      replicasOf(newSet) > wanted ? wanted : newSetReplicas(current, allOf(sets), newSet);
    const scaledUp = await this.#resizeSet(current, newSet, target);
    const scaledDown = scaledUp ? false : await this.#shrinkOld(current, sets, newSet);
    if (!scaledUp && !scaledDown && isComplete(current, current.status ?? {})) {
      await this.#cleanUp(current, sets.old);
    }
    return this.#writeRollout(current, sets);
  }

  /** Takes unhealthy old pods away first, then as many others as may be missing. */
  async #shrinkOld(deployment: Deployment, sets: Sets, newSet: ReplicaSet): Promise<boolean> {
    const old = sets.old.filter(isScaled).toSorted(byAge);
    if (old.length === 0) return false;
    const minAvailable = replicasOf(deployment) - maxUnavailable(deployment);
    const unavailableNew = replicasOf(newSet) - (newSet.status?.availableReplicas ?? 0);
    const total = sumOf(allOf(sets), replicasOf);
    const mayGo = total - minAvailable - unavailableNew;
    if (mayGo <= 0) return false;

    const sizes = new Map(old.map((set) => [set, replicasOf(set)]));
    let cleaned = 0;
    for (const set of old) {
      const size = sizes.get(set) ?? 0;
      const unhealthy = size - (set.status?.availableReplicas ?? 0);
      const count = Math.min(mayGo - cleaned, unhealthy);
      if (count <= 0) continue;
      sizes.set(set, size - count);
      cleaned += count;
    }
    const available = sumOf([...old, newSet], ({ status }) => status?.availableReplicas);
    let spare = available - minAvailable;
    for (const set of old) {
      const size = sizes.get(set) ?? 0;
      const count = Math.min(size, spare);
      if (count <= 0) continue;
      sizes.set(set, size - count);
      spare -= count;
    }
    let scaled = false;
    for (const [set, size] of sizes) {
      scaled = (await this.#resizeSet(deployment, set, size)) || scaled;
    }
    return scaled;
  }

  async #recreate(
    deployment: Deployment,
    owned: readonly ReplicaSet[],
  ): Promise<number | undefined> {
    const first = await this.#withRevision(deployment, owned, false);
    let { sets, deployment: current } = first;
    let scaledDown = false;
    for (const set of sets.old.filter(isScaled)) {
      scaledDown = (await this.#resizeSet(current, set, 0)) || scaledDown;
    }
    if (scaledDown || this.#oldPodsRun(sets, owned)) return this.#writeRollout(current, sets);
    if (!sets.newSet)
      ({ sets, deployment: current } = await this.#withRevision(current, owned, true));
    if (sets.newSet) await this.#resizeSet(current, sets.newSet, replicasOf(current));
    if (isComplete(current, current.status ?? {})) await this.#cleanUp(current, sets.old);
    return this.#writeRollout(current, sets);
  }

  #oldPodsRun(sets: Sets, owned: readonly ReplicaSet[]): boolean {
    if (sets.old.some(({ status }) => (status?.replicas ?? 0) > 0)) return true;
    const others = owned.filter((set) => set.metadata.uid !== sets.newSet?.metadata.uid);
    return others.some((set) =>
      (this.#client.list(PODS, { namespace: set.metadata.namespace ?? "" }) as readonly Pod[]).some(
        (pod) => isControlledBy(pod, set) && !isFinished(pod),
      ),
    );
  }

  /** Spreads a new size over the sets: over all of them when a rollout is under way. */
  async #scale(deployment: Deployment, sets: Sets): Promise<void> {
    const active = allOf(sets).filter(isScaled);
    const wanted = replicasOf(deployment);
    const only =
      active.length === 0
        ? (sets.newSet ?? sets.old.toSorted(byAge).at(-1))
        : active.length === 1
          ? active[0]
          : undefined;
    if (only) {
      await this.#resizeSet(deployment, only, wanted);
      return;
    }
    const { newSet } = sets;
    if (newSet && isSaturated(deployment, newSet)) {
      for (const set of sets.old.filter(isScaled)) await this.#resizeSet(deployment, set, 0);
      return;
    }
    if (deployment.spec.strategy.type !== "RollingUpdate" || active.length === 0) return;
    const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0;
    const toAdd = allowed - sumOf(active, replicasOf);
    const ordered = active.toSorted(
      (left, right) =>
        replicasOf(right) - replicasOf(left) ||
        (toAdd > 0 ? byAge(right, left) : byAge(left, right)),
    );
    let added = 0;
    const sizes = ordered.map((set) => {
      const share = toAdd === 0 ? 0 : proportion(set, deployment, toAdd, added);
      added += share;
      return replicasOf(set) + share;
    });
    for (const [index, set] of ordered.entries()) {
      const leftover = index === 0 && toAdd !== 0 ? toAdd - added : 0;
      await this.#resizeSet(deployment, set, Math.max(0, (sizes[index] ?? 0) + leftover), true);
    }
  }

  /** Whether the size changed; with `always` the annotations are brought up to date in any case. */
  async #resizeSet(
    deployment: Deployment,
    set: ReplicaSet,
    size: number,
    always = false,
  ): Promise<boolean> {
    const before = replicasOf(set);
    if (before === size && !always) return false;
    const sizes = sizeAnnotations(deployment);
    const upToDate = Object.entries(sizes).every(
      ([key, value]) => set.metadata.annotations?.[key] === value,
    );
    if (before === size && upToDate) return false;
    await this.#client.update(REPLICA_SETS, {
      ...set,
      metadata: { ...set.metadata, annotations: { ...set.metadata.annotations, ...sizes } },
      spec: { ...set.spec, replicas: size },
    } as ReplicaSet);
    if (before === size) return false;
    const direction = size > before ? "up" : "down";
    await this.#events.record(
      deployment,
      "Normal",
      "ScalingReplicaSet",
      `Scaled ${direction} replica set ${set.metadata.name ?? ""} from ${before} to ${size}`,
    );
    return true;
  }

  /** The sets, with the newest one's annotations up to date; it is made if `create` and there is none. */
  async #withRevision(
    deployment: Deployment,
    owned: readonly ReplicaSet[],
    create: boolean,
  ): Promise<{ sets: Sets; deployment: Deployment }> {
    const sets = this.#divide(deployment, owned);
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
      newSet = (await this.#client.update(REPLICA_SETS, {
        ...newSet,
        metadata: { ...newSet.metadata, annotations },
        spec: { ...newSet.spec, minReadySeconds },
      } as ReplicaSet)) as ReplicaSet;
    }
    const conditions =
      hasDeadline(deployment) && !findCondition(deployment.status, "Progressing")
        ? withCondition(
            deployment.status?.conditions ?? [],
            newCondition(
              this.#clock.now(),
              "Progressing",
              "True",
              "FoundNewReplicaSet",
              `Found new replica set "${newSet.metadata.name ?? ""}"`,
            ),
          )
        : undefined;
    return {
      sets: { newSet, old: sets.old },
      deployment: await this.#noteRevision(deployment, revisionOf(newSet), conditions),
    };
  }

  async #createSet(
    deployment: Deployment,
    { old }: Sets,
    revision: number,
  ): Promise<{ sets: Sets; deployment: Deployment }> {
    const draft = this.#draftSet(deployment);
    const size = newSetReplicas(deployment, [...old, draft], draft);
    draft.spec.replicas = size;
    draft.metadata.annotations = annotationsOf(
      deployment,
      draft,
      revision,
      sizeAnnotations(deployment),
    );
    const { name = "" } = draft.metadata;
    let newSet: ReplicaSet;
    try {
      newSet = (await this.#client.create(REPLICA_SETS, draft)) as ReplicaSet;
    } catch (thrown) {
      if (isAlreadyExists(thrown)) await this.#noteCollision(deployment, draft);
      else await this.#noteFailedSet(deployment, name, thrown);
      throw thrown;
    }
    if (size > 0) {
      await this.#events.record(
        deployment,
        "Normal",
        "ScalingReplicaSet",
        `Scaled up replica set ${name} from 0 to ${size}`,
      );
    }
    const conditions = hasDeadline(deployment)
      ? withCondition(
          deployment.status?.conditions ?? [],
          newCondition(
            this.#clock.now(),
            "Progressing",
            "True",
            "NewReplicaSetCreated",
            `Created new replica set "${name}"`,
          ),
        )
      : undefined;
    return {
      sets: { newSet, old },
      deployment: await this.#noteRevision(deployment, revision, conditions),
    };
  }

  #draftSet(deployment: Deployment): ReplicaSet {
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
        ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
        selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
        template: { ...template, metadata: { ...template.metadata, labels } },
      },
    };
  }

  /** Somebody else's set has the name: the next try takes another one. */
  async #noteCollision(deployment: Deployment, draft: ReplicaSet): Promise<void> {
    const { namespace = "", name = "" } = draft.metadata;
    const existing = this.#client.find(REPLICA_SETS, { namespace, name }) as ReplicaSet | undefined;
    if (
      existing &&
      isControlledBy(existing, deployment) &&
      templateText(existing.spec.template) === templateText(draft.spec.template)
    ) {
      return;
    }
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    await this.#updateStatus({ ...deployment, status: { ...deployment.status, collisionCount } });
  }

  async #noteFailedSet(deployment: Deployment, name: string, thrown: unknown): Promise<void> {
    // A namespace that goes away takes the Deployment along.
    if (hasReason(thrown, "Forbidden") && messageOf(thrown).includes("being terminated")) return;
    const message = `Failed to create new replica set "${name}": ${messageOf(thrown)}`;
    if (hasDeadline(deployment)) {
      const conditions = withCondition(
        deployment.status?.conditions ?? [],
        newCondition(this.#clock.now(), "Progressing", "False", "ReplicaSetCreateError", message),
      );
      await this.#updateStatus({ ...deployment, status: { ...deployment.status, conditions } });
    }
    await this.#events.record(deployment, "Warning", "ReplicaSetCreateError", message);
  }

  /** Writes the revision, and conditions that come with it, where they differ. */
  async #noteRevision(
    deployment: Deployment,
    revision: number,
    conditions: DeploymentStatus["conditions"],
  ): Promise<Deployment> {
    const { annotations } = deployment.metadata;
    if (annotations?.[REVISION] === String(revision) && !conditions) return deployment;
    return this.#updateStatus({
      ...deployment,
      metadata: {
        ...deployment.metadata,
        annotations: { ...annotations, [REVISION]: String(revision) },
      },
      status: { ...deployment.status, ...(conditions ? { conditions } : {}) },
    });
  }

  /** Removes empty old sets beyond the history that is to be kept. */
  async #cleanUp(deployment: Deployment, old: readonly ReplicaSet[]): Promise<void> {
    const limit = deployment.spec.revisionHistoryLimit;
    if (limit === undefined) return;
    const alive = old.filter(({ metadata }) => !metadata.deletionTimestamp);
    const surplus = alive
      .toSorted((left, right) => revisionOf(left) - revisionOf(right) || byAge(left, right))
      .slice(0, Math.max(0, alive.length - limit));
    for (const set of surplus) {
      const { namespace = "", name = "", generation = 0 } = set.metadata;
      if (
        (set.status?.replicas ?? 0) === 0 &&
        replicasOf(set) === 0 &&
        generation <= (set.status?.observedGeneration ?? 0)
      ) {
        await this.#client.remove(REPLICA_SETS, { namespace, name });
      }
    }
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
    if (!isDeepStrictEqual(status, structuredClone(deployment.status ?? {}))) {
      await this.#updateStatus({ ...deployment, status });
    }
    return deadlineInMs(deployment, status, this.#clock.now());
  }

  async #updateStatus(deployment: Deployment): Promise<Deployment> {
    return (await this.#client.update(DEPLOYMENTS, deployment, "status")) as Deployment;
  }

  /** The Deployment as it is stored now, for its status; the spec of this round stays. */
  #latest(deployment: Deployment): Deployment {
    const stored = this.#find(textOf(deployment));
    if (!stored) return deployment;
    return stored.metadata.generation === deployment.metadata.generation ? stored : deployment;
  }

  #refresh({ newSet, old }: Sets): Sets {
    const read = (set: ReplicaSet): ReplicaSet =>
      (this.#client.find(REPLICA_SETS, keyFrom(textOf(set))) as ReplicaSet | undefined) ?? set;
    return { newSet: newSet && read(newSet), old: old.map(read) };
  }
}

function sizeAnnotations(deployment: Deployment): Record<string, string> {
  const wanted = replicasOf(deployment);
  return { [DESIRED]: String(wanted), [MAX]: String(wanted + maxSurge(deployment)) };
}

/** Whether the size was changed since the sets were last scaled. */
function isResized(deployment: Deployment, owned: readonly ReplicaSet[]): boolean {
  return owned.filter(isScaled).some((set) => {
    const desired = set.metadata.annotations?.[DESIRED];
    return desired !== undefined && desired !== String(replicasOf(deployment));
  });
}

function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const wanted = replicasOf(deployment);
  return (
    replicasOf(set) === wanted &&
    set.metadata.annotations?.[DESIRED] === String(wanted) &&
    (set.status?.availableReplicas ?? 0) === wanted
  );
}
