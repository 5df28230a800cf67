/**
 * Quantities: `500m`, `1.5Gi`, `1e3`. Parsing, the canonical form, order and sum.
 *
 * Values are exact: whole billionths in a bigint. Finer values are rounded up, away from zero, as
 * in the API server. A text that already is in canonical form keeps its spelling.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
import { TsopError } from "../../errors.ts";

type Format = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** A parsed quantity. */
export interface Quantity {
  /** The value in billionths. */
  readonly nanos: bigint;
  /** The family of suffixes in which it is written. */
  readonly format: Format;
  /** The spelling to keep, when the text was canonical. */
  readonly text?: string;
}

const BILLION = 1_000_000_000n;
const MILLI = 1_000_000n;
const MAX_BINARY = (2n ** 63n - 1n) * BILLION;
/** The largest exponent: a larger one is only a way to exhaust memory. */
const MAX_EXPONENT = 1000;
/** As many digits as the API server handles without arbitrary precision. */
const MAX_DIGITS = 18;
const GRAMMAR = /^([+-]?)0*(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;

const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const BINARY_SUFFIXES: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

const formatError = (): TsopError =>
  quantityError(
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  );

function quantityError(message: string): TsopError {
  return new TsopError(
    "bad-quantity",
    message,
    "Write a number with an optional suffix, such as 500m, 2 or 1.5Gi.",
  );
}

/**
 * Reads a quantity; a JSON number counts as its text.
 *
 * @throws TsopError `bad-quantity` with the API server's message
 */
export function parseQuantity(written: string | number): Quantity {
  const text = String(written).trim();
  const match = text === "" ? null : GRAMMAR.exec(text);
  if (!match) throw formatError();
  const [, sign = "", whole = "", fraction = "", suffix = ""] = match;
  const { base, exponent, format } = interpretSuffix(suffix);
  const digits = (whole === "" ? "0" : whole) + fraction;
  const signed = sign === "-" ? -1n : 1n;

  let nanos: bigint;
  if (base === 2) {
    nanos = divideUp(
      BigInt(digits) * 2n ** BigInt(exponent) * BILLION,
      10n ** BigInt(fraction.length),
    );
    if (nanos > MAX_BINARY) nanos = MAX_BINARY;
  } else {
    const shift = exponent - fraction.length + 9;
    nanos =
      shift >= 0
        ? BigInt(digits) * 10n ** BigInt(shift)
        : divideUp(BigInt(digits), 10n ** BigInt(-shift));
  }
  if (isCanonicalSpelling(digits, fraction.length, exponent, format)) {
    return { nanos: signed * nanos, format, text };
  }
  const small = format === "BinarySI" && nanos > 0n && nanos < BILLION;
  return { nanos: signed * nanos, format: small ? "DecimalSI" : format };
}

function interpretSuffix(suffix: string): {
  base: 2 | 10;
  exponent: number;
  format: Format;
} {
  const decimal = DECIMAL_SUFFIXES.get(suffix);
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: "DecimalSI" };
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  if (binary > 0) return { base: 2, exponent: binary * 10, format: "BinarySI" };
  if (/^[eE][-+]?\d+$/.test(suffix)) {
    const exponent = Number(suffix.slice(1));
    if (Math.abs(exponent) <= MAX_EXPONENT) {
      return { base: 10, exponent, format: "DecimalExponent" };
    }
  }
  throw quantityError("unable to parse quantity's suffix");
}

/** Whether the API server would keep the text as it was written. */
function isCanonicalSpelling(
  digits: string,
  decimals: number,
  exponent: number,
  format: Format,
): boolean {
  if (digits.length > MAX_DIGITS) return false;
  if (format === "BinarySI") {
    const room = 15 - digits.length - Math.trunc(exponent * 0.3) - 1;
    return decimals === 0 && room >= 0 && (BigInt(digits) & 7n) !== 0n;
  }
  const scale = exponent - decimals;
  return scale >= -9 && scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
}

const divideUp = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor;

/** The canonical text: the largest suffix that leaves a whole number. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  const { nanos } = quantity;
  if (nanos === 0n) return "0";
  const sign = nanos < 0n ? "-" : "";
  const magnitude = nanos < 0n ? -nanos : nanos;
  // Binary suffixes have no fractions, so a value with one is written in decimal.
  if (
    quantity.format === "BinarySI" &&
    magnitude >= 1024n * BILLION &&
    magnitude % BILLION === 0n
  ) {
    let value = magnitude / BILLION;
    let step = 0;
    while (value % 1024n === 0n && step < BINARY_SUFFIXES.length - 1) {
      value /= 1024n;
      step++;
    }
    return `${sign}${value}${BINARY_SUFFIXES[step] ?? ""}`;
  }
  let value = magnitude;
  let exponent = -9;
  while (value % 1000n === 0n) {
    value /= 1000n;
    exponent += 3;
  }
  return `${sign}${value}${decimalSuffix(exponent, quantity.format)}`;
}

function decimalSuffix(exponent: number, format: Format): string {
  if (format === "DecimalExponent") return exponent === 0 ? "" : `e${exponent}`;
  for (const [suffix, of] of DECIMAL_SUFFIXES) if (of === exponent) return suffix;
  return `e${exponent}`;
}

/** The quantity in whole thousandths, rounded up: the finest that a resource list holds. */
export function roundUpToMilli(quantity: Quantity): Quantity {
  if (quantity.nanos % MILLI === 0n) return quantity;
  const negative = quantity.nanos < 0n;
  const magnitude = divideUp(negative ? -quantity.nanos : quantity.nanos, MILLI) * MILLI;
  return { nanos: negative ? -magnitude : magnitude, format: quantity.format };
}

/** Negative, zero or positive, as `left` is smaller, equal or larger. */
export function compareQuantities(left: Quantity, right: Quantity): number {
  return left.nanos < right.nanos ? -1 : left.nanos > right.nanos ? 1 : 0;
}

/**
 * Negative, zero or positive, as the amount `left` is smaller, equal or larger.
 *
 * @throws TsopError `bad-quantity`
 */
export const compareAmounts = (left: string | number, right: string | number): number =>
  compareQuantities(parseQuantity(left), parseQuantity(right));

/** The sum, written in the suffixes of `left` (of `right` when `left` is zero). */
export function addQuantities(left: Quantity, right: Quantity): Quantity {
  return {
    nanos: left.nanos + right.nanos,
    format: left.nanos === 0n ? right.format : left.format,
  };
}

/** The difference, written as `addQuantities` writes a sum. */
export function subtractQuantities(left: Quantity, right: Quantity): Quantity {
  return addQuantities(left, { nanos: -right.nanos, format: right.format });
}

/** The product with a whole number, in the same suffixes. */
export function multiplyQuantity({ nanos, format }: Quantity, factor: bigint): Quantity {
  return { nanos: nanos * factor, format };
}
