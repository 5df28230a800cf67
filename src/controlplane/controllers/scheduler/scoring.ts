/**
 * The choice among the nodes that a pod fits, by the weights of kube-scheduler's plugins.
 *
 * @see https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { ControllerClient } from "../framework/client.ts";
import { byName } from "../framework/keys.ts";
import { type NodeInfo, shareOf } from "./node-info.ts";
import { affinityScores } from "./pod-affinity.ts";
import { isNodeOf, tolerates } from "./pod-scheduling.ts";
import { constraintsOf, countsOf } from "./topology-spread.ts";

const BEST = 100;

/** The node that a pod should be put on, of those that it fits; the first by name among equals. */
export function bestOf(
  client: ControllerClient,
  pod: Pod,
  nodes: readonly NodeInfo[],
): NodeInfo | undefined {
  if (nodes.length < 2) return nodes[0];
  const total = new Map<NodeInfo, number>();
  const add = (weight: number, scores: readonly number[]): void => {
    for (const [place, info] of nodes.entries()) {
      total.set(info, (total.get(info) ?? 0) + weight * (scores[place] ?? 0));
    }
  };
  add(3, fewestFirst(nodes.map((info) => untoleratedCount(pod, info))));
  add(2, mostFirst(nodes.map((info) => nodePreference(pod, info))));
  const neighbors = affinityScores(client, pod, nodes);
  add(2, scaled(nodes.map((info) => neighbors.get(info) ?? 0)));
  for (const constraint of constraintsOf(pod, "ScheduleAnyway")) {
    const counts = countsOf(pod, constraint, nodes);
    const { topologyKey } = constraint;
    const countOf = ({ node }: NodeInfo): number =>
      counts.get(node.metadata.labels?.[topologyKey] ?? "") ?? Infinity;
    add(2, fewestFirst(nodes.map(countOf)));
  }
  add(
    1,
    nodes.map((info) => freeShare(pod, info)),
  );
  return nodes.toSorted(
    (left, right) =>
      (total.get(right) ?? 0) - (total.get(left) ?? 0) ||
      left.pods.length - right.pods.length ||
      byName(left.node, right.node),
  )[0];
}

/** The share of the processors and of the memory that the pod would leave free, in percent. */
function freeShare(pod: Pod, { allocatable, requested }: NodeInfo): number {
  const { requests } = shareOf(pod);
  const shares = ["cpu", "memory"].map((resource) => {
    const capacity = Number(allocatable.get(resource) ?? 0n);
    const used = Number((requested.get(resource) ?? 0n) + (requests.get(resource) ?? 0n));
    return capacity === 0 ? 0 : Math.floor((BEST * Math.max(0, capacity - used)) / capacity);
  });
  return Math.floor(shares.reduce((sum, share) => sum + share, 0) / shares.length);
}

const untoleratedCount = ({ spec }: Pod, { node }: NodeInfo): number =>
  (node.spec?.taints ?? []).filter(
    (taint) =>
      taint.effect === "PreferNoSchedule" &&
      !(spec.tolerations ?? []).some((one) => tolerates(one, taint)),
  ).length;

const nodePreference = ({ spec }: Pod, { node }: NodeInfo): number =>
  (spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
    .filter(({ preference }) => isNodeOf(preference, node))
    .reduce((sum, { weight }) => sum + weight, 0);

/** Scores from 0 to 100: the largest number is the best. */
function mostFirst(numbers: readonly number[]): number[] {
  const most = Math.max(...numbers);
  return numbers.map((one) => (most === 0 ? 0 : Math.floor((BEST * one) / most)));
}

/** Scores from 0 to 100: the smallest number is the best, and one that is infinite the worst. */
function fewestFirst(numbers: readonly number[]): number[] {
  const most = Math.max(...numbers.filter(Number.isFinite), 0);
  return numbers.map((one) => {
    if (one === Infinity) return 0;
    return most === 0 ? BEST : BEST - Math.floor((BEST * one) / most);
  });
}

/** Scores from 0 for the smallest number to 100 for the largest. */
function scaled(numbers: readonly number[]): number[] {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return numbers.map((one) =>
    most === least ? 0 : Math.floor((BEST * (one - least)) / (most - least)),
  );
}
