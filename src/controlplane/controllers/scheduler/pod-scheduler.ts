/**
 * The simulated scheduler: a pod gets the node with the fewest pods among those that it may run on,
 * once its claims are bound.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/
 */
import { findCondition } from "../../../kube/progress/conditions.ts";
import { timeOf } from "../../../kube/values/times.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { ResourceName } from "../../resource-name.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { PodSpec } from "../../builtin/shared/pods/pod-shapes.ts";
import { withoutCondition } from "../framework/conditions.ts";
import { usersOf } from "../volumes/claims.ts";
import { byName, textOf } from "../framework/keys.ts";
import { CLAIMS, NODES, PODS, STORAGE_CLASSES, VOLUMES } from "../../builtin/tokens.ts";
import { chooseNodeForClaims, claimsForScheduling } from "./claim-scheduling.ts";
import { isSelected, untolerated } from "./pod-scheduling.ts";
import { ObjectController, watch } from "../framework/controller.ts";

const EFFECTS = ["NoSchedule", "NoExecute"];

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
      return this.#noteUnschedulable(pod, "no nodes available to schedule pods");
    }
    const claims = claimsForScheduling(this.client, pod);
    if ("problem" in claims) {
      return this.#noteUnschedulable(pod, unavailable(nodes.length, claims.problem));
    }
    const node = this.#bestNode(pod, nodes);
    if (!node) {
      return this.#noteUnschedulable(pod, unavailable(nodes.length, reasonsOf(pod, nodes)));
    }
    if (claims.unavailable) {
      const reason = `${nodes.length} node(s) didn't find available persistent volumes to bind`;
      return this.#noteUnschedulable(pod, unavailable(nodes.length, reason));
    }
    const nodeName = node.metadata.name ?? "";
    if (claims.delayed.length > 0) {
      // The pod comes back when its claims are bound.
      return chooseNodeForClaims(this.client, claims.delayed, nodeName);
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
    const loadOf = ({ metadata }: Node): number => load.get(metadata.name ?? "") ?? 0;
    return nodes
      .filter((node) => obstacleOf(spec, node) === undefined)
      .toSorted((left, right) => loadOf(left) - loadOf(right) || byName(left, right))[0];
  }

  async #noteUnschedulable(pod: Pod, message: string): Promise<void> {
    const { conditions } = pod.status ?? {};
    const [type, reason] = ["PodScheduled", "Unschedulable"];
    const known = findCondition(conditions, type);
    if (known?.reason === reason && known.message === message) return;
    const condition = {
      type,
      status: "False",
      reason,
      message,
      lastProbeTime: null,
      lastTransitionTime: timeOf(this.clock.now()),
    };
    const status = {
      ...pod.status,
      conditions: [...withoutCondition(conditions, type), condition],
    };
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

/** Why a pod may not run on the node. */
function obstacleOf(spec: PodSpec, node: Node): string | undefined {
  if (node.spec?.unschedulable === true) return "node(s) were unschedulable";
  if (untolerated(spec.tolerations, node, EFFECTS)) return "node(s) had untolerated taint(s)";
  return isSelected(spec, node) ? undefined : "node(s) didn't match Pod's node affinity/selector";
}

function reasonsOf({ spec }: Pod, nodes: readonly Node[]): string {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const reason = obstacleOf(spec, node) ?? "";
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");
}
