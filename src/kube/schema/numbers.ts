/**
 * Checks of numbers as the API server makes them: whole numbers are `int64`, others `float64`.
 *
 * A parsed `1.0` and `1` are the same in JavaScript, so both count as whole; from 2^53 on an
 * `int64` is a `bigint`.
 */
import { formatFloat, formatNumber, isInt64 } from "../text/go-number.ts";
import { breaks, breaksWhole, type Outcome } from "./outcome.ts";
import type { Schema } from "./structural.ts";

const INT32_LIMIT = 2 ** 31;
const INT64_LIMIT = 2 ** 63;
const FLOAT32_MAX = 3.4028234663852886e38;
/** Relative error up to which a quotient counts as whole. */
const TOLERANCE = 1e-9;

/** Whether a float may stand for an integer: whole, and exact as a double. */
export function isWholeFloat(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  if (value === whole) return true;
  return Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < TOLERANCE;
}

/** The type and format that the range of a number is checked for. */
interface NumberType {
  readonly type: string;
  readonly format: string;
}

function fitsType(value: number | bigint, { type, format }: NumberType): boolean {
  if (type === "integer") {
    if (typeof value === "number" && !Number.isInteger(value)) return false;
    // The shortest text of the float -2^63 is of a number below it.
    const isBelow = typeof value === "number" ? value <= -INT64_LIMIT : value < -INT64_LIMIT;
    if (isBelow || value >= INT64_LIMIT) return false;
    return format !== "int32" || (value >= -INT32_LIMIT && value < INT32_LIMIT);
  }
  return format !== "float" || Math.abs(Number(value)) <= FLOAT32_MAX;
}

function isMultiple(value: number | bigint, factor: number, whole: boolean): boolean {
  if (typeof value === "bigint") return value % BigInt(factor) === 0n;
  if (!Number.isInteger(factor)) {
    return isWholeFloat(factor < 1 ? (1 / factor) * value : value / factor);
  }
  return value % factor === 0 || (!whole && isWholeFloat(value / factor));
}

/**
 * Checks range, limits and multiples.
 *
 * @param typed - the one type of the schema if it is `integer` or `number`, and its format
 * @param outcome - receives the failures
 */
export function checkNumber(
  schema: Schema,
  value: number | bigint,
  path: string,
  typed: NumberType,
  outcome: Outcome,
): void {
  const whole = isInt64(value);
  const show = whole ? formatNumber : formatFloat;
  const inRange = (number: number | bigint, what: string): boolean => {
    if (fitsType(number, typed)) return true;
    const format = typed.format === "" ? "(default format)" : `with format ${typed.format}`;
    outcome.add(breaksWhole(`${what} value must be of type ${typed.type} ${format} in ${path}`));
    return false;
  };
  /** Limits of whole numbers lose their fraction, as the API server casts them. */
  const limitOf = (limit: number, what: string): number =>
    inRange(limit, what) && whole ? Math.trunc(limit) : limit;

  inRange(value, "Checked");
  if (schema.multipleOf !== undefined) {
    const factor = limitOf(schema.multipleOf, "MultipleOf");
    if (factor <= 0) {
      const shown = show(factor);
      outcome.add(
        breaks(path, factor, `factor MultipleOf declared for ${path} must be positive: ${shown}`),
      );
    } else {
      const fits = isMultiple(value, factor, whole);
      if (!fits) {
        outcome.add(breaks(path, value, `${path} in body should be a multiple of ${show(factor)}`));
      }
    }
  }
  if (schema.minimum !== undefined) {
    const limit = limitOf(schema.minimum, "Minimum boundary");
    if (schema.exclusiveMinimum ? value <= limit : value < limit) {
      const words = schema.exclusiveMinimum ? "greater than" : "greater than or equal to";
      outcome.add(breaks(path, value, `${path} in body should be ${words} ${show(limit)}`));
    }
  }
  if (schema.maximum !== undefined) {
    const limit = limitOf(schema.maximum, "Maximum boundary");
    if (schema.exclusiveMaximum ? value >= limit : value > limit) {
      const words = schema.exclusiveMaximum ? "less than" : "less than or equal to";
      outcome.add(breaks(path, value, `${path} in body should be ${words} ${show(limit)}`));
    }
  }
  outcome.matches++;
}
