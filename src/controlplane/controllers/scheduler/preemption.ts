/**
 * Preemption: the node on which a pod would fit if pods of lower priority left it, and these pods.
 *
 * Pure.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/
 */
import { findCondition } from "../../../kube/progress/conditions.ts";
import { matchesLabelSelector } from "../../../kube/selectors/selector.ts";
import { msOf } from "../../../kube/values/times.ts";
import type { DisruptionBudget } from "../../builtin/kinds/policy/pod-disruption-budget.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { LabelSelector } from "../../builtin/shared/shapes.ts";
import { type Rejection, type SchedulingCycle, countedReasons } from "./filters.ts";
import { type NodeInfo, nodeInfo } from "./node-info.ts";

/** A node on which the pod would fit without the victims, the most important one first. */
export interface Candidate {
  readonly info: NodeInfo;
  readonly victims: readonly Pod[];
  /** How many of them a disruption budget protects. */
  readonly violations: number;
}

/** The outcome of a search for victims: a candidate, or the words about why there is none. */
type Preemption = { readonly candidate: Candidate } | { readonly problem: string };

const NOT_HELPFUL = "Preemption is not helpful for scheduling";
const NO_VICTIMS = "No preemption victims found for incoming pod";

export const priorityOf = ({ spec }: Pod): number => spec.priority ?? 0;

/** Searches the victims of a pod that every node rejects. */
export function preempt(
  cycle: SchedulingCycle,
  rejections: ReadonlyMap<NodeInfo, Rejection>,
  budgets: readonly DisruptionBudget[],
): Preemption {
  const { pod, nodes } = cycle;
  if (pod.spec.preemptionPolicy === "Never") {
    return { problem: "not eligible due to preemptionPolicy=Never." };
  }
  if (isWaiting(pod, nodes, rejections)) {
    return { problem: "not eligible due to a terminating pod on the nominated node." };
  }
  const candidates: Candidate[] = [];
  const problems: Rejection[] = [];
  for (const info of nodes) {
    const found = rejections.get(info)?.isResolvable
      ? victimsOn(cycle, info, budgets)
      : { reasons: [NOT_HELPFUL], isResolvable: false };
    if ("victims" in found) candidates.push(found);
    else problems.push(found);
  }
  const candidate = candidates.toSorted(byDamage)[0];
  if (candidate) return { candidate };
  return { problem: `0/${nodes.length} nodes are available: ${countedReasons(problems)}.` };
}

/** Whether victims of the pod are still ending on the node that was nominated for it. */
function isWaiting(
  pod: Pod,
  nodes: readonly NodeInfo[],
  rejections: ReadonlyMap<NodeInfo, Rejection>,
): boolean {
  const { nominatedNodeName = "" } = pod.status ?? {};
  const info = nodes.find(({ node }) => node.metadata.name === nominatedNodeName);
  if (!info || rejections.get(info)?.isResolvable === false) return false;
  return info.pods.some(
    (other) =>
      priorityOf(other) < priorityOf(pod) &&
      other.metadata.deletionTimestamp !== undefined &&
      findCondition(other.status?.conditions, "DisruptionTarget")?.reason ===
        "PreemptionByScheduler",
  );
}

/** The fewest and least important pods that have to leave the node for the pod. */
function victimsOn(
  cycle: SchedulingCycle,
  { node, pods }: NodeInfo,
  budgets: readonly DisruptionBudget[],
): Candidate | Rejection {
  const isLower = (other: Pod): boolean => priorityOf(other) < priorityOf(cycle.pod);
  const lower = pods.filter(isLower).toSorted(byImportance);
  if (lower.length === 0) return { reasons: [NO_VICTIMS], isResolvable: false };
  let info = nodeInfo(
    node,
    pods.filter((other) => !isLower(other)),
  );
  const rejectionIn = (state: NodeInfo): Rejection | undefined =>
    cycle.with(state).rejectionOf(state);
  const rejection = rejectionIn(info);
  if (rejection) return rejection;
  const [protectedOnes, others] = byBudget(lower, budgets);
  const victims = new Set<Pod>();
  // The most important ones are the first that may stay.
  for (const victim of [...protectedOnes, ...others]) {
    const kept = nodeInfo(node, [...info.pods, victim]);
    if (rejectionIn(kept)) victims.add(victim);
    else info = kept;
  }
  return {
    info,
    victims: lower.filter((victim) => victims.has(victim)),
    violations: protectedOnes.filter((victim) => victims.has(victim)).length,
  };
}

/** The pods whose deletion a disruption budget forbids, and the others. */
function byBudget(
  pods: readonly Pod[],
  budgets: readonly DisruptionBudget[],
): [violating: Pod[], others: Pod[]] {
  const left = new Map(budgets.map((one) => [one, one.status?.disruptionsAllowed ?? 0]));
  const violating: Pod[] = [];
  const others: Pod[] = [];
  for (const pod of pods) {
    const { namespace, name = "", labels = {} } = pod.metadata;
    const own = budgets.filter(
      ({ spec, metadata, status }) =>
        metadata.namespace === namespace &&
        Object.keys(labels).length > 0 &&
        !isEmpty(spec?.selector) &&
        matchesLabelSelector(spec?.selector, labels) &&
        status?.disruptedPods?.[name] === undefined,
    );
    for (const one of own) left.set(one, (left.get(one) ?? 0) - 1);
    (own.some((one) => (left.get(one) ?? 0) < 0) ? violating : others).push(pod);
  }
  return [violating, others];
}

/** A budget with an empty selector protects no pod from preemption. */
const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): boolean =>
  Object.keys(matchLabels).length + matchExpressions.length === 0;

const startOf = ({ status }: Pod): number => msOf(status?.startTime) || Infinity;

/** The highest priority first, then the longest running. */
const byImportance = (left: Pod, right: Pod): number =>
  priorityOf(right) - priorityOf(left) || compare(startOf(left), startOf(right));

/** The candidate that does the least damage first, by kube-scheduler's criteria. */
function byDamage(left: Candidate, right: Candidate): number {
  const highest = ({ victims: [first] }: Candidate): number =>
    first ? priorityOf(first) : -Infinity;
  const sum = ({ victims }: Candidate): number =>
    victims.reduce((total, pod) => total + priorityOf(pod) + 2 ** 31, 0);
  const latestStart = ({ victims }: Candidate): number =>
    Math.min(
      ...victims
        .filter((pod) => victims[0] && priorityOf(pod) === priorityOf(victims[0]))
        .map(startOf),
    );
  return (
    left.violations - right.violations ||
    compare(highest(left), highest(right)) ||
    sum(left) - sum(right) ||
    left.victims.length - right.victims.length ||
    compare(latestStart(right), latestStart(left))
  );
}

const compare = (left: number, right: number): number => (left < right ? -1 : left > right ? 1 : 0);
