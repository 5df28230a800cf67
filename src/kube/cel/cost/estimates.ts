/**
 * Ranges of sizes and costs.
 *
 * They are Go's `uint64` there and doubles here: far below the limits they are exact, and beyond
 * them only "too much" counts.
 */

/** The largest estimate: nothing is known. */
export const UNKNOWN_MAX = 2 ** 64;

/** The cost of reading a text once, per character. */
export const STRING_TRAVERSAL_FACTOR = 0.1;
/** The additional cost per character of a pattern. */
export const REGEX_LENGTH_FACTOR = 0.25;

/** The range of a value's size: characters, bytes, items, entries. */
export interface SizeEstimate {
  readonly min: number;
  readonly max: number;
}

/** The range of an evaluation's cost. */
export type CostEstimate = SizeEstimate;

const capped = (value: number): number => Math.min(value, UNKNOWN_MAX);

/** A range of one value. */
export const exactly = (value: number): SizeEstimate => ({ min: value, max: value });

/** The range of an unknown size. */
export const UNKNOWN_SIZE: SizeEstimate = { min: 0, max: UNKNOWN_MAX };

/** The sum of the ranges. */
export const sumOf = (...parts: readonly SizeEstimate[]): SizeEstimate => ({
  min: capped(parts.reduce((sum, { min }) => sum + min, 0)),
  max: capped(parts.reduce((sum, { max }) => sum + max, 0)),
});

/** The product of two ranges. */
export const product = (left: SizeEstimate, right: SizeEstimate): SizeEstimate => ({
  min: capped(left.min * right.min),
  max: capped(left.max * right.max),
});

/** Each end times a factor, rounded up. */
export const scaled = (size: SizeEstimate, factor: number): SizeEstimate => ({
  min: capped(Math.ceil(size.min * factor)),
  max: capped(Math.ceil(size.max * factor)),
});

/** The range that covers both. */
export const unionOf = (left: SizeEstimate, right: SizeEstimate): SizeEstimate => ({
  min: Math.min(left.min, right.min),
  max: Math.max(left.max, right.max),
});
