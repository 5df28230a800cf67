/**
 * DaemonSets: a pod on each node that fits.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
 */
import { sameJson } from "../../../kube/json.ts";
import { errorFrom } from "../../../errors.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { DaemonSet } from "../../builtin/kinds/apps/daemon-set.ts";
import { createPod, deletePod } from "../pods/pod-control.ts";
import type { StoreEvent } from "../client.ts";
import { textOf } from "../keys.ts";
import { DAEMON_SETS, NODES, PODS } from "../../builtin/tokens.ts";
import { type OwnerKind, claimed, controllerOf, watchOwned } from "../ownership.ts";
import { availableInMs, isFinished, isReady } from "../pods/pods.ts";
import { type Revision, RevisionHistory } from "../revision-history.ts";
import { ObjectController, watch } from "../controller.ts";
import { HASH_LABEL, TEMPLATE_GENERATION, daemonPod, fit, targetOf } from "./daemon-nodes.ts";
import {
  type Changes,
  type Placement,
  type Situation,
  byAge,
  isCurrent,
  placed,
  rolled,
} from "./daemon-rollout.ts";

const KIND: OwnerKind<DaemonSet> = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  resource: DAEMON_SETS,
};
const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 15 * 60_000;

/** How long failed pods on a node are left alone, and since when. */
interface Backoff {
  readonly ms: number;
  readonly sinceMs: number;
}

/** Creates, replaces and deletes the pods of DaemonSets. */
export class DaemonSetController extends ObjectController<DaemonSet> {
  readonly name = "DaemonSet";
  readonly resource = DAEMON_SETS;
  readonly watches = [
    watch(DAEMON_SETS),
    watch(NODES, (event) => this.#setsConcernedBy(event)),
    watchOwned(this.client, PODS, KIND, (set) => set.spec.selector),
  ];
  /** The backoffs by set, generation and node. */
  readonly #backoffs = new Map<string, Backoff>();

  /** The sets that gain or lose a pod when a node changes; the deletion of a node concerns none. */
  *#setsConcernedBy({ type, object: node, old: before }: StoreEvent<Node>): Generator<string> {
    if (type === "DELETED") return;
    const isSame =
      before !== undefined &&
      sameJson(before.metadata.labels, node.metadata.labels) &&
      sameJson(before.spec?.taints, node.spec?.taints);
    if (isSame) return;
    const onNode = this.client
      .list(PODS)
      .filter(({ spec }) => spec.nodeName === node.metadata.name);
    for (const set of this.client.list(DAEMON_SETS)) {
      const { runs, stays } = fit(set, node);
      const isThere = onNode.some((pod) => controllerOf(pod)?.uid === set.metadata.uid);
      const isMisplaced = isThere && (!stays || (set.status?.numberMisscheduled ?? 0) > 0);
      if (isMisplaced || (runs && !isThere)) yield textOf(set);
    }
  }

  protected async reconcile(set: DaemonSet): Promise<number | undefined> {
    if (set.metadata.deletionTimestamp) return undefined;
    const generation = set.metadata.annotations?.[TEMPLATE_GENERATION];
    const history = new RevisionHistory(this.client, set, {
      kind: KIND,
      hashLabel: HASH_LABEL,
      ...(generation === undefined ? {} : { annotations: { [TEMPLATE_GENERATION]: generation } }),
    });
    const revisions = await history.list();
    const current = await history.current(revisions);
    const hash = current.metadata.labels?.[HASH_LABEL] ?? "";
    let waitMs: number | undefined;
    let failure: unknown;
    try {
      waitMs = await this.#place(await this.#situation(set, hash));
      await this.#change(set, hash, rolled(await this.#situation(set, hash)));
      const old = revisions.filter(({ metadata }) => metadata.name !== current.metadata.name);
      await this.#forget(history, set, old);
    } catch (thrown) {
      failure = thrown;
    }
    const againMs = await this.#writeStatus(await this.#situation(set, hash));
    if (failure !== undefined) throw errorFrom(failure);
    const waits = [waitMs, againMs].filter((ms) => ms !== undefined);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  async #situation(set: DaemonSet, hash: string): Promise<Situation> {
    const nodes = this.client.list(NODES);
    const placement = await this.#placement(set);
    return { set, nodes, placement, hash, nowMs: this.clock.now() };
  }

  async #placement(set: DaemonSet): Promise<Placement> {
    const pods = await claimed({
      client: this.client,
      owner: set,
      kind: KIND,
      resource: PODS,
      selector: set.spec.selector,
    });
    const byNode = new Map<string, Pod[]>();
    for (const pod of pods) {
      const node = targetOf(pod);
      if (node === undefined || (isFinished(pod) && pod.metadata.deletionTimestamp)) continue;
      const list = byNode.get(node) ?? [];
      list.push(pod);
      byNode.set(node, list);
    }
    return byNode;
  }

  /**
   * Creates missing pods and removes surplus ones.
   *
   * @returns in how many milliseconds finished pods may be removed
   */
  async #place(situation: Situation): Promise<number | undefined> {
    const { set, hash } = situation;
    const { remove, make, ended } = placed(situation);
    let waitMs: number | undefined;
    const gone: Pod[] = [];
    for (const pod of ended) {
      const ms = await this.#noteEnd(situation, pod);
      if (ms === 0) gone.push(pod);
      else waitMs = Math.min(waitMs ?? Infinity, ms);
    }
    await this.#change(set, hash, { remove: [...remove, ...gone], make });
    return waitMs;
  }

  /**
   * Records the end of a pod in an event.
   *
   * @returns in how many milliseconds the pod may be removed
   */
  async #noteEnd({ set, nowMs }: Situation, pod: Pod): Promise<number> {
    const { namespace = "", name = "" } = pod.metadata;
    const node = targetOf(pod) ?? "";
    const about = `daemon pod ${namespace}/${name} on node ${node}, will try to`;
    if (pod.status?.phase === "Succeeded") {
      const message = `Found succeeded ${about} delete it`;
      await this.events.record(set, "Normal", "SucceededDaemonPod", message);
      return 0;
    }
    const key = `${set.metadata.uid ?? ""}/${set.status?.observedGeneration ?? 0}/${node}`;
    const before = this.#backoffs.get(key);
    const passedMs = nowMs - (before?.sinceMs ?? 0);
    if (before && passedMs < before.ms) return before.ms;
    const isFresh = !before || passedMs > 2 * LONGEST_BACKOFF_MS;
    const ms = isFresh ? FIRST_BACKOFF_MS : Math.min(2 * before.ms, LONGEST_BACKOFF_MS);
    this.#backoffs.set(key, { ms, sinceMs: nowMs });
    await this.events.record(set, "Warning", "FailedDaemonPod", `Found failed ${about} kill it`);
    return 0;
  }

  async #change(set: DaemonSet, hash: string, { remove, make }: Changes): Promise<void> {
    for (const node of make) await createPod(this, set, daemonPod(set, KIND, node, hash));
    for (const pod of remove) await deletePod(this, set, pod);
  }

  /** Deletes old revisions without pods beyond the history limit, the oldest first. */
  async #forget(history: RevisionHistory, set: DaemonSet, old: readonly Revision[]): Promise<void> {
    const excess = old.length - (set.spec.revisionHistoryLimit ?? 10);
    const pods = [...(await this.#placement(set)).values()].flat();
    const hashes = new Set(pods.map(({ metadata }) => metadata.labels?.[HASH_LABEL]));
    const unused = old.filter(({ metadata }) => !hashes.has(metadata.labels?.[HASH_LABEL]));
    await history.remove(unused.slice(0, Math.max(0, excess)));
  }

  async #writeStatus(situation: Situation): Promise<number | undefined> {
    const { set, nodes, placement, hash, nowMs } = situation;
    const counts = { desired: 0, current: 0, mis: 0, ready: 0, available: 0, updated: 0 };
    let againMs: number | undefined;
    for (const node of nodes) {
      const [pod] = byAge(placement.get(node.metadata.name ?? "") ?? []);
      if (!fit(set, node).runs) {
        if (pod) counts.mis++;
        continue;
      }
      counts.desired++;
      if (!pod) continue;
      counts.current++;
      if (isReady(pod)) counts.ready++;
      const ms = availableInMs(pod, set.spec.minReadySeconds ?? 0, nowMs);
      if (ms === 0) counts.available++;
      else if (ms !== undefined) againMs = Math.min(againMs ?? Infinity, ms);
      if (isCurrent(set, pod, hash)) counts.updated++;
    }
    const missing = counts.desired - counts.available;
    const status: NonNullable<DaemonSet["status"]> = {
      currentNumberScheduled: counts.current,
      numberMisscheduled: counts.mis,
      desiredNumberScheduled: counts.desired,
      numberReady: counts.ready,
      observedGeneration: set.metadata.generation ?? 0,
      ...(counts.updated > 0 ? { updatedNumberScheduled: counts.updated } : {}),
      ...(counts.available > 0 ? { numberAvailable: counts.available } : {}),
      ...(missing > 0 ? { numberUnavailable: missing } : {}),
      ...(set.status?.collisionCount ? { collisionCount: set.status.collisionCount } : {}),
    };
    await this.client.updateStatus(DAEMON_SETS, set, status);
    return againMs;
  }
}
