/**
 * Conditions of a status: one per type, with the time of its last change.
 *
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
 */
import { timeOf } from "../values/times.ts";

/** A condition of a status, as in `meta/v1`. */
export interface StatusCondition {
  type: string;
  status: "True" | "False" | "Unknown";
  /** One word in CamelCase. */
  reason: string;
  /** A sentence for people. */
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

/** A condition to set. */
export type ConditionChange = Omit<StatusCondition, "lastTransitionTime">;

/**
 * The conditions with `change` among them. `lastTransitionTime` moves only when the status does, so
 * the same change again gives an equal list.
 *
 * @example
 * await client.status.patch(web, (status) => ({
 *   conditions: setCondition(
 *     status?.conditions,
 *     { type: "Ready", status: "True", reason: "Served", message: "The page is served." },
 *     nowMs,
 *   ),
 * }));
 *
 * @param nowMs - wall time in milliseconds: `context.nowMs` in a reconciler
 */
export function setCondition<C extends StatusCondition>(
  conditions: readonly C[] | undefined,
  change: ConditionChange,
  nowMs: number,
): (C | StatusCondition)[] {
  const known = conditions ?? [];
  const old = findCondition(known, change.type);
  const lastTransitionTime = old?.status === change.status ? old.lastTransitionTime : timeOf(nowMs);
  const next = { ...change, lastTransitionTime };
  return old ? known.map((condition) => (condition === old ? next : condition)) : [...known, next];
}

/**
 * The condition of a type, if there is one.
 *
 * @example
 * const isReady = findCondition(web.status?.conditions, "Ready")?.status === "True";
 */
export function findCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** What a condition of one type may become. */
export interface ConditionChanges {
  readonly true: (reason: string, message: string) => ConditionChange;
  readonly false: (reason: string, message: string) => ConditionChange;
  readonly unknown: (reason: string, message: string) => ConditionChange;
}

/**
 * Writes the changes of one condition: `ready.true(reason, message)` is a change for `setCondition`.
 *
 * @example
 * const ready = conditionOfType("Ready");
 * const change = ready.false("NoPodsReady", "No pod is ready.");
 * await client.status.patch(web, (status) => ({
 *   conditions: setCondition(status?.conditions, change, nowMs),
 * }));
 */
export function conditionOfType(type: string): ConditionChanges {
  const becomes =
    (status: StatusCondition["status"]) =>
    (reason: string, message: string): ConditionChange => ({ type, status, reason, message });
  return { true: becomes("True"), false: becomes("False"), unknown: becomes("Unknown") };
}
