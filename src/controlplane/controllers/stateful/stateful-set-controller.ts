/**
 * StatefulSets: pods with a number, a name and claims of their own, made and replaced in order.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../../clock.ts";
import { messageOf } from "../../../errors.ts";
import type { OwnerReference } from "../../../kube/object.ts";
import { isAlreadyExists } from "../../../kube/status.ts";
import type { Pod, PodTemplate } from "../../builtin/strategies/pod-shapes.ts";
import type { PersistentVolumeClaim } from "../../builtin/strategies/shapes.ts";
import type { StatefulSet } from "../../builtin/strategies/workload-shapes.ts";
import { unlessGone } from "../absence.ts";
import type { ControllerClient, StoreEvent } from "../client.ts";
import type { EventRecorder } from "../event-recorder.ts";
import { CLAIMS, PODS, STATEFUL_SETS, concerns, keyFrom, textOf } from "../keys.ts";
import { type OwnerKind, claimed, controllerReference, ownersOf } from "../ownership.ts";
import { availableInMs, isFinished } from "../pods.ts";
import { type Revision, RevisionHistory } from "../revision-history.ts";
import type { Controller } from "../work-loop.ts";
import {
  claimsFor,
  firstOrdinal,
  isAvailable,
  isHealthy,
  ordinalOf,
  revisionOf,
  statefulPod,
} from "./stateful-pods.ts";

const KIND: OwnerKind = { apiVersion: "apps/v1", kind: "StatefulSet", resource: STATEFUL_SETS };
const POD_KIND: OwnerKind = { apiVersion: "v1", kind: "Pod", resource: PODS };

/** What the pods of a set are made of while it moves from one revision to the next. */
interface Versions {
  readonly current: Revision;
  readonly update: Revision;
}

/** Creates, replaces and deletes the pods and claims of StatefulSets. */
export class StatefulSetController implements Controller {
  readonly name = "StatefulSet";
  readonly watches = [STATEFUL_SETS, PODS];
  readonly #client: ControllerClient;
  readonly #events: EventRecorder;
  readonly #clock: Clock;

  constructor(client: ControllerClient, events: EventRecorder, clock: Clock) {
    this.#client = client;
    this.#events = events;
    this.#clock = clock;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, STATEFUL_SETS)) yield textOf(event.object);
    yield* ownersOf(
      this.#client,
      event,
      PODS,
      KIND,
      (owner) => (owner as StatefulSet).spec.selector,
    );
  }

  async sync(key: string): Promise<number | undefined> {
    const set = this.#client.find(STATEFUL_SETS, keyFrom(key)) as StatefulSet | undefined;
    if (!set) return undefined;
    const pods = await this.#podsOf(set);
    const history = new RevisionHistory(this.#client, set, {
      kind: KIND,
      hashLabel: "controller.kubernetes.io/hash",
    });
    const revisions = await history.list();
    if (set.metadata.deletionTimestamp) return undefined;
    const update = await history.current(revisions);
    const named = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision);
    const versions: Versions = { current: named ?? update, update };
    let failure: unknown;
    try {
      await this.#advance(set, pods, versions);
    } catch (thrown) {
      failure = thrown;
    }
    const againMs = await this.#writeStatus(set, versions);
    const inUse = [versions.current, update].map(({ metadata }) => metadata.name ?? "");
    await history.truncate(revisions, new Set([...inUse, ...pods.map(revisionOf)]));
    if (failure !== undefined) {
      throw failure instanceof Error ? failure : new Error(messageOf(failure));
    }
    return againMs;
  }

  async #podsOf(set: StatefulSet): Promise<Pod[]> {
    const pods = (await claimed({
      client: this.#client,
      owner: set,
      kind: KIND,
      resource: PODS,
      selector: set.spec.selector,
    })) as Pod[];
    return pods.filter((pod) => ordinalOf(set, pod) >= 0);
  }

  /** One round: what is missing is made, what is too much removed, what is old replaced. */
  async #advance(set: StatefulSet, pods: readonly Pod[], versions: Versions): Promise<void> {
    const start = firstOrdinal(set);
    const end = start + (set.spec.replicas ?? 1);
    const inOrder = set.spec.podManagementPolicy !== "Parallel";
    const now = this.#clock.now();
    const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
    const condemned = pods
      .filter((pod) => ordinalOf(set, pod) < start || ordinalOf(set, pod) >= end)
      .toSorted((left, right) => ordinalOf(set, right) - ordinalOf(set, left));
    await this.#settleClaims(set, pods, condemned);
    for (let ordinal = start; ordinal < end; ordinal++) {
      const pod = byOrdinal.get(ordinal);
      if (!pod) {
        await this.#create(set, versions, ordinal);
        if (inOrder) return;
      } else if (isFinished(pod) && !pod.metadata.deletionTimestamp) {
        await this.#delete(set, pod);
        if (inOrder) return;
      } else if (inOrder && !isAvailable(set, pod, now)) return;
    }
    for (const pod of condemned) {
      if (pod.metadata.deletionTimestamp) {
        if (inOrder) return;
        continue;
      }
      await this.#delete(set, pod);
      if (inOrder) return;
    }
    if (set.spec.updateStrategy.type !== "OnDelete")
      await this.#roll(set, byOrdinal, versions, end);
  }

  /** Replaces pods of old revisions from the last one down, as many at a time as may be missing. */
  async #roll(
    set: StatefulSet,
    byOrdinal: ReadonlyMap<number, Pod>,
    { update }: Versions,
    end: number,
  ): Promise<void> {
    const { partition = 0, maxUnavailable = 1 } = set.spec.updateStrategy.rollingUpdate ?? {};
    const first = firstOrdinal(set) + partition;
    const total = set.spec.replicas ?? 1;
    const allowed =
      typeof maxUnavailable === "number"
        ? maxUnavailable
        : Math.max(1, Math.floor((Number.parseInt(maxUnavailable, 10) * total) / 100));
    const now = this.#clock.now();
    let unavailable = [...byOrdinal.values()].filter((pod) => !isAvailable(set, pod, now)).length;
    for (let ordinal = end - 1; ordinal >= first; ordinal--) {
      const pod = byOrdinal.get(ordinal);
      if (!pod) continue;
      const isOld = revisionOf(pod) !== update.metadata.name;
      if (isOld && !pod.metadata.deletionTimestamp) {
        const isMissing = !isAvailable(set, pod, now);
        if (!isMissing && unavailable >= allowed) return;
        await this.#delete(set, pod);
        if (!isMissing) unavailable++;
        if (unavailable >= allowed) return;
      } else if (!isHealthy(pod) && unavailable >= allowed) return;
    }
  }

  async #create(set: StatefulSet, versions: Versions, ordinal: number): Promise<void> {
    const revision = needsCurrent(set, ordinal) ? versions.current : versions.update;
    const template: PodTemplate =
      revision === versions.update
        ? set.spec.template
        : (revision.data?.spec.template ?? set.spec.template);
    const podName = `${set.metadata.name ?? ""}-${ordinal}`;
    const setName = set.metadata.name ?? "";
    for (const claim of claimsFor(set, ordinal)) await this.#createClaim(set, claim, podName);
    const pod = statefulPod(
      set,
      KIND,
      withoutDirective(template),
      ordinal,
      revision.metadata.name ?? "",
    );
    try {
      await this.#client.create(PODS, pod);
    } catch (thrown) {
      if (isAlreadyExists(thrown)) return;
      const message = `create Pod ${podName} in StatefulSet ${setName} failed error: ${messageOf(thrown)}`;
      await this.#events.record(set, "Warning", "FailedCreate", message);
      throw thrown;
    }
    const message = `Create Pod ${podName} in StatefulSet ${setName} successful`;
    await this.#events.record(set, "Normal", "SuccessfulCreate", message);
  }

  async #createClaim(
    set: StatefulSet,
    claim: PersistentVolumeClaim,
    podName: string,
  ): Promise<void> {
    const { namespace = "", name = "" } = claim.metadata;
    if (this.#client.find(CLAIMS, { namespace, name })) return;
    if (set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete") {
      claim.metadata.ownerReferences = [controllerReference(set, KIND)];
    }
    await this.#client.create(CLAIMS, claim);
    const message = `Create Claim ${name} Pod ${podName} in StatefulSet ${set.metadata.name ?? ""} success`;
    await this.#events.record(set, "Normal", "SuccessfulCreate", message);
  }

  /** The retention policy decides who owns a claim, and thereby when it goes. */
  async #settleClaims(
    set: StatefulSet,
    pods: readonly Pod[],
    condemned: readonly Pod[],
  ): Promise<void> {
    const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
    for (const pod of pods) {
      const ordinal = ordinalOf(set, pod);
      const owner =
        whenScaled === "Delete" && condemned.includes(pod)
          ? controllerReference(pod, POD_KIND)
          : whenDeleted === "Delete"
            ? controllerReference(set, KIND)
            : undefined;
      for (const { metadata } of claimsFor(set, ordinal)) {
        await this.#setClaimOwner(set, metadata.name ?? "", owner);
      }
    }
  }

  async #setClaimOwner(
    set: StatefulSet,
    name: string,
    owner: OwnerReference | undefined,
  ): Promise<void> {
    const key = { namespace: set.metadata.namespace ?? "", name };
    const claim = this.#client.find(CLAIMS, key);
    if (!claim || claim.metadata.deletionTimestamp) return;
    const references = claim.metadata.ownerReferences ?? [];
    const isOurs = (reference: OwnerReference): boolean =>
      reference.uid === set.metadata.uid || reference.kind === "Pod";
    const wanted = [
      ...references.filter((reference) => !isOurs(reference)),
      ...(owner ? [owner] : []),
    ];
    const same =
      wanted.length === references.length &&
      wanted.every((one) => references.some(({ uid }) => uid === one.uid));
    if (same) return;
    const ownerReferences = wanted.length > 0 ? wanted : null;
    await this.#client.patch(CLAIMS, key, { metadata: { ownerReferences } });
  }

  async #delete(set: StatefulSet, pod: Pod): Promise<void> {
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    if (!(await unlessGone(this.#client.remove(PODS, { namespace, name }, { uid })))) return;
    const message = `Delete Pod ${name} in StatefulSet ${set.metadata.name ?? ""} successful`;
    await this.#events.record(set, "Normal", "SuccessfulDelete", message);
  }

  async #writeStatus(set: StatefulSet, { current, update }: Versions): Promise<number | undefined> {
    const key = { namespace: set.metadata.namespace ?? "", name: set.metadata.name ?? "" };
    const pods = (this.#client.list(PODS, { namespace: key.namespace }) as Pod[]).filter(
      (pod) =>
        ordinalOf(set, pod) >= 0 &&
        pod.metadata.ownerReferences?.some(
          ({ controller, uid }) => controller === true && uid === set.metadata.uid,
        ),
    );
    const now = this.#clock.now();
    const living = pods.filter((pod) => !pod.metadata.deletionTimestamp);
    const count = (test: (pod: Pod) => boolean): number => living.filter(test).length;
    const updateName = update.metadata.name ?? "";
    let currentName = current.metadata.name ?? "";
    const ready = count(isHealthy);
    const updated = count((pod) => revisionOf(pod) === updateName);
    let currentCount = count((pod) => revisionOf(pod) === currentName);
    const total = set.spec.replicas ?? 1;
    const rolled =
      set.spec.updateStrategy.type !== "OnDelete" && updated === total && ready === total;
    if (rolled && pods.length === total) {
      currentName = updateName;
      currentCount = updated;
    }
    const status: NonNullable<StatefulSet["status"]> = {
      observedGeneration: set.metadata.generation ?? 0,
      replicas: pods.length,
      ...(ready > 0 ? { readyReplicas: ready } : {}),
      ...(currentCount > 0 ? { currentReplicas: currentCount } : {}),
      ...(updated > 0 ? { updatedReplicas: updated } : {}),
      currentRevision: currentName,
      updateRevision: updateName,
      collisionCount: set.status?.collisionCount ?? 0,
      availableReplicas: count((pod) => isAvailable(set, pod, now)),
      ...(set.status?.conditions ? { conditions: set.status.conditions } : {}),
    };
    if (!isDeepStrictEqual(structuredClone(set.status), status)) {
      await this.#client.update(STATEFUL_SETS, { ...set, status } as StatefulSet, "status");
    }
    const waits = living
      .map((pod) => availableInMs(pod, set.spec.minReadySeconds ?? 0, now))
      .filter((ms) => ms !== undefined && ms > 0)
      .map(Number);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }
}

/** Below the partition pods keep the revision that the set has now. */
function needsCurrent({ spec, status, ...set }: StatefulSet, ordinal: number): boolean {
  if (spec.updateStrategy.type === "OnDelete") return false;
  const start = firstOrdinal({ spec, ...set });
  const { rollingUpdate } = spec.updateStrategy;
  return (
    ordinal <
    start + (rollingUpdate ? (rollingUpdate.partition ?? 0) : (status?.currentReplicas ?? 0))
  );
}

/** A stored template without the directive that says how it is patched. */
function withoutDirective(template: PodTemplate): PodTemplate {
  const copy = { ...template };
  Reflect.deleteProperty(copy, "$patch");
  return copy;
}
