/**
 * StatefulSets: pods with an ordinal, a name and claims of their own, created and replaced in
 * order.
 *
 * One round works with the pods as they are when it begins; its changes cause the next one. An
 * ordered set stops at the first pod that is not ready yet, a parallel one continues with all of
 * them.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
 */
import { errorFrom, messageOf } from "../../../errors.ts";
import { isAlreadyExists } from "../../../kube/status.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { StatefulSet } from "../../builtin/kinds/apps/stateful-set.ts";
import { unlessGone } from "../framework/absence.ts";
import { PODS, STATEFUL_SETS } from "../../builtin/tokens.ts";
import { claimed, watchOwned } from "../framework/owner-references.ts";
import { availableInMs, isAvailable, isFinished } from "../pods/pods.ts";
import {
  type RevisionNaming,
  currentRevision,
  removeRevisions,
  revisionsOf,
} from "../framework/revision-history.ts";
import { ObjectController, watch } from "../framework/controller.ts";
import { shareOf, shortest } from "../framework/counts.ts";
import { areClaimsSettled, createClaims, hasStaleClaims, settleClaims } from "./stateful-claims.ts";
import {
  type Versions,
  firstOrdinal,
  hasIdentity,
  isInRange,
  isRunningAndReady,
  isUnavailable,
  ordinalOf,
  podToMake,
  revisionOf,
  withIdentity,
} from "./stateful-pods.ts";
import { isOutdated, statusOf } from "./stateful-status.ts";

const NAMING: RevisionNaming = { hashLabel: "controller.kubernetes.io/hash", hashed: "data" };

/** A pod that exists or is to be created. */
interface Place {
  readonly pod: Pod;
  readonly isThere: boolean;
}

interface Round {
  readonly set: StatefulSet;
  readonly versions: Versions;
  readonly nowMs: number;
  /** Whether pods wait for each other. */
  readonly inOrder: boolean;
  readonly places: readonly Place[];
  /** Pods beyond the set's size, the last one first. */
  readonly condemned: readonly Pod[];
  /** The one pod that may be removed although it is not ready. */
  readonly firstUnavailable: Pod | undefined;
}

/** Creates, replaces and deletes the pods and claims of StatefulSets. */
export class StatefulSetController extends ObjectController<StatefulSet> {
  readonly name = "StatefulSet";
  readonly resource = STATEFUL_SETS;
  readonly watches = [watch(STATEFUL_SETS), watchOwned(this, PODS, (set) => set.spec.selector)];

  protected async reconcile(set: StatefulSet): Promise<number | undefined> {
    const { metadata, spec, status } = set;
    const revisions = await revisionsOf(this.client, set);
    const pods = await claimed(this.client, set, PODS, spec.selector, {
      mayBeMine: (pod) => ordinalOf(set, pod) >= 0,
    });
    const newest = await currentRevision(this.client, set, revisions, NAMING);
    const { revision: update, collisionCount } = newest;
    const named = revisions.find((revision) => revision.metadata.name === status?.currentRevision);
    const versions: Versions = { current: named ?? update, update };
    const nowMs = this.clock.now();
    let deleted = 0;
    try {
      if (!metadata.deletionTimestamp) deleted = await this.#advance(set, pods, versions);
    } finally {
      const counted = { ...statusOf(set, pods, versions, nowMs, deleted), collisionCount };
      if (isOutdated(status, counted)) await this.client.updateStatus(STATEFUL_SETS, set, counted);
      const inUse = new Set([named, update].map((revision) => revision?.metadata.name));
      for (const pod of pods) inUse.add(revisionOf(pod));
      const unused = revisions.filter((revision) => !inUse.has(revision.metadata.name));
      const excess = unused.length - (spec.revisionHistoryLimit ?? 10);
      await removeRevisions(this.client, unused, excess);
    }
    return shortest(pods.map((pod) => availableInMs(set, pod, nowMs)));
  }

  /** Creates missing pods, removes surplus ones and replaces old ones. @returns how many were replaced */
  async #advance(set: StatefulSet, pods: readonly Pod[], versions: Versions): Promise<number> {
    const round = this.#roundOf(set, pods, versions);
    const { places, condemned } = round;
    const go = round.inOrder ? inOrder : inBatches;
    if (await go(places, (place) => this.#keep(round, place))) return 0;
    const settle = async (pod: Pod): Promise<boolean> => {
      if (!areClaimsSettled(this.client, set, pod)) await settleClaims(this, set, pod);
      return false;
    };
    if (await go(condemned, settle)) return 0;
    if (await go(condemned, (pod) => this.#condemn(round, pod))) return 0;
    return set.spec.updateStrategy.type === "OnDelete" ? 0 : this.#roll(round);
  }

  #roundOf(set: StatefulSet, pods: readonly Pod[], versions: Versions): Round {
    const start = firstOrdinal(set.spec);
    const nowMs = this.clock.now();
    const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
    const places = Array.from({ length: set.spec.replicas ?? 1 }, (_, index): Place => {
      const pod = byOrdinal.get(start + index);
      return pod
        ? { pod, isThere: true }
        : { pod: podToMake(set, versions, start + index), isThere: false };
    });
    const condemned = pods
      .filter((pod) => !isInRange(set, pod))
      .toSorted((left, right) => ordinalOf(set, right) - ordinalOf(set, left));
    const inLine = [...places.map(({ pod }) => pod), ...condemned.toReversed()];
    return {
      set,
      versions,
      nowMs,
      inOrder: set.spec.podManagementPolicy !== "Parallel",
      places,
      condemned,
      firstUnavailable: inLine.find((pod) => isUnavailable(set, pod, nowMs)),
    };
  }

  /** Creates, repairs or waits for one pod. @returns whether the ones after it have to wait */
  async #keep({ set, inOrder, nowMs }: Round, { pod, isThere }: Place): Promise<boolean> {
    if (!isThere) {
      if (hasStaleClaims(this.client, set, pod)) return true;
      await this.#create(set, pod);
      return inOrder;
    }
    if (isFinished(pod)) {
      if (!pod.metadata.deletionTimestamp) await this.#delete(set, pod);
      return true;
    }
    if (pod.status?.phase === "Pending") {
      await createClaims(this, set, pod);
      await settleClaims(this, set, pod);
    }
    if (inOrder && (isUnavailable(set, pod, nowMs) || !isRunningAndReady(pod))) return true;
    if (!hasIdentity(set, pod) || !areClaimsSettled(this.client, set, pod)) {
      await this.#mend(set, pod);
    }
    return false;
  }

  /** Removes one surplus pod. @returns whether the ones before it have to wait */
  async #condemn(round: Round, pod: Pod): Promise<boolean> {
    const { set, nowMs } = round;
    if (pod.metadata.deletionTimestamp) return round.inOrder;
    const isReady = isRunningAndReady(pod) && isAvailable(set, pod, nowMs);
    if (!isReady && round.inOrder && pod !== round.firstUnavailable) return true;
    await this.#delete(set, pod);
    return true;
  }

  /**
   * Replaces pods of an old revision, the last one first, while few enough are unavailable. A parallel set replaces those
   * that are unavailable themselves in any case.
   */
  async #roll({ set, places, versions, nowMs, inOrder }: Round): Promise<number> {
    const { partition = 0, maxUnavailable = 1 } = set.spec.updateStrategy.rollingUpdate ?? {};
    const updateName = versions.update.metadata.name ?? "";
    const isDown = ({ pod }: Place): boolean => isUnavailable(set, pod, nowMs);
    const isOld = ({ pod }: Place): boolean =>
      revisionOf(pod) !== updateName && !pod.metadata.deletionTimestamp;
    const old = places.slice(partition).filter(isOld).toReversed();
    const allowed = Math.max(1, shareOf(maxUnavailable, set.spec.replicas ?? 1, "down"));
    const left = Math.max(0, allowed - places.filter(isDown).length);
    const replaced = inOrder
      ? old.slice(0, left)
      : [...old.filter(isDown), ...old.filter((place) => !isDown(place)).slice(0, left)];
    for (const { pod } of replaced) await this.#delete(set, pod);
    return replaced.length;
  }

  async #create(set: StatefulSet, pod: Pod): Promise<void> {
    await this.#tell(set, pod, "Create", async () => {
      await createClaims(this, set, pod);
      await this.client.create(PODS, pod);
      await settleClaims(this, set, pod);
    });
  }

  /** Restores the pod's labels and volumes, and the owners of its claims. */
  async #mend(set: StatefulSet, pod: Pod): Promise<void> {
    await this.#tell(set, pod, "Update", async () => {
      const isWhole = hasIdentity(set, pod);
      if (!isWhole) await createClaims(this, set, pod);
      await settleClaims(this, set, pod);
      await this.client.update(PODS, isWhole ? pod : withIdentity(set, pod));
    });
  }

  async #delete(set: StatefulSet, pod: Pod): Promise<void> {
    await this.#tell(set, pod, "Delete", () => unlessGone(this.client.remove(PODS, pod.metadata)));
  }

  /** Writes or deletes a pod, with its claims, and tells in an event how that ended. */
  async #tell(
    set: StatefulSet,
    pod: Pod,
    verb: "Create" | "Update" | "Delete",
    write: () => Promise<unknown>,
  ): Promise<void> {
    try {
      await write();
    } catch (thrown) {
      if (!isAlreadyExists(thrown)) await this.#record(set, pod, verb, thrown);
      throw thrown;
    }
    await this.#record(set, pod, verb);
  }

  async #record(set: StatefulSet, pod: Pod, verb: string, failure?: unknown): Promise<void> {
    const about = `${verb} Pod ${pod.metadata.name ?? ""} in StatefulSet ${set.metadata.name ?? ""}`;
    if (failure === undefined) {
      await this.events.record(set, "Normal", `Successful${verb}`, `${about} successful`);
    } else {
      const message = `${about} failed error: ${messageOf(failure)}`;
      await this.events.record(set, "Warning", `Failed${verb}`, message);
    }
  }
}

/** Runs the steps one after the other, until one says that the rest has to wait. */
async function inOrder<T>(
  items: readonly T[],
  step: (item: T) => Promise<boolean>,
): Promise<boolean> {
  for (const item of items) if (await step(item)) return true;
  return false;
}

/** Runs one step, then two, then four at a time, as long as none fails; the steps do not wait for each other. */
async function inBatches<T>(
  items: readonly T[],
  step: (item: T) => Promise<boolean>,
): Promise<boolean> {
  for (let [from, size] = [0, 1]; from < items.length; [from, size] = [from + size, size * 2]) {
    let failure: unknown;
    for (const item of items.slice(from, from + size)) {
      await step(item).catch((thrown: unknown) => (failure ??= thrown));
    }
    if (failure !== undefined) throw errorFrom(failure);
  }
  return false;
}
