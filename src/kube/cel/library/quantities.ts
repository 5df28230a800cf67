/**
 * Kubernetes quantities: `500m`, `1Gi`.
 *
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-quantity-library
 */
import { messageOf } from "../../../errors.ts";
import { compareQuantities, parseQuantity } from "../../values/quantity.ts";
import {
  type FunctionDeclaration,
  type Implementation,
  member,
  overload,
  functionOf,
} from "../functions.ts";
import type { Library } from "../environment.ts";
import { BOOL, DOUBLE, INT, STRING, struct } from "../types.ts";
import { CelError, type CelValue, INT_MAX, INT_MIN, noSuchOverload } from "../values.ts";
import { KubernetesValue } from "./kubernetes-value.ts";
import { orderingFunctions } from "./ordering.ts";
import { tableOf } from "../../../table.ts";

const QUANTITY = struct("kubernetes.Quantity");

/** A number times a power of ten; the API server keeps small quantities so. */
interface Scaled {
  readonly value: bigint;
  readonly scale: number;
}

class QuantityValue extends KubernetesValue {
  readonly type = QUANTITY;
  readonly nanos: bigint;
  /** Absent for quantities that do not fit. */
  readonly scaled: Scaled | undefined;
  /** Whether the value is a sum: as in the API server, it cannot be on the right of `==`. */
  readonly isSum: boolean;

  constructor(nanos: bigint, scaled: Scaled | undefined, isSum = false) {
    super();
    this.nanos = nanos;
    this.scaled = scaled;
    this.isSum = isSum;
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof QuantityValue) || other.isSum) return noSuchOverload();
    return other.nanos === this.nanos;
  }

  /** The value as a whole number, where the API server sees one. */
  integer(): bigint | undefined {
    if (!this.scaled || this.scaled.scale < 0) return undefined;
    const value = this.scaled.value * 10n ** BigInt(this.scaled.scale);
    return value > INT_MAX || value < INT_MIN ? undefined : value;
  }

  toString(): string {
    return String(this.nanos);
  }
}

const DECIMALS = tableOf<number>({
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
});
const BINARIES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** The quantity as a scaled number; `undefined` where the API server computes with more digits. */
function scaledOf(text: string): Scaled | undefined {
  const match = /^([+-]?)0*(\d*)(?:\.(\d*))?([a-zA-Z]*[-+]?\d*)$/.exec(text);
  if (!match) return undefined;
  const [, sign = "", whole = "", fraction = "", suffix = ""] = match;
  const digits = (whole === "" ? "0" : whole) + fraction;
  const power = BINARIES.indexOf(suffix);
  if (power > 0) {
    const room = 15 - whole.length - Math.trunc(power * 3) - 1;
    if (fraction !== "" || room < 0) return undefined;
    const value = BigInt(digits) << BigInt(10 * power);
    return value > INT_MAX ? undefined : { value: sign === "-" ? -value : value, scale: 0 };
  }
  const exponent = DECIMALS.get(suffix) ?? Number(suffix.slice(1));
  const scale = exponent - fraction.length;
  if (digits.length > 18 || scale < -9) return undefined;
  const value = BigInt(digits);
  return { value: sign === "-" ? -value : value, scale };
}

function read(text: CelValue): QuantityValue | CelError {
  if (typeof text !== "string") return noSuchOverload();
  try {
    if (text !== text.trim()) parseQuantity("x");
    return new QuantityValue(parseQuantity(text).nanos, scaledOf(text));
  } catch (error) {
    return new CelError(messageOf(error));
  }
}

function sumOf(
  left: Scaled | undefined,
  right: Scaled | undefined,
  sign: bigint,
): Scaled | undefined {
  if (!left || !right) return undefined;
  if (left.value === 0n) return { value: sign * right.value, scale: right.scale };
  if (right.value === 0n) return left;
  const scale = Math.min(left.scale, right.scale);
  const at = (one: Scaled): bigint => one.value * 10n ** BigInt(one.scale - scale);
  const value = at(left) + sign * at(right);
  return value > INT_MAX || value < INT_MIN ? undefined : { value, scale };
}

const adding =
  (sign: bigint): Implementation =>
  (left, right = null) => {
    if (!(left instanceof QuantityValue)) return noSuchOverload();
    const other =
      typeof right === "bigint"
        ? new QuantityValue(right * 1_000_000_000n, { value: right, scale: 0 })
        : right;
    if (!(other instanceof QuantityValue)) return noSuchOverload();
    const scaled = sumOf(left.scaled, other.scaled, sign);
    return new QuantityValue(left.nanos + sign * other.nanos, scaled, true);
  };

const onQuantity =
  (run: (quantity: QuantityValue) => CelValue | CelError): Implementation =>
  (quantity) =>
    quantity instanceof QuantityValue ? run(quantity) : noSuchOverload();

const asQuantity = ({ nanos }: QuantityValue): { nanos: bigint; format: "DecimalSI" } => ({
  nanos,
  format: "DecimalSI",
});

const TWO = [QUANTITY, QUANTITY];

const functions: readonly FunctionDeclaration[] = [
  functionOf("quantity", overload("string_to_quantity", [STRING], QUANTITY, read)),
  functionOf(
    "isQuantity",
    overload("is_quantity_string", [STRING], BOOL, (text) => !(read(text) instanceof CelError)),
  ),
  functionOf(
    "sign",
    overload(
      "quantity_sign",
      [QUANTITY],
      INT,
      onQuantity(({ nanos }) => (nanos > 0n ? 1n : nanos < 0n ? -1n : 0n)),
    ),
  ),
  ...orderingFunctions("quantity", QUANTITY, (left, right) =>
    left instanceof QuantityValue && right instanceof QuantityValue
      ? compareQuantities(asQuantity(left), asQuantity(right))
      : undefined,
  ),
  functionOf(
    "asApproximateFloat",
    member(
      "quantity_get_float",
      [QUANTITY],
      DOUBLE,
      onQuantity(({ nanos, scaled }) =>
        scaled ? Number(`${scaled.value}e${scaled.scale}`) : Number(`${nanos}e-9`),
      ),
    ),
  ),
  functionOf(
    "asInteger",
    member(
      "quantity_get_int",
      [QUANTITY],
      INT,
      onQuantity(
        (quantity) => quantity.integer() ?? new CelError("cannot convert value to integer"),
      ),
    ),
  ),
  functionOf(
    "isInteger",
    member(
      "quantity_is_integer",
      [QUANTITY],
      BOOL,
      onQuantity((quantity) => quantity.integer() !== undefined),
    ),
  ),
  functionOf(
    "add",
    member("quantity_add", TWO, QUANTITY, adding(1n)),
    member("quantity_add_int", [QUANTITY, INT], QUANTITY, adding(1n)),
  ),
  functionOf(
    "sub",
    member("quantity_sub", TWO, QUANTITY, adding(-1n)),
    member("quantity_sub_int", [QUANTITY, INT], QUANTITY, adding(-1n)),
  ),
];

export const quantityLibrary: Library = { functions };
