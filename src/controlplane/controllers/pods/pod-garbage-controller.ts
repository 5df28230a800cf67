/**
 * Garbage collection of pods: those of nodes that are gone, deleted ones that were never scheduled,
 * and finished ones beyond a limit.
 *
 * It runs every 20 seconds of the clock.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import { isTrue } from "../framework/conditions.ts";
import { unlessGone } from "../framework/absence.ts";
import { byAge } from "../framework/keys.ts";
import { NODES, PODS } from "../../builtin/tokens.ts";
import { disruptionPatch } from "./disruption.ts";
import { isFinished } from "./pods.ts";
import { Controller, watch } from "../framework/controller.ts";

const ALL = "all";
const PERIOD_MS = 20_000;
/** How long a node may be absent before its pods are removed, in milliseconds. */
const QUARANTINE_MS = 40_000;
/** How many finished pods are kept. */
const THRESHOLD = 12_500;
const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

/** Fails and deletes garbage pods. */
export class PodGarbageController extends Controller {
  readonly name = "PodGarbage";
  readonly watches = [
    watch(NODES, ({ type }) => (type === "DELETED" ? [ALL] : [])),
    watch(PODS, ({ object }) => (isFinished(object) || this.#isForsaken(object) ? [ALL] : [])),
  ];
  override readonly initialKeys = [ALL];
  /** When the pods of an absent node were first seen, by the node's name. */
  #absent: ReadonlyMap<string, number> = new Map();
  #startMs: number | undefined;
  #dueMs: number | undefined;

  async sync(): Promise<number | undefined> {
    const now = this.clock.now();
    this.#startMs ??= now;
    const nextMs = this.#startMs + (Math.floor((now - this.#startMs) / PERIOD_MS) + 1) * PERIOD_MS;
    const pods = this.client.list(PODS);
    const finished = pods.filter(isFinished);
    const excess = Math.max(0, finished.length - THRESHOLD);
    if (excess === 0 && !pods.some((pod) => this.#isForsaken(pod))) {
      this.#dueMs = undefined;
      return undefined;
    }
    this.#dueMs ??= nextMs;
    if (now < this.#dueMs) return this.#dueMs - now;
    this.#dueMs = nextMs;

    const leaving = pods.filter(({ metadata }) => metadata.deletionTimestamp);
    const surplus = finished.toSorted(byEvictionAndAge).slice(0, excess);
    const stuck = leaving.filter((pod) => this.#isOnDeadNode(pod));
    for (const pod of [...surplus, ...stuck]) await this.#give(pod);
    await this.#collectOrphans(pods, now);
    for (const pod of leaving) if (!pod.spec.nodeName) await this.#give(pod);
    return nextMs - now;
  }

  /** Whether the pod is being deleted, or its node is gone. */
  #isForsaken({ metadata, spec: { nodeName = "" } }: Pod): boolean {
    return metadata.deletionTimestamp !== undefined || this.#isAbsent(nodeName);
  }

  #isAbsent(node: string): boolean {
    return node !== "" && !this.client.find(NODES, { name: node });
  }

  #isOnDeadNode({ spec }: Pod): boolean {
    const node = this.client.find(NODES, { name: spec.nodeName ?? "" });
    const isOut = node?.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) === true;
    return isOut && !isTrue(node, "Ready");
  }

  async #collectOrphans(pods: readonly Pod[], now: number): Promise<void> {
    const nodes = new Set(pods.map(({ spec }) => spec.nodeName ?? ""));
    const absent = [...nodes].filter((node) => this.#isAbsent(node));
    this.#absent = new Map(absent.map((node) => [node, this.#absent.get(node) ?? now]));
    for (const pod of pods) {
      const since = this.#absent.get(pod.spec.nodeName ?? "");
      if (since === undefined || now - since < QUARANTINE_MS) continue;
      await this.#give(pod, "PodGC: node no longer exists");
    }
  }

  /** Fails a pod that has not finished, with the message if there is one, and removes it at once. */
  async #give(pod: Pod, message?: string): Promise<void> {
    const { uid, generation } = pod.metadata;
    if (!isFinished(pod)) {
      const reason = "DeletionByPodGC";
      const patch =
        message === undefined
          ? { metadata: { uid }, status: {} }
          : disruptionPatch(pod, { reason, message }, this.clock.now());
      const status = { ...patch.status, phase: "Failed", observedGeneration: generation };
      const write = this.client.patch(PODS, pod.metadata, { ...patch, status }, "status");
      if (!(await unlessGone(write))) return;
    }
    await unlessGone(this.client.remove(PODS, pod.metadata, { gracePeriodSeconds: 0 }));
  }
}

/** Evicted pods first, then the oldest. */
function byEvictionAndAge(one: Pod, other: Pod): number {
  const isEvicted = ({ status }: Pod): boolean =>
    status?.phase === "Failed" && status.reason === "Evicted";
  return Number(isEvicted(other)) - Number(isEvicted(one)) || byAge(one, other);
}
