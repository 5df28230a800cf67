/** The conditions in the status of built-in objects. */
import { timeOf } from "../../kube/values/times.ts";
import type { Condition } from "../builtin/shared/shapes.ts";

/** The condition with the time of its last transition, which moves only when its status does. */
export function timed(before: readonly Condition[], change: Condition, nowMs: number): Condition {
  const known = before.find(({ type }) => type === change.type);
  const since = known?.status === change.status ? known.lastTransitionTime : undefined;
  return { ...change, lastTransitionTime: since ?? timeOf(nowMs) };
}

/** The conditions with one of them set, in its place, with the time of its last transition. */
export function withCondition(
  conditions: readonly Condition[] = [],
  change: Condition,
  nowMs: number,
): Condition[] {
  const next = timed(conditions, change, nowMs);
  const at = conditions.findIndex(({ type }) => type === change.type);
  return at < 0 ? [...conditions, next] : conditions.with(at, next);
}
