/**
 * The order in which surplus pods are deleted.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#scaling-a-replicaset
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import { isReady, readySince, restartsOf } from "./pods.ts";
import { msOf } from "../../../kube/values/times.ts";

const PHASES = ["Pending", "Unknown", "Running"];
const COST = "controller.kubernetes.io/pod-deletion-cost";

/**
 * The pods in the order in which they are deleted: unassigned, pending, unready, low-cost, crowded,
 * recently ready, often restarted and young ones first.
 *
 * @param siblings - all pods of the owner: the number of them on a node counts
 */
export function rankForDeletion(
  pods: readonly Pod[],
  siblings: readonly Pod[],
  nowMs: number,
): Pod[] {
  const perNode = new Map<string, number>();
  for (const { spec } of siblings) {
    const node = spec.nodeName ?? "";
    perNode.set(node, (perNode.get(node) ?? 0) + 1);
  }
  const crowd = (pod: Pod): number => perNode.get(pod.spec.nodeName ?? "") ?? 0;
  return pods.toSorted(
    (left, right) =>
      Number(Boolean(left.spec.nodeName)) - Number(Boolean(right.spec.nodeName)) ||
      phaseRank(left) - phaseRank(right) ||
      Number(isReady(left)) - Number(isReady(right)) ||
      costOf(left) - costOf(right) ||
      crowd(right) - crowd(left) ||
      (isReady(left) && isReady(right)
        ? ageRank(readySince(left), nowMs) - ageRank(readySince(right), nowMs)
        : 0) ||
      restartsOf(right) - restartsOf(left) ||
      ageRank(createdAt(left), nowMs) - ageRank(createdAt(right), nowMs) ||
      (left.metadata.uid ?? "").localeCompare(right.metadata.uid ?? ""),
  );
}

const phaseRank = (pod: Pod): number => PHASES.indexOf(pod.status?.phase ?? "Pending");

const createdAt = (pod: Pod): number => msOf(pod.metadata.creationTimestamp);

function costOf(pod: Pod): number {
  const text = pod.metadata.annotations?.[COST] ?? "0";
  return /^-?(0|[1-9]\d*)$/.test(text) ? Number(text) : 0;
}

/** Ages count by their order of magnitude, so that pods of about the same age are equal. */
function ageRank(sinceMs: number, nowMs: number): number {
  const age = nowMs - sinceMs;
  return age <= 0 ? 0 : Math.floor(Math.log2(age * 1e6)) + 1;
}
