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
import type { PodTemplate } from "../../builtin/shared/pods/shapes.ts";
import type { StatefulSet } from "../../builtin/kinds/apps/stateful-set.ts";
import { present } from "../../../present.ts";
import { unlessGone } from "../absence.ts";
import { PODS, STATEFUL_SETS } from "../../builtin/tokens.ts";
import { claimed, watchOwned } from "../ownership.ts";
import { isFinished } from "../pods/pods.ts";
import { RevisionHistory } from "../revision-history.ts";
import { ObjectController, watch } from "../controller.ts";
import { shareOf } from "../share.ts";
import { StatefulClaims } from "./stateful-claims.ts";
import {
  KIND,
  firstOrdinal,
  hasIdentity,
  isAvailable,
  isInRange,
  isRunningAndReady,
  isUnavailable,
  ordinalOf,
  revisionOf,
  statefulPod,
  withIdentity,
} from "./stateful-pods.ts";
import { type Versions, isOutdated, nextAvailableInMs, statusOf } from "./stateful-status.ts";

/** A pod that exists or is to be created. */
interface Place {
  readonly pod: Pod;
  readonly isThere: boolean;
}

/** The inputs of a round. */
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
  readonly watches = [
    watch(STATEFUL_SETS),
    watchOwned(this.client, PODS, KIND, (set) => set.spec.selector),
  ];
  readonly #claims = new StatefulClaims(this);

  protected async reconcile(set: StatefulSet): Promise<number | undefined> {
    const { annotations } = set.metadata;
    const history = new RevisionHistory(this.client, set, {
      kind: KIND,
      hashLabel: "controller.kubernetes.io/hash",
      ...present({ annotations }),
    });
    const revisions = await history.list();
    const pods = await claimed({
      client: this.client,
      owner: set,
      kind: KIND,
      resource: PODS,
      selector: set.spec.selector,
      mayBeMine: (pod: Pod) => ordinalOf(set, pod) >= 0,
    });
    const update = await history.current(revisions);
    const named = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision);
    const versions: Versions = { current: named ?? update, update };
    const nowMs = this.clock.now();
    let failure: Error | undefined;
    let deleted = 0;
    try {
      if (!set.metadata.deletionTimestamp) deleted = await this.#advance(set, pods, versions);
    } catch (thrown) {
      failure = errorFrom(thrown);
    }
    const status = statusOf(set, pods, versions, nowMs, deleted);
    if (isOutdated(set.status, status)) {
      await this.client.updateStatus(STATEFUL_SETS, set, status);
    }
    const inUse = [versions.current, update].map(({ metadata }) => metadata.name ?? "");
    await history.truncate(revisions, new Set([...inUse, ...pods.map(revisionOf)]));
    if (failure) throw failure;
    return nextAvailableInMs(set, pods, nowMs);
  }

  /**
   * Creates missing pods, removes surplus ones and replaces old ones.
   *
   * @returns how many were replaced
   */
  async #advance(set: StatefulSet, pods: readonly Pod[], versions: Versions): Promise<number> {
    const round = this.#roundOf(set, pods, versions);
    const { places, condemned } = round;
    const go = async <T>(
      items: readonly T[],
      step: (item: T) => Promise<boolean>,
    ): Promise<boolean> => (round.inOrder ? inOrder(items, step) : inBatches(items, step));
    if (await go(places, (place) => this.#keep(round, place))) return 0;
    const settle = async (pod: Pod): Promise<boolean> => {
      if (!this.#claims.areSettled(set, pod)) await this.#claims.settle(set, pod);
      return false;
    };
    if (await go(condemned, settle)) return 0;
    if (await go(condemned, (pod) => this.#condemn(round, pod))) return 0;
    return set.spec.updateStrategy.type === "OnDelete" ? 0 : this.#roll(round);
  }

  #roundOf(set: StatefulSet, pods: readonly Pod[], versions: Versions): Round {
    const start = firstOrdinal(set);
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
  async #keep(round: Round, { pod, isThere }: Place): Promise<boolean> {
    const { set, nowMs } = round;
    if (isThere && isFinished(pod)) {
      if (!pod.metadata.deletionTimestamp) await this.#delete(set, pod);
      return true;
    }
    if (!isThere) {
      if (this.#claims.isStale(set, pod)) return true;
      await this.#create(set, pod);
      if (round.inOrder) return true;
    }
    if (isThere && pod.status?.phase === "Pending") {
      await this.#claims.create(set, pod);
      await this.#claims.settle(set, pod);
    }
    const isWaitedFor =
      pod.metadata.deletionTimestamp !== undefined ||
      !isRunningAndReady(pod) ||
      !isAvailable(set, pod, nowMs);
    if (round.inOrder && isWaitedFor) return true;
    if (!isThere || (hasIdentity(set, pod) && this.#claims.areSettled(set, pod))) return false;
    await this.#mend(set, pod);
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
    const { name = "" } = pod.metadata;
    const setName = set.metadata.name ?? "";
    try {
      await this.#claims.create(set, pod);
      await this.client.create(PODS, pod);
      await this.#claims.settle(set, pod);
    } catch (thrown) {
      if (isAlreadyExists(thrown)) throw thrown;
      const message = `Create Pod ${name} in StatefulSet ${setName} failed error: ${messageOf(thrown)}`;
      await this.events.record(set, "Warning", "FailedCreate", message);
      throw thrown;
    }
    const message = `Create Pod ${name} in StatefulSet ${setName} successful`;
    await this.events.record(set, "Normal", "SuccessfulCreate", message);
  }

  /** Restores the pod's labels and volumes, and the owners of its claims. */
  async #mend(set: StatefulSet, pod: Pod): Promise<void> {
    const about = `Update Pod ${pod.metadata.name ?? ""} in StatefulSet ${set.metadata.name ?? ""}`;
    try {
      const wanted = hasIdentity(set, pod) ? pod : withIdentity(set, pod);
      if (wanted !== pod) await this.#claims.create(set, pod);
      await this.#claims.settle(set, pod);
      await this.client.update(PODS, wanted);
    } catch (thrown) {
      const message = `${about} failed error: ${messageOf(thrown)}`;
      await this.events.record(set, "Warning", "FailedUpdate", message);
      throw thrown;
    }
    await this.events.record(set, "Normal", "SuccessfulUpdate", `${about} successful`);
  }

  async #delete(set: StatefulSet, pod: Pod): Promise<void> {
    await unlessGone(this.client.remove(PODS, pod.metadata));
    const message = `Delete Pod ${pod.metadata.name ?? ""} in StatefulSet ${set.metadata.name ?? ""} successful`;
    await this.events.record(set, "Normal", "SuccessfulDelete", message);
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

/**
 * Runs one step, then two, then four at a time, as long as none fails; the steps do not wait for
 * each other.
 */
async function inBatches<T>(
  items: readonly T[],
  step: (item: T) => Promise<boolean>,
): Promise<boolean> {
  for (let [from, size] = [0, 1]; from < items.length; [from, size] = [from + size, size * 2]) {
    const failures: unknown[] = [];
    for (const item of items.slice(from, from + size)) {
      try {
        await step(item);
      } catch (thrown) {
        failures.push(thrown);
      }
    }
    const [failure] = failures;
    if (failures.length > 0) throw errorFrom(failure);
  }
  return false;
}

/** A missing pod, of the revision that its ordinal should have. */
function podToMake(set: StatefulSet, { current, update }: Versions, ordinal: number): Pod {
  const revision = needsCurrent(set, ordinal) ? current : update;
  const template =
    revision === update ? set.spec.template : (revision.data?.spec.template ?? set.spec.template);
  return statefulPod(set, withoutDirective(template), ordinal, revision.metadata.name ?? "");
}

/** Whether a pod keeps the current revision of the set, as below the partition. */
function needsCurrent({ spec, status, ...set }: StatefulSet, ordinal: number): boolean {
  const start = firstOrdinal({ spec, ...set });
  const { type, rollingUpdate } = spec.updateStrategy;
  if (rollingUpdate) return ordinal < start + (rollingUpdate.partition ?? 0);
  return type === "RollingUpdate" && ordinal < start + (status?.currentReplicas ?? 0);
}

/** A stored template without its patch directive. */
function withoutDirective(template: PodTemplate): PodTemplate {
  const copy = { ...template };
  Reflect.deleteProperty(copy, "$patch");
  return copy;
}
