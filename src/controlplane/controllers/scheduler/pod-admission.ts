/**
 * The kubelet's check of a pod that was put on its node, by a scheduler or by the pod's own spec.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/
 */
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import { type Shortage, hasPortConflict, shortagesOf } from "./node-fit.ts";
import { type NodeInfo, nodeInfo } from "./node-info.ts";
import { NODE_AFFINITY, NODE_PORTS } from "./filters.ts";
import { isSelected, untolerated } from "./pod-scheduling.ts";

/** Why a kubelet rejects a pod: the reason and the message of the failed pod's status. */
export interface AdmissionProblem {
  readonly reason: string;
  readonly message: string;
}

const OS_LABEL = "kubernetes.io/os";

/**
 * Why a kubelet rejects a pod; `undefined` when it runs the pod.
 *
 * @param others - the other pods of the node that the kubelet has admitted
 */
export function admissionProblem(
  pod: Pod,
  node: Node,
  others: readonly Pod[],
): AdmissionProblem | undefined {
  const problem = problemOf(pod, nodeInfo(node, others));
  return problem && { ...problem, message: `Pod was rejected: ${problem.message}` };
}

function problemOf(pod: Pod, info: NodeInfo): AdmissionProblem | undefined {
  const { os } = pod.spec;
  const label = pod.metadata.labels?.[OS_LABEL];
  if (label !== undefined && label !== "linux") {
    return {
      reason: "PodOSSelectorNodeLabelDoesNotMatch",
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    };
  }
  if (os && os.name !== "linux") {
    return {
      reason: "PodOSNotSupported",
      message: "Failed to admit pod as the OS field doesn't match node OS",
    };
  }
  // An extended resource that no node has may be one of the whole cluster.
  const [shortage] = shortagesOf(pod, info).filter(
    ({ resource }) => !resource.includes("/") || info.allocatable.has(resource),
  );
  if (shortage) return { reason: `OutOf${shortage.resource}`, message: textOf(shortage) };
  if (!isSelected(pod.spec, info.node)) return predicate("NodeAffinity", NODE_AFFINITY);
  if (hasPortConflict(pod, info)) return predicate("NodePorts", NODE_PORTS);
  if (untolerated(pod.spec.tolerations, info.node, ["NoExecute"])) {
    return predicate("TaintToleration", "node(s) had taints that the pod didn't tolerate");
  }
  return undefined;
}

const predicate = (name: string, reason: string): AdmissionProblem => ({
  reason: name,
  message: `Predicate ${name} failed: ${reason}`,
});

/** Amounts of processors are in thousandths, all others in units; both are rounded up. */
function textOf({ resource, requested, used, capacity }: Shortage): string {
  const unit = resource === "cpu" ? 1_000_000n : 1_000_000_000n;
  const [wants, takes, has] = [requested, used, capacity].map(
    (nanos) => (nanos + unit - 1n) / unit,
  );
  return `Node didn't have enough resource: ${resource}, requested: ${wants}, used: ${takes}, capacity: ${has}`;
}
