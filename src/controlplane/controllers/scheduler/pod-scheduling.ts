/**
 * The nodes that a pod may run on.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
 */
import { matchesLabelSelector } from "../../../kube/selectors/selector.ts";
import type {
  NodeRequirement,
  NodeTerm,
  PodSpec,
  Toleration,
} from "../../builtin/shared/pods/pod-shapes.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";

type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

/** The effects of taints that keep pods from being put on a node. */
export const SCHEDULING_EFFECTS: readonly string[] = ["NoSchedule", "NoExecute"];

/** Whether the node's labels match the pod's node selector and affinity. */
export function isSelected(spec: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const selected = matchesLabelSelector({ matchLabels: spec.nodeSelector ?? {} }, labels);
  const terms =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (!selected || !terms) return selected;
  return terms.some((term) => isNodeOf(term, node));
}

/** Whether the term selects the node; an empty one selects none. */
export function isNodeOf(
  { matchExpressions = [], matchFields = [] }: NodeTerm,
  { metadata }: Node,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const { labels = {}, name = "" } = metadata;
  return (
    matchExpressions.every((requirement) => fulfils(requirement, labels)) &&
    matchFields.every((requirement) => fulfils(requirement, { "metadata.name": name }))
  );
}

/**
 * The names of the only nodes that the pod's affinity allows, as its fields name them; `undefined`
 * when it names none.
 */
export function namedNodes({ affinity }: PodSpec): ReadonlySet<string> | undefined {
  const { nodeSelectorTerms: terms = [] } =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  const named = new Set<string>();
  for (const { matchFields = [] } of terms ?? []) {
    const lists = matchFields
      .filter(({ key, operator }) => key === "metadata.name" && operator === "In")
      .map(({ values = [] }) => values);
    const [first] = lists;
    // The terms are alternatives: one without a name allows nodes of any name.
    if (!first) return undefined;
    for (const name of first) if (lists.every((names) => names.includes(name))) named.add(name);
  }
  return terms && terms.length > 0 ? named : undefined;
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
