import { findCondition } from "../../../kube/progress/conditions.ts";
import { timeOf } from "../../../kube/values/times.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";

/** The condition with the time of its last transition, which moves only when its status does. */
export function timed(before: readonly Condition[], change: Condition, nowMs: number): Condition {
  const known = findCondition(before, change.type);
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

/** The conditions without the one of that type. */
export const withoutCondition = (
  conditions: readonly Condition[] = [],
  type: string,
): Condition[] => conditions.filter((condition) => condition.type !== type);

interface Conditioned {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export const isTrue = ({ status }: Conditioned, type: string): boolean =>
  findCondition(status?.conditions, type)?.status === "True";
