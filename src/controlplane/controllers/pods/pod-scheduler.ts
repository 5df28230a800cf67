/**
 * The simulated scheduler: a pod gets the node with the fewest pods among those that it may run on,
 * once its claims are bound.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { ResourceName } from "../../resource-name.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import { usersOf } from "../volumes/claims.ts";
import { textOf } from "../keys.ts";
import { CLAIMS, NODES, PODS, STORAGE_CLASSES, VOLUMES } from "../../builtin/tokens.ts";
import { chooseNodeForClaims, claimsForScheduling } from "../volumes/claim-scheduling.ts";
import { isSelected, untolerated } from "./pod-scheduling.ts";
import { timeOf } from "../../../kube/values/times.ts";
import { ObjectController, watch } from "../controller.ts";

const EFFECTS = ["NoSchedule", "NoExecute"];

/** Assigns pods to nodes. */
export class PodScheduler extends ObjectController<Pod> {
  readonly name = "PodScheduler";
  readonly resource = PODS;
  readonly watches = [
    watch(PODS, ({ object }) => withoutNode([object])),
    watch(CLAIMS, ({ object }) => withoutNode(usersOf(this.client, object.metadata))),
    // Another node, other labels, a taint less, a new class or volume: a waiting pod may fit now.
    ...[NODES, STORAGE_CLASSES, VOLUMES].map((resource: ResourceName) =>
      watch(resource, ({ type }) =>
        type === "DELETED" ? [] : withoutNode(this.client.list(PODS)),
      ),
    ),
  ];

  protected async reconcile(pod: Pod): Promise<undefined> {
    if (pod.spec.nodeName) return;
    const { uid = "", deletionTimestamp } = pod.metadata;
    if (deletionTimestamp) {
      await this.client.remove(PODS, pod.metadata, { gracePeriodSeconds: 0, uid });
      return;
    }
    const { schedulingGates = [], schedulerName } = pod.spec;
    if (schedulingGates.length > 0 || schedulerName !== "default-scheduler") return;
    await this.#schedule(pod);
  }

  async #schedule(pod: Pod): Promise<void> {
    const nodes = this.client.list(NODES).filter(({ metadata }) => !metadata.deletionTimestamp);
    if (nodes.length === 0) {
      await this.#noteUnschedulable(pod, "no nodes available to schedule pods");
      return;
    }
    const claims = claimsForScheduling(this.client, pod);
    if ("problem" in claims) {
      await this.#noteUnschedulable(pod, unavailable(nodes.length, claims.problem));
      return;
    }
    const node = this.#bestNode(pod, nodes);
    if (!node) {
      await this.#noteUnschedulable(pod, unavailable(nodes.length, reasonsOf(pod, nodes)));
      return;
    }
    if (claims.unavailable) {
      const reason = `${nodes.length} node(s) didn't find available persistent volumes to bind`;
      await this.#noteUnschedulable(pod, unavailable(nodes.length, reason));
      return;
    }
    const nodeName = node.metadata.name ?? "";
    if (claims.delayed.length > 0) {
      // The pod comes back when its claims are bound.
      await chooseNodeForClaims(this.client, claims.delayed, nodeName);
      return;
    }
    const { namespace = "", name = "" } = pod.metadata;
    const bound: Pod = { ...pod, spec: { ...pod.spec, nodeName } };
    await this.client.update(PODS, bound, "binding");
    const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
    await this.events.record(pod, "Normal", "Scheduled", message);
  }

  #bestNode({ spec }: Pod, nodes: readonly Node[]): Node | undefined {
    const load = new Map<string, number>();
    for (const { spec: other } of this.client.list(PODS)) {
      const node = other.nodeName ?? "";
      load.set(node, (load.get(node) ?? 0) + 1);
    }
    const nameOf = (node: Node): string => node.metadata.name ?? "";
    return nodes
      .filter(
        (node) =>
          isSelected(spec, node) &&
          node.spec?.unschedulable !== true &&
          !untolerated(spec.tolerations, node, EFFECTS),
      )
      .toSorted(
        (left, right) =>
          (load.get(nameOf(left)) ?? 0) - (load.get(nameOf(right)) ?? 0) ||
          (nameOf(left) < nameOf(right) ? -1 : 1),
      )[0];
  }

  async #noteUnschedulable(pod: Pod, message: string): Promise<void> {
    const known = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    if (known?.reason === "Unschedulable" && known.message === message) return;
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastProbeTime: null,
      lastTransitionTime: timeOf(this.clock.now()),
    };
    const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
    const status = { ...pod.status, conditions: [...others, condition] };
    await this.client.updateStatus(PODS, pod, status);
    await this.events.record(pod, "Warning", "FailedScheduling", message);
  }
}

function* withoutNode(pods: readonly Pod[]): Iterable<string> {
  for (const pod of pods) if (!pod.spec.nodeName) yield textOf(pod);
}

/** Upstream's message about a pod that fits no node, for reasons that preemption cannot help. */
const unavailable = (nodes: number, reasons: string): string =>
  `0/${nodes} nodes are available: ${reasons}. preemption: 0/${nodes} nodes are available: ${nodes} Preemption is not helpful for scheduling.`;

function reasonsOf({ spec }: Pod, nodes: readonly Node[]): string {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const reason =
      node.spec?.unschedulable === true
        ? "node(s) were unschedulable"
        : untolerated(spec.tolerations, node, EFFECTS)
          ? "node(s) had untolerated taint(s)"
          : "node(s) didn't match Pod's node affinity/selector";
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");
}
