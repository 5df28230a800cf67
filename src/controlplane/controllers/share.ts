/** Counts that may be given as percentages. */
import type { IntOrString } from "../builtin/shared/shapes.ts";

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
