/**
 * DaemonSets: a pod on each node that fits.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
 */
import { sameJson } from "../../../kube/json.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { DaemonSet } from "../../builtin/kinds/apps/daemon-set.ts";
import type { StoreEvent } from "../framework/client.ts";
import { nonZero, shortest } from "../framework/counts.ts";
import { textOf } from "../framework/keys.ts";
import { DAEMON_SETS, NODES, PODS } from "../../builtin/tokens.ts";
import { claimed, isControlledBy, watchOwned } from "../framework/owner-references.ts";
import { availableInMs, createPod, deletePod, isFinished, isReady } from "../pods/pods.ts";
import {
  type Revision,
  currentRevision,
  removeRevisions,
  revisionsOf,
} from "../framework/revision-history.ts";
import { ObjectController, watch } from "../framework/controller.ts";
import { HASH_LABEL, daemonPod, fit, isCurrent, targetOf } from "./daemon-nodes.ts";
import { type Changes, type Situation, inOrder, placed, rolled } from "./daemon-rollout.ts";

const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 15 * 60_000;

/** How long failed pods on a node are left alone, and since when. */
interface Backoff {
  readonly ms: number;
  readonly sinceMs: number;
}

export class DaemonSetController extends ObjectController<DaemonSet> {
  readonly name = "DaemonSet";
  readonly resource = DAEMON_SETS;
  readonly watches = [
    watch(DAEMON_SETS),
    watch(NODES, (event) => this.#setsConcernedBy(event)),
    watchOwned(this, PODS, (set) => set.spec.selector),
  ];
  readonly #backoffs = new Map<string, Backoff>();

  /** The sets that gain or lose a pod when a node changes; the deletion of a node concerns none. */
  *#setsConcernedBy({ type, object: node, old }: StoreEvent<Node>): Generator<string> {
    if (type === "DELETED") return;
    const { name, labels } = node.metadata;
    const isSame =
      old && sameJson(old.metadata.labels, labels) && sameJson(old.spec?.taints, node.spec?.taints);
    if (isSame) return;
    const onNode = this.client.list(PODS).filter(({ spec }) => spec.nodeName === name);
    for (const set of this.client.list(DAEMON_SETS)) {
      const { runs, stays } = fit(set, node);
      const isThere = onNode.some((pod) => isControlledBy(pod, set));
      const isMisplaced = isThere && (!stays || (set.status?.numberMisscheduled ?? 0) > 0);
      if (isMisplaced || (runs && !isThere)) yield textOf(set);
    }
  }

  protected async reconcile(set: DaemonSet): Promise<number | undefined> {
    if (set.metadata.deletionTimestamp) return undefined;
    const revisions = await revisionsOf(this.client, set);
    const naming = { hashLabel: HASH_LABEL, hashed: "template" } as const;
    const newest = await currentRevision(this.client, set, revisions, naming);
    const { revision: current, collisionCount } = newest;
    const hash = current.metadata.labels?.[HASH_LABEL] ?? "";
    const waits: (number | undefined)[] = [];
    // The status tells what was found; pods that are created now are counted when they are seen.
    const found = await this.#situation(set, hash);
    try {
      waits.push(await this.#place(found));
      const situation = await this.#situation(set, hash);
      await this.#change(situation, rolled(situation));
      const old = revisions.filter(({ metadata }) => metadata.name !== current.metadata.name);
      await this.#forgetRevisions(await this.#situation(set, hash), old);
    } finally {
      waits.push(await this.#writeStatus(found, collisionCount));
    }
    return shortest(waits);
  }

  async #situation(set: DaemonSet, hash: string): Promise<Situation> {
    const placement = new Map<string, Pod[]>();
    for (const pod of await claimed(this.client, set, PODS, set.spec.selector)) {
      const node = targetOf(pod);
      if (node === undefined || (isFinished(pod) && pod.metadata.deletionTimestamp)) continue;
      const pods = placement.get(node);
      if (pods) pods.push(pod);
      else placement.set(node, [pod]);
    }
    return { set, nodes: this.client.list(NODES), placement, hash, nowMs: this.clock.now() };
  }

  /** Creates missing pods and removes surplus ones. @returns in how many milliseconds finished pods may be removed */
  async #place(situation: Situation): Promise<number | undefined> {
    const { ended, ...changes } = placed(situation);
    const waits: number[] = [];
    for (const pod of ended) {
      const ms = await this.#noteEnd(situation, pod);
      if (ms === 0) changes.remove.push(pod);
      waits.push(ms);
    }
    await this.#change(situation, changes);
    return shortest(waits);
  }

  /** Records the end of a pod in an event. @returns in how many milliseconds the pod may be removed */
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

  async #change({ set, hash }: Situation, { remove, make }: Changes): Promise<void> {
    for (const node of make) await createPod(this, set, daemonPod(set, node, hash));
    for (const pod of remove) await deletePod(this, set, pod);
  }

  /** Deletes old revisions without pods beyond the history limit, the oldest first. */
  async #forgetRevisions({ set, placement }: Situation, old: readonly Revision[]): Promise<void> {
    const hashOf = ({ metadata }: Revision | Pod): string | undefined =>
      metadata.labels?.[HASH_LABEL];
    const inUse = new Set([...placement.values()].flat().map(hashOf));
    const unused = old.filter((revision) => !inUse.has(hashOf(revision)));
    await removeRevisions(this.client, unused, old.length - (set.spec.revisionHistoryLimit ?? 10));
  }

  async #writeStatus(situation: Situation, collisionCount: number): Promise<number | undefined> {
    const { set, nodes, placement, hash, nowMs } = situation;
    const spots = nodes.map((node) => {
      const [pod] = inOrder(placement.get(node.metadata.name ?? "") ?? []);
      return { pod, runs: fit(set, node).runs };
    });
    const wanted = spots.filter(({ runs }) => runs);
    const pods = wanted.flatMap(({ pod }) => pod ?? []);
    const waits = pods.map((pod) => availableInMs(set, pod, nowMs));
    const available = waits.filter((ms) => ms === 0).length;
    await this.client.updateStatus(DAEMON_SETS, set, {
      currentNumberScheduled: pods.length,
      numberMisscheduled: spots.filter(({ pod, runs }) => pod && !runs).length,
      desiredNumberScheduled: wanted.length,
      numberReady: pods.filter(isReady).length,
      observedGeneration: set.metadata.generation ?? 0,
      ...nonZero({
        updatedNumberScheduled: pods.filter((pod) => isCurrent(set, pod, hash)).length,
        numberAvailable: available,
        numberUnavailable: wanted.length - available,
        collisionCount,
      }),
    });
    return shortest(waits);
  }
}
