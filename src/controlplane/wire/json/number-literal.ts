/** Numbers that keep their notation until their type is known. */
import { isJsonObject, setField } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";
import { WireError } from "./wire-error.ts";

/** A number in another notation than JavaScript's: `1.0`, `1e3`, `9223372036854775807`. */
export class NumberLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function float({ text }: NumberLiteral): number {
  const number = Number(text) + 0;
  if (!Number.isFinite(number)) {
    throw new WireError(`json: cannot unmarshal number ${text} into Go value of type float64`);
  }
  return number;
}

function plainNumber(literal: NumberLiteral): number | bigint {
  const { text } = literal;
  const number = float(literal);
  if (Number.isSafeInteger(number)) return number;
  if (!/^-?\d+$/.test(text)) return number;
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact ? exact : number;
}

export const isMap = (value: unknown): value is JsonObject =>
  isJsonObject(value) && !(value instanceof NumberLiteral);

/**
 * Converts numbers to floats and back to JSON, as the YAML of an apply is read: whole numbers
 * beyond 2^53 lose their last digits, and `1e16` is a whole number. The value is modified in place.
 *
 * @throws WireError for a number beyond the range of a float
 */
export const asFloats = (value: unknown): unknown =>
  plainNumbers(value, (literal) => plainNumber(new NumberLiteral(String(float(literal)))));

/**
 * The value without literals, modified in place. Frozen parts have none.
 *
 * @throws WireError for a number beyond the range of a float
 */
export function plainNumbers(value: unknown, convert = plainNumber): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof NumberLiteral) return convert(value);
  if (Object.isFrozen(value)) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === "object") value[index] = plainNumbers(item, convert);
    }
  } else {
    const object = value as JsonObject;
    for (const key of Object.keys(object)) {
      const field = object[key];
      if (typeof field === "object") setField(object, key, plainNumbers(field, convert));
    }
  }
  return value;
}
