/**
 * Numbers as Go holds and prints them: messages of the API server show them so.
 *
 * A parsed `1.0` and `1` are the same in JavaScript, so whole numbers count as `int64`, others as `float64`.
 *
 * @module
 */

const INT64_LIMIT = 2 ** 63;
/** From here on `%v` prints a float with an exponent. */
const EXPONENT_FROM = 1e6;

/** Whether the API server holds the number as an `int64`. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -INT64_LIMIT && value < INT64_LIMIT;
}

/** A number as Go's `%v` prints a `float64`. */
export function formatFloat(value: number): string {
  const size = Math.abs(value);
  const plain = value === 0 || (size >= 1e-4 && size < EXPONENT_FROM);
  if (plain) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

/** A number as Go's `%v` prints it: whole ones as an `int64`, with all digits. */
export function formatNumber(value: number): string {
  return isInt64(value) ? BigInt(value).toString() : formatFloat(value);
}
