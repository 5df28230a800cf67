/**
 * Topology spread constraints: how evenly the pods that a constraint selects are spread.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/
 */
import { matchesLabelSelector } from "../../../kube/selectors/selector.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { SpreadConstraint } from "../../builtin/shared/pods/pod-shapes.ts";
import type { NodeInfo } from "./node-info.ts";
import { SCHEDULING_EFFECTS, isSelected, untolerated } from "./pod-scheduling.ts";

/** The verdict on a node. */
export type SpreadProblem = "missing label" | "skew";

const hasLabels = ({ metadata }: Node, constraints: readonly SpreadConstraint[]): boolean =>
  constraints.every(({ topologyKey }) => metadata.labels?.[topologyKey] !== undefined);

/** The constraints of a pod that forbid nodes, or those that only prefer some. */
export const constraintsOf = (
  { spec }: Pod,
  whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway",
): readonly SpreadConstraint[] =>
  (spec.topologySpreadConstraints ?? []).filter(
    (one) => one.whenUnsatisfiable === whenUnsatisfiable,
  );

/** The numbers of the pods that a constraint selects, in the domains that count. */
export function countsOf(
  pod: Pod,
  constraint: SpreadConstraint,
  nodes: readonly NodeInfo[],
): Map<string, number> {
  const { topologyKey, labelSelector } = constraint;
  const counts = new Map<string, number>();
  for (const { node, pods } of nodes) {
    const domain = node.metadata.labels?.[topologyKey];
    if (domain === undefined || !isEligible(pod, constraint, node)) continue;
    const selected = pods.filter(
      ({ metadata }) =>
        metadata.namespace === pod.metadata.namespace &&
        metadata.deletionTimestamp === undefined &&
        matchesLabelSelector(labelSelector, metadata.labels),
    );
    counts.set(domain, (counts.get(domain) ?? 0) + selected.length);
  }
  return counts;
}

/** Whether the node counts for a constraint. */
function isEligible(pod: Pod, constraint: SpreadConstraint, node: Node): boolean {
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  if (nodeAffinityPolicy === "Honor" && !isSelected(pod.spec, node)) return false;
  return (
    nodeTaintsPolicy !== "Honor" ||
    untolerated(pod.spec.tolerations, node, SCHEDULING_EFFECTS) === undefined
  );
}

/** The nodes that the constraints of a pod allow it. */
export class TopologySpread {
  readonly #pod: Pod;
  readonly #constraints: readonly {
    readonly constraint: SpreadConstraint;
    readonly counts: ReadonlyMap<string, number>;
    readonly fewest: number;
  }[];

  constructor(pod: Pod, nodes: readonly NodeInfo[]) {
    this.#pod = pod;
    const constraints = constraintsOf(pod, "DoNotSchedule");
    const labeled = nodes.filter(({ node }) => hasLabels(node, constraints));
    this.#constraints = constraints.map((constraint) => {
      const counts = countsOf(pod, constraint, labeled);
      const { minDomains = 1 } = constraint;
      const fewest = counts.size < minDomains ? 0 : Math.min(...counts.values());
      return { constraint, counts, fewest };
    });
  }

  problemOf({ node }: NodeInfo): SpreadProblem | undefined {
    const { labels } = this.#pod.metadata;
    for (const { constraint, counts, fewest } of this.#constraints) {
      const domain = node.metadata.labels?.[constraint.topologyKey];
      if (domain === undefined) return "missing label";
      const own = matchesLabelSelector(constraint.labelSelector, labels) ? 1 : 0;
      const skew = (counts.get(domain) ?? 0) + own - (fewest === Infinity ? 0 : fewest);
      if (skew > constraint.maxSkew) return "skew";
    }
    return undefined;
  }
}
