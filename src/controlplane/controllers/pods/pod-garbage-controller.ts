/**
 * Garbage collection of pods: those of nodes that are gone, deleted ones that were never scheduled,
 * and finished ones beyond a limit.
 *
 * It runs every 20 seconds of the clock.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import { withCondition } from "../conditions.ts";
import { unlessGone } from "../absence.ts";
import { NODES, PODS } from "../../builtin/tokens.ts";
import { isFinished } from "./pods.ts";
import { msOf } from "../../../kube/values/times.ts";
import { Controller, watch } from "../controller.ts";

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
  readonly #absent = new Map<string, number>();
  #startMs: number | undefined;
  #dueMs: number | undefined;

  async sync(): Promise<number | undefined> {
    const now = this.clock.now();
    this.#startMs ??= now;
    const nextMs = this.#startMs + (Math.floor((now - this.#startMs) / PERIOD_MS) + 1) * PERIOD_MS;
    const pods = this.client.list(PODS);
    if (!this.#isNeeded(pods)) {
      this.#dueMs = undefined;
      return undefined;
    }
    this.#dueMs ??= nextMs;
    if (now < this.#dueMs) return this.#dueMs - now;
    this.#dueMs = nextMs;

    const over = pods.filter(isFinished).toSorted(byEvictionAndAge);
    for (const pod of over.slice(0, Math.max(0, over.length - THRESHOLD))) await this.#give(pod);
    for (const pod of pods) {
      if (pod.metadata.deletionTimestamp && this.#isOnDeadNode(pod)) await this.#give(pod);
    }
    await this.#collectOrphans(pods, now);
    for (const pod of pods) {
      if (pod.metadata.deletionTimestamp && !pod.spec.nodeName) await this.#give(pod);
    }
    return nextMs - now;
  }

  /** Whether there are pods to remove now or later. */
  #isNeeded(pods: readonly Pod[]): boolean {
    return pods.some((pod) => this.#isForsaken(pod)) || pods.filter(isFinished).length > THRESHOLD;
  }

  #isForsaken({ metadata, spec: { nodeName = "" } }: Pod): boolean {
    return (
      metadata.deletionTimestamp !== undefined || (nodeName !== "" && !this.#nodeNamed(nodeName))
    );
  }

  #nodeNamed(name: string): Node | undefined {
    return this.client.find(NODES, { name });
  }

  #isOnDeadNode({ spec }: Pod): boolean {
    const node = this.#nodeNamed(spec.nodeName ?? "");
    if (!node) return false;
    const isReady = node.status?.conditions?.some(
      ({ type, status }) => type === "Ready" && status === "True",
    );
    return !isReady && node.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) === true;
  }

  async #collectOrphans(pods: readonly Pod[], now: number): Promise<void> {
    const names = new Set(
      pods.map(({ spec }) => spec.nodeName ?? "").filter((name) => name !== ""),
    );
    for (const name of this.#absent.keys()) {
      if (!names.has(name) || this.#nodeNamed(name)) this.#absent.delete(name);
    }
    for (const name of names) {
      if (!this.#nodeNamed(name) && !this.#absent.has(name)) this.#absent.set(name, now);
    }
    for (const pod of pods) {
      const since = this.#absent.get(pod.spec.nodeName ?? "");
      if (since === undefined || now - since < QUARANTINE_MS) continue;
      await this.#give(pod, "PodGC: node no longer exists");
    }
  }

  /**
   * Fails a pod that has not finished, with the message if there is one, and removes it at once.
   */
  async #give(pod: Pod, message?: string): Promise<void> {
    const { uid, generation } = pod.metadata;
    if (!isFinished(pod)) {
      const status = {
        phase: "Failed",
        observedGeneration: generation,
        ...(message === undefined ? {} : { conditions: this.#disrupted(pod, message) }),
      };
      const patch = { metadata: { uid }, status };
      const write = this.client.patch(PODS, pod.metadata, patch, "status");
      if (!(await unlessGone(write))) return;
    }
    await unlessGone(this.client.remove(PODS, pod.metadata, { gracePeriodSeconds: 0 }));
  }

  #disrupted({ status, metadata }: Pod, message: string): Condition[] {
    const change: Condition = {
      type: "DisruptionTarget",
      observedGeneration: metadata.generation ?? 0,
      status: "True",
      reason: "DeletionByPodGC",
      message,
      lastProbeTime: null,
    };
    return withCondition(status?.conditions, change, this.clock.now());
  }
}

function byEvictionAndAge(one: Pod, other: Pod): number {
  const evicted = ({ status }: Pod): number =>
    status?.phase === "Failed" && status.reason === "Evicted" ? 0 : 1;
  const age = ({ metadata }: Pod): number => msOf(metadata.creationTimestamp);
  return (
    evicted(one) - evicted(other) ||
    age(one) - age(other) ||
    ((one.metadata.name ?? "") < (other.metadata.name ?? "") ? -1 : 1)
  );
}
