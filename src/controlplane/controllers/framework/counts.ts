import type { IntOrString } from "../../builtin/shared/shapes.ts";

/** A count, or the share of `total` that a percentage gives; 0 when absent. */
export function shareOf(
  value: IntOrString | undefined,
  total: number,
  round: "up" | "down" = "up",
): number {
  if (value === undefined) return 0;
  if (typeof value === "number") return value;
  const share = (total * Number.parseInt(value, 10)) / 100;
  return round === "up" ? Math.ceil(share) : Math.floor(share);
}

/** The counts that are not 0: a status leaves out the others. */
export function nonZero<T extends object>(counts: T): Partial<T> {
  const found: Partial<T> = { ...counts };
  for (const name in found) if (found[name] === 0) delete found[name];
  return found;
}

/** The shortest of the waits in milliseconds that are not over; `undefined` when there is none. */
export function shortest(waits: readonly (number | undefined)[]): number | undefined {
  const soonest = Math.min(...waits.map((ms) => (ms !== undefined && ms > 0 ? ms : Infinity)));
  return soonest === Infinity ? undefined : soonest;
}
