/**
 * Texts that Go's types read themselves: quantities and base64.
 *
 * @module
 */
import { messageOf } from "../../errors.ts";
import { parseQuantity } from "../../kube/quantity.ts";
import { NumberLiteral } from "./number-literal.ts";
import { WireError } from "./wire-error.ts";

const QUANTITY_MISTAKE =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** A quantity as it was written. @throws WireError for what is none */
export function readQuantity(value: unknown): string | number {
  const text =
    value instanceof NumberLiteral
      ? value.text
      : typeof value === "bigint"
        ? value.toString()
        : value;
  if (typeof text !== "string" && typeof text !== "number") throw new WireError(QUANTITY_MISTAKE);
  try {
    parseQuantity(text);
  } catch (error) {
    throw new WireError(messageOf(error));
  }
  return text;
}

/**
 * Refuses what is no standard base64 with padding, with the offset that Go names.
 *
 * @throws WireError
 */
export function checkBase64(value: string): void {
  const bad = /[^A-Za-z0-9+/=\r\n]/.exec(value);
  const refuse = (offset: number): never => {
    throw new WireError(`illegal base64 data at input byte ${offset}`);
  };
  if (bad) refuse(bad.index);
  const plain = value.replace(/[\r\n]/g, "");
  const padding = /=+$/.exec(plain)?.[0].length ?? 0;
  const early = plain.indexOf("=");
  if (early >= 0 && early < plain.length - padding) refuse(early);
  if (padding > 2) refuse(plain.length - padding + 2);
  if (plain.length % 4 !== 0) refuse(plain.length - (plain.length % 4));
}
