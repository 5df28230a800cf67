/**
 * The nodes that a pod may run on.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
 */
import { matchesLabelSelector } from "../../../kube/selectors/selector.ts";
import type { NodeRequirement, PodSpec, Toleration } from "../../builtin/shared/pods/pod-shapes.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";

type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

/** Whether the node's labels match the pod's node selector and affinity. */
export function isSelected(spec: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const selected = matchesLabelSelector({ matchLabels: spec.nodeSelector ?? {} }, labels);
  const terms =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (!selected || !terms) return selected;
  return terms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length + matchFields.length === 0) return false;
    const name = { "metadata.name": node.metadata.name ?? "" };
    return (
      matchExpressions.every((requirement) => fulfils(requirement, labels)) &&
      matchFields.every((requirement) => fulfils(requirement, name))
    );
  });
}

function fulfils(requirement: NodeRequirement, labels: Readonly<Record<string, string>>): boolean {
  const { key, operator, values = [] } = requirement;
  if (operator === "Gt" || operator === "Lt") {
    const value = Number(labels[key] ?? Number.NaN);
    return operator === "Gt" ? value > Number(values[0]) : value < Number(values[0]);
  }
  return matchesLabelSelector({ matchExpressions: [{ key, operator, values }] }, labels);
}

/** The first taint, of those with one of the effects, that the pod does not tolerate. */
export function untolerated(
  tolerations: readonly Toleration[] | undefined,
  node: Node,
  effects: readonly string[],
): Taint | undefined {
  return node.spec?.taints?.find(
    (taint) =>
      effects.includes(taint.effect) &&
      !(tolerations ?? []).some((toleration) => tolerates(toleration, taint)),
  );
}

/** Whether the toleration covers the taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === "Exists") return true;
  return Boolean(toleration.key) && (toleration.value ?? "") === (taint.value ?? "");
}
