/**
 * Numbers as Go holds and prints them, for messages of the API server.
 *
 * A parsed `1.0` and `1` are the same in JavaScript, so whole numbers count as `int64`, others as
 * `float64`. From 2^53 on an `int64` is a `bigint`, and a `number` a `float64`.
 */

/** Floats from this one on have an exponent in `%v`. */
const EXPONENT_FROM = 1e6;

/** Whether the API server holds the number as an `int64`. */
export function isInt64(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isSafeInteger(value);
}

/** Whether a value is a number, including a `bigint`. */
export function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** A number as Go's `%v` prints a `float64`. */
export function formatFloat(number: number | bigint): string {
  const value = Number(number);
  const size = Math.abs(value);
  const plain = value === 0 || (size >= 1e-4 && size < EXPONENT_FROM);
  if (plain) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

/** A number as Go's `%v` prints it: whole ones as an `int64`, with all digits. */
export function formatNumber(value: number | bigint): string {
  return isInt64(value) ? BigInt(value).toString() : formatFloat(value);
}
