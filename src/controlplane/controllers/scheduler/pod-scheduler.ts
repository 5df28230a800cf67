/**
 * The simulated scheduler: puts pods on nodes by kube-scheduler's filters and scores, and makes room
 * for pods of higher priority.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/
 */
import { sameJson } from "../../../kube/json.ts";
import { findCondition } from "../../../kube/progress/conditions.ts";
import type { Pod, PodStatus } from "../../builtin/kinds/core/pod/shape.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import {
  BUDGETS,
  CLAIMS,
  NAMESPACES,
  NODES,
  PODS,
  STORAGE_CLASSES,
  VOLUMES,
} from "../../builtin/tokens.ts";
import type { ResourceName } from "../../resource-name.ts";
import { unlessGone } from "../framework/absence.ts";
import type { StoreEvent } from "../framework/client.ts";
import { withCondition } from "../framework/conditions.ts";
import { ObjectController, watch } from "../framework/controller.ts";
import { byAge, textOf } from "../framework/keys.ts";
import { disruptionPatch } from "../pods/disruption.ts";
import { isFinished } from "../pods/pods.ts";
import { usersOf } from "../volumes/claims.ts";
import {
  type SchedulingClaims,
  chooseNodeForClaims,
  claimsForScheduling,
} from "./claim-scheduling.ts";
import { type Rejection, SchedulingCycle, countedReasons } from "./filters.ts";
import { type NodeInfo, nameOf, nodeInfo, nodeInfos } from "./node-info.ts";
import { namedNodes } from "./pod-scheduling.ts";
import { type Candidate, preempt, priorityOf } from "./preemption.ts";
import { bestOf } from "./scoring.ts";

const SCHEDULER = "default-scheduler";

export class PodScheduler extends ObjectController<Pod> {
  readonly name = "PodScheduler";
  readonly resource = PODS;
  readonly watches = [
    watch(PODS, (event) => this.#concernedBy(event)),
    watch(CLAIMS, ({ object }) => keysOf(usersOf(this.client, object.metadata))),
    // Another node, other labels, a taint less, a new class or volume: a waiting pod may fit now.
    ...[NODES, NAMESPACES, STORAGE_CLASSES, VOLUMES].map((resource: ResourceName) =>
      watch(resource, ({ type }) => (type === "DELETED" ? [] : this.#waiting())),
    ),
  ];

  /** The pod itself; and those that wait, when a pod on a node leaves room or becomes a neighbor. */
  *#concernedBy({ type, object, old }: StoreEvent<Pod>): Iterable<string> {
    if (!object.spec.nodeName) {
      // A pod waits until something else changes: not its status, which the scheduler writes.
      if (!old || !isSamePod(old, object)) yield* keysOf([object]);
      // A pod that is no longer nominated for a node leaves it to others.
      const { nominatedNodeName } = object.status ?? {};
      const isFree = type === "DELETED" || (old?.status?.nominatedNodeName && !nominatedNodeName);
      if (isFree) yield* this.#waiting();
      return;
    }
    const isEnded = isFinished(object) && !(old && isFinished(old));
    if (type === "DELETED" || isEnded || (old && isResized(old, object))) yield* this.#waiting();
    else if (!old || isMoved(old, object)) yield* this.#waiting(hasNeighbors);
  }

  /** The pods that wait for a node, in the order of the scheduler's queue. */
  #waiting(isConcerned: (pod: Pod) => boolean = () => true): Iterable<string> {
    const pods = this.client
      .list(PODS)
      .filter((pod) => !pod.spec.nodeName && !isFinished(pod) && isConcerned(pod));
    if (pods.length < 2) return keysOf(pods);
    return keysOf(
      pods.toSorted((left, right) => priorityOf(right) - priorityOf(left) || byAge(left, right)),
    );
  }

  protected async reconcile(pod: Pod): Promise<undefined> {
    if (pod.spec.nodeName || isFinished(pod)) return;
    const { uid = "", deletionTimestamp } = pod.metadata;
    if (deletionTimestamp) {
      await unlessGone(this.client.remove(PODS, pod.metadata, { gracePeriodSeconds: 0, uid }));
      return;
    }
    const { schedulingGates = [], schedulerName } = pod.spec;
    if (schedulingGates.length > 0 || schedulerName !== SCHEDULER) return;
    await this.#schedule(pod);
  }

  async #schedule(pod: Pod): Promise<void> {
    const nodes = nodeInfos(this.client);
    if (nodes.length === 0) {
      return this.#noteUnschedulable(pod, "no nodes available to schedule pods");
    }
    const unavailable = `0/${nodes.length} nodes are available:`;
    const claims = this.#claimsOf(pod);
    if ("problem" in claims) {
      return this.#noteUnschedulable(pod, `${unavailable} ${claims.problem}. not found`);
    }
    const cycle = new SchedulingCycle(this.client, pod, nodes, claims);
    const rejections = this.#rejections(cycle, claims);
    const fitting = nodes.filter((info) => !rejections.has(info));
    const nominated = fitting.find(({ node }) => nameOf(node) === pod.status?.nominatedNodeName);
    const best = nominated ?? bestOf(this.client, pod, fitting);
    if (best) return this.#bind(pod, best, claims);

    const why = `${unavailable} ${countedReasons([...rejections.values()])}.`;
    const found = preempt(cycle, rejections, this.client.list(BUDGETS));
    if ("problem" in found) {
      const isWaiting = found.problem.startsWith("not eligible");
      const message = `${why} preemption: ${found.problem}`;
      return this.#noteUnschedulable(pod, message, isWaiting ? undefined : "");
    }
    const { candidate } = found;
    const node = nameOf(candidate.info.node);
    const placement = `found a potential placement for pod on node ${node}, preempting ${candidate.victims.length} victims`;
    await this.#noteUnschedulable(pod, `${why} preemption: ${placement}`, node);
    await this.#makeRoom(pod, candidate);
  }

  #claimsOf(pod: Pod): SchedulingClaims | { readonly problem: string } {
    if (namedNodes(pod.spec)?.size === 0) return { problem: "pod affinity terms conflict" };
    return claimsForScheduling(this.client, pod);
  }

  /** The nodes that cannot have the pod, also with the pods that are nominated for them. */
  #rejections(cycle: SchedulingCycle, claims: SchedulingClaims): ReadonlyMap<NodeInfo, Rejection> {
    const { pod, nodes } = cycle;
    const nominated = this.client.list(PODS).filter((other) => {
      const isOther = other.metadata.uid !== pod.metadata.uid && !other.spec.nodeName;
      const isFirst = priorityOf(other) >= priorityOf(pod);
      return isOther && isFirst && Boolean(other.status?.nominatedNodeName) && !isFinished(other);
    });
    const rejections = new Map<NodeInfo, Rejection>();
    for (const info of nodes) {
      const guests = nominated.filter(
        ({ status }) => status?.nominatedNodeName === nameOf(info.node),
      );
      const full = nodeInfo(info.node, [...info.pods, ...guests]);
      const crowded =
        guests.length === 0
          ? undefined
          : new SchedulingCycle(
              this.client,
              pod,
              nodes.map((one) => (one === info ? full : one)),
              claims,
            ).rejectionOf(full);
      const rejection = crowded ?? cycle.rejectionOf(info);
      if (rejection) rejections.set(info, rejection);
    }
    return rejections;
  }

  async #bind(pod: Pod, { node }: NodeInfo, { delayed }: SchedulingClaims): Promise<void> {
    // The pod comes back when its claims are bound.
    if (delayed.length > 0) return chooseNodeForClaims(this.client, delayed, node);
    const { namespace = "", name = "" } = pod.metadata;
    if (!(await unlessGone(this.client.bind(pod.metadata, nameOf(node))))) return;
    const message = `Successfully assigned ${namespace}/${name} to ${nameOf(node)}`;
    await this.events.record(pod, "Normal", "Scheduled", message);
  }

  /** Deletes the victims, and takes the node from pods of lower priority that were to have it. */
  async #makeRoom(pod: Pod, { info, victims }: Candidate): Promise<void> {
    const node = nameOf(info.node);
    for (const other of this.client.list(PODS)) {
      const isNominated = !other.spec.nodeName && other.status?.nominatedNodeName === node;
      if (!isNominated || priorityOf(other) >= priorityOf(pod)) continue;
      const patch = { status: { nominatedNodeName: null } };
      await unlessGone(this.client.patch(PODS, other.metadata, patch, "status"));
    }
    for (const victim of victims) {
      if (victim.metadata.deletionTimestamp) continue;
      const { uid = "" } = victim.metadata;
      const reason = "PreemptionByScheduler";
      const why = `${SCHEDULER}: preempting to accommodate a higher priority pod`;
      const patch = disruptionPatch(victim, { reason, message: why }, this.clock.now());
      if (!(await unlessGone(this.client.patch(PODS, victim.metadata, patch, "status")))) continue;
      await unlessGone(this.client.remove(PODS, victim.metadata, { uid }));
      const message = `Preempted by pod ${pod.metadata.uid ?? ""} on node ${node}`;
      await this.events.record(victim, "Normal", "Preempted", message);
    }
  }

  /** @param nominated - the node that the pod may have later; as before when absent, none when empty */
  async #noteUnschedulable(pod: Pod, message: string, nominated?: string): Promise<void> {
    const { conditions, nominatedNodeName = "" } = pod.status ?? {};
    const [type, reason] = ["PodScheduled", "Unschedulable"];
    const known = findCondition(conditions, type);
    const isSame = known?.reason === reason && known.message === message;
    if (isSame && (nominated ?? nominatedNodeName) === nominatedNodeName) return;
    const change: Condition = {
      type,
      observedGeneration: pod.metadata.generation ?? 0,
      status: "False",
      reason,
      message,
      lastProbeTime: null,
    };
    const status: PodStatus = {
      ...pod.status,
      conditions: withCondition(conditions, change, this.clock.now()),
      ...(nominated ? { nominatedNodeName: nominated } : {}),
    };
    if (nominated === "") delete status.nominatedNodeName;
    await this.client.updateStatus(PODS, pod, status);
    await this.events.record(pod, "Warning", "FailedScheduling", message);
  }
}

function* keysOf(pods: readonly Pod[]): Iterable<string> {
  for (const pod of pods) if (!pod.spec.nodeName) yield textOf(pod);
}

/** Whether the place of a pod depends on the pods that run. */
const hasNeighbors = ({ spec }: Pod): boolean =>
  Boolean(spec.affinity?.podAffinity ?? spec.affinity?.podAntiAffinity) ||
  (spec.topologySpreadConstraints ?? []).length > 0;

const isSamePod = (old: Pod, { metadata, spec }: Pod): boolean =>
  old.metadata.deletionTimestamp === metadata.deletionTimestamp &&
  sameJson(old.metadata.labels, metadata.labels) &&
  sameJson(old.spec, spec);

/** Whether the spec changed: a deletion, which makes no room before the pod has ended, counts as a generation, too. */
const isResized = (old: Pod, { metadata }: Pod): boolean =>
  old.metadata.generation !== metadata.generation &&
  old.metadata.deletionTimestamp === metadata.deletionTimestamp;

const isMoved = (old: Pod, { metadata }: Pod): boolean =>
  !old.spec.nodeName || !sameJson(old.metadata.labels, metadata.labels);
