/** Arithmetic and order, exact and with overflow as an error. */
import { Duration, Timestamp } from "../time.ts";
import {
  CelError,
  CelList,
  type CelValue,
  compareNumbers,
  INT_MAX,
  INT_MIN,
  isNumeric,
  noSuchOverload,
  Uint,
  UINT_MAX,
} from "../values.ts";

type Result = CelValue | CelError;

const int = (value: bigint): Result =>
  value > INT_MAX || value < INT_MIN ? new CelError("integer overflow") : value;
const uint = (value: bigint): Result =>
  value > UINT_MAX || value < 0n ? new CelError("unsigned integer overflow") : new Uint(value);

/** Applies the operation of the operands' common type. */
function onNumbers(
  left: CelValue,
  right: CelValue,
  integers: (left: bigint, right: bigint) => bigint | CelError,
  doubles: ((left: number, right: number) => number) | undefined,
): Result {
  if (typeof left === "bigint" && typeof right === "bigint") {
    const result = integers(left, right);
    return result instanceof CelError ? result : int(result);
  }
  if (left instanceof Uint && right instanceof Uint) {
    const result = integers(left.value, right.value);
    return result instanceof CelError ? result : uint(result);
  }
  if (doubles && typeof left === "number" && typeof right === "number") {
    return doubles(left, right);
  }
  return noSuchOverload();
}

export function add(left: CelValue, right: CelValue): Result {
  if (typeof left === "string") {
    return typeof right === "string" ? left + right : noSuchOverload();
  }
  if (left instanceof CelList) {
    return right instanceof CelList ? left.plus(right) : noSuchOverload();
  }
  if (left instanceof Uint8Array) {
    return right instanceof Uint8Array ? Buffer.concat([left, right]) : noSuchOverload();
  }
  if (left instanceof Duration) {
    if (right instanceof Duration) return Duration.of(left.nanos + right.nanos);
    return right instanceof Timestamp ? right.plus(left) : noSuchOverload();
  }
  if (left instanceof Timestamp) {
    return right instanceof Duration ? left.plus(right) : noSuchOverload();
  }
  return onNumbers(
    left,
    right,
    (a, b) => a + b,
    (a, b) => a + b,
  );
}

export function subtract(left: CelValue, right: CelValue): Result {
  if (left instanceof Duration) {
    return right instanceof Duration ? Duration.of(left.nanos - right.nanos) : noSuchOverload();
  }
  if (left instanceof Timestamp) {
    if (right instanceof Timestamp) return left.minus(right);
    if (!(right instanceof Duration)) return noSuchOverload();
    const negated = Duration.of(-right.nanos);
    return negated instanceof CelError ? negated : left.plus(negated);
  }
  return onNumbers(
    left,
    right,
    (a, b) => a - b,
    (a, b) => a - b,
  );
}

export function multiply(left: CelValue, right: CelValue): Result {
  return onNumbers(
    left,
    right,
    (a, b) => a * b,
    (a, b) => a * b,
  );
}

export function divide(left: CelValue, right: CelValue): Result {
  return onNumbers(
    left,
    right,
    (a, b) => (b === 0n ? new CelError("division by zero") : a / b),
    (a, b) => a / b,
  );
}

export function remainder(left: CelValue, right: CelValue): Result {
  const integers = (a: bigint, b: bigint): bigint | CelError => {
    if (b === 0n) return new CelError("modulus by zero");
    return a === INT_MIN && b === -1n ? new CelError("integer overflow") : a % b;
  };
  return onNumbers(left, right, integers, undefined);
}

export function negate(value: CelValue): Result {
  if (typeof value === "bigint") return int(-value);
  if (typeof value === "number") return -value;
  if (value instanceof Duration) return Duration.of(-value.nanos);
  return noSuchOverload();
}

/** Compares two values: negative, zero or positive. */
export function compare(left: CelValue, right: CelValue): number | CelError {
  if (isNumeric(left)) {
    if (!isNumeric(right)) return Number.isNaN(left) ? nanOrder() : noSuchOverload();
    const order = compareNumbers(left, right);
    return Number.isNaN(order) ? nanOrder() : order;
  }
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  if (left instanceof Duration && right instanceof Duration) {
    return left.nanos < right.nanos ? -1 : left.nanos > right.nanos ? 1 : 0;
  }
  if (left instanceof Timestamp && right instanceof Timestamp) {
    return left.nanos < right.nanos ? -1 : left.nanos > right.nanos ? 1 : 0;
  }
  return noSuchOverload();
}

const nanOrder = (): CelError => new CelError("NaN values cannot be ordered");

/** Compares texts by their bytes in UTF-8, as Go compares strings. */
function compareText(left: string, right: string): number {
  if (left === right) return 0;
  const surrogates = /[\ud800-\udfff]/;
  if (surrogates.test(left) || surrogates.test(right)) {
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }
  return left < right ? -1 : 1;
}
