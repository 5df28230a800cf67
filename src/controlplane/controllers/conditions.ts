/** The conditions in the status of built-in objects. */
import { timeOf } from "../../kube/values/times.ts";
import type { Condition } from "../builtin/shared/shapes.ts";

/**
 * The conditions with one of them set, in its place. The time of its last transition moves only
 * when its status does.
 */
export function withCondition(
  conditions: readonly Condition[] = [],
  change: Condition,
  nowMs: number,
): Condition[] {
  const known = conditions.find(({ type }) => type === change.type);
  const since = known?.status === change.status ? known.lastTransitionTime : undefined;
  const next: Condition = { ...change, lastTransitionTime: since ?? timeOf(nowMs) };
  return known
    ? conditions.map((condition) => (condition === known ? next : condition))
    : [...conditions, next];
}
