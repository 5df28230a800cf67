/**
 * Summaries of several conditions, in the words that kubectl, Flux and Argo CD understand.
 *
 * @see https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
 */
import {
  findCondition,
  setCondition,
  type ConditionChange,
  type StatusCondition,
} from "./conditions.ts";

/** The parts of a summary. */
export interface SummaryOptions {
  /**
   * The conditions that must hold for `Ready`: ones that this call sets, and the types of others
   * that are among the conditions. One that is missing, or of an older generation, is `Unknown`.
   */
  readonly ready: readonly (ConditionChange | string)[];
  /**
   * The conditions of which a `True` one means that the object cannot progress by itself, so that a
   * person must change something.
   */
  readonly stalled?: readonly (ConditionChange | string)[];
  /** The generation of the observed object: `web.metadata.generation`. */
  readonly observedGeneration: number | undefined;
  /** The types of the other two; `Reconciling` and `Stalled`, which kstatus knows, when absent. */
  readonly names?: { readonly reconciling?: string; readonly stalled?: string };
}

/**
 * The conditions with the given ones set, and with `Ready`, `Reconciling` and `Stalled` summarized
 * from them: `Ready` is `False` when a part is, `Unknown` when one is, and `True` otherwise;
 * `Reconciling` is `True` while the object is neither ready nor stalled. For kstatus that is
 * Current, InProgress, or Failed. The same call again gives an equal list.
 *
 * @example
 * await client.status.patch(web, (status) => ({
 *   observedGeneration: web.metadata.generation,
 *   conditions: summarize(
 *     status?.conditions,
 *     { ready: [served, certified], stalled: [refused], observedGeneration: web.metadata.generation },
 *     nowMs,
 *   ),
 * }));
 *
 * @param nowMs - wall time in milliseconds: `context.nowMs` in a reconciler
 */
export function summarize<C extends StatusCondition>(
  conditions: readonly C[] | undefined,
  { ready, stalled = [], observedGeneration, names = {} }: SummaryOptions,
  nowMs: number,
): (C | StatusCondition)[] {
  let all: readonly (C | StatusCondition)[] = conditions ?? [];
  const generation = observedGeneration === undefined ? {} : { observedGeneration };
  const set = (change: ConditionChange): void => {
    all = setCondition(all, { ...generation, ...change }, nowMs);
  };
  for (const part of [...ready, ...stalled]) if (typeof part !== "string") set(part);
  const stateOf = (part: ConditionChange | string): Part => {
    const type = typeof part === "string" ? part : part.type;
    return partOf(type, findCondition(all, type), observedGeneration);
  };
  const missing = ready.map(stateOf).filter(({ status }) => status !== "True");
  const stops = stalled.map(stateOf).filter(({ status }) => status === "True");
  const [worst] = [...missing.filter(({ status }) => status === "False"), ...missing];
  set({
    type: "Ready",
    ...(worst
      ? { status: worst.status, reason: worst.reason, message: said(missing) }
      : { status: "True", reason: "Ready", message: "Everything is as specified." }),
  });
  const [stop] = stops;
  set({
    type: names.reconciling ?? "Reconciling",
    ...(worst && !stop
      ? { status: "True", reason: worst.reason, message: said(missing) }
      : {
          status: "False",
          reason: stop ? stop.reason : "Ready",
          message: "Nothing is in progress.",
        }),
  });
  set({
    type: names.stalled ?? "Stalled",
    ...(stop
      ? { status: "True", reason: stop.reason, message: said(stops) }
      : { status: "False", reason: "NotStalled", message: "Nothing prevents progress." }),
  });
  return [...all];
}

type Part = Pick<StatusCondition, "type" | "status" | "reason" | "message">;

/** The part of a condition about the object as it is now. */
function partOf(type: string, found: StatusCondition | undefined, observedGeneration = 0): Part {
  if (!found)
    return { type, status: "Unknown", reason: "Unknown", message: "nothing is known yet" };
  if ((found.observedGeneration ?? observedGeneration) >= observedGeneration) return found;
  const message = `generation ${found.observedGeneration ?? 0} was observed, not ${observedGeneration}`;
  return { type, status: "Unknown", reason: "Outdated", message };
}

/** `Served: no pod is ready; Certified: the order is pending`. */
const said = (parts: readonly Part[]): string =>
  parts.map(({ type, message }) => `${type}: ${message}`).join("; ");
