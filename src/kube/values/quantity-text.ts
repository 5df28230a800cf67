/**
 * Arithmetic with quantities as specs have them: `500m`, `1.5Gi`.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
import { TsopError } from "../../errors.ts";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  multiplyQuantity,
  parseQuantity,
  subtractQuantities,
} from "./quantity.ts";
import type { Quantity as QuantityText } from "../scalars.ts";

/** An amount with a unit, such as `500m` or `2Gi`. Numbers are taken as well. */
export type Quantity = QuantityText;

const BILLION = 1_000_000_000n;

/**
 * Exact arithmetic with quantities. Each function throws a TsopError `bad-quantity` for invalid
 * ones.
 */
interface QuantityArithmetic {
  /** The sum, in the suffixes of the first that is not zero. */
  readonly add: (...terms: readonly Quantity[]) => string;
  /** The difference, in the suffixes of `left`. */
  readonly subtract: (left: Quantity, right: Quantity) => string;
  /**
   * The product with a whole number.
   *
   * @throws TsopError `quantity-factor` for a number with a fraction
   */
  readonly multiply: (quantity: Quantity, factor: number | bigint) => string;
  /** Negative, zero or positive, as `left` is smaller, equal or larger: also for `sort`. */
  readonly compare: (left: Quantity, right: Quantity) => number;
  /** The canonical text, as the API server stores it: `1024Ki` is `1Mi`. */
  readonly format: (quantity: Quantity) => string;
  /** Whole units, rounded up, as Go's `Value`: bytes, cores. */
  readonly value: (quantity: Quantity) => bigint;
  /** The nearest number: `0.5` of `500m`. */
  readonly number: (quantity: Quantity) => number;
}

/**
 * Exact arithmetic with quantities, as the API server does it.
 *
 * @example
 * const memory = Quantity.add("1Gi", Quantity.multiply("64Mi", web.spec.replicas));
 * const isSmall = Quantity.compare(memory, "2Gi") < 0;
 */
export const Quantity: QuantityArithmetic = {
  add: (...terms) => canonical(terms.map(parseQuantity).reduce(addQuantities, parseQuantity(0))),
  subtract: (left, right) =>
    canonical(subtractQuantities(parseQuantity(left), parseQuantity(right))),
  multiply: (quantity, factor) =>
    canonical(multiplyQuantity(parseQuantity(quantity), wholeFactor(factor))),
  compare: (left, right) => compareQuantities(parseQuantity(left), parseQuantity(right)),
  format: (quantity) => canonical(parseQuantity(quantity)),
  value: (quantity) => {
    const { nanos } = parseQuantity(quantity);
    const size = nanos < 0n ? -nanos : nanos;
    const whole = (size + BILLION - 1n) / BILLION;
    return nanos < 0n ? -whole : whole;
  },
  number: (quantity) => Number(parseQuantity(quantity).nanos) / 1e9,
};

/** The canonical form, whatever spelling was parsed. */
function canonical({ nanos, format }: ReturnType<typeof parseQuantity>): string {
  return formatQuantity({ nanos, format });
}

function wholeFactor(factor: number | bigint): bigint {
  if (typeof factor === "bigint" || Number.isSafeInteger(factor)) return BigInt(factor);
  throw new TsopError(
    "quantity-factor",
    `A quantity cannot be multiplied by ${factor}, which is not a whole number.`,
    "Multiply by a whole number, or calculate with Quantity.number().",
  );
}
