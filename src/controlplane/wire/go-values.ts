/** Strings that Go's types decode themselves: quantities and base64. */
import { messageOf } from "../../errors.ts";
import { parseQuantity } from "../../kube/values/quantity.ts";
import { NumberLiteral } from "./number-literal.ts";
import { WireError } from "./wire-error.ts";

const QUANTITY_MISTAKE =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** A quantity in the notation of the client. @throws WireError for a malformed one */
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
 * Checks standard base64 with padding; errors name the offset that Go names.
 *
 * @throws WireError
 */
export function checkBase64(value: string): void {
  let at = 0;
  const refuse = (offset: number): never => {
    throw new WireError(`illegal base64 data at input byte ${offset}`);
  };
  const skipLines = (): void => {
    while (value[at] === "\n" || value[at] === "\r") at++;
  };
  for (let inQuantum = 0; ; inQuantum = (inQuantum + 1) % 4) {
    skipLines();
    if (at === value.length) {
      if (inQuantum > 0) refuse(at - inQuantum);
      return;
    }
    const code = value.charCodeAt(at++);
    if (isBase64(code)) continue;
    if (code !== PADDING || inQuantum < 2) refuse(at - 1);
    skipLines();
    if (inQuantum === 2) {
      if (at === value.length) refuse(at);
      if (value.charCodeAt(at) !== PADDING) refuse(at - 1);
      at++;
      skipLines();
    }
    if (at < value.length) refuse(at);
    return;
  }
}

const PADDING = 0x3d;

const isBase64 = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x2b ||
  code === 0x2f;
