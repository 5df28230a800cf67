/** Strings that Go's types decode themselves: quantities, times and base64. */
import { quote } from "../../kube/field-errors.ts";
import { messageOf } from "../../errors.ts";
import { parseQuantity } from "../../kube/values/quantity.ts";
import { NumberLiteral } from "./json/number-literal.ts";
import { WireError } from "./json/wire-error.ts";

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

type Step = readonly [element: string, pattern: RegExp, range?: Range];
type Range = readonly [min: number, max: number, name: string];

const DATE: readonly Step[] = [
  ["2006", /^\d{4}/],
  ["-", /^-/],
  ["01", /^\d{2}/, [1, 12, "month"]],
  ["-", /^-/],
  ["02", /^\d{2}/, [1, 31, "day"]],
  ["T", /^T/],
  ["15", /^\d{2}/, [0, 23, "hour"]],
  [":", /^:/],
  ["04", /^\d{2}/, [0, 59, "minute"]],
  [":", /^:/],
];
const ZONE: Step = ["Z07:00", /^(Z|[+-]\d{2}:\d{2})/];
/** Matches the usual notation of times. */
const PLAIN_TIME = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/**
 * The mistake in a time, in Go's words; `undefined` when it can be parsed.
 *
 * @see https://pkg.go.dev/time#Parse
 */
export function timeMistake(value: string, isMicroTime: boolean): string | undefined {
  if (!isMicroTime && PLAIN_TIME.test(value)) return undefined;
  const layout = `2006-01-02T15:04:05${isMicroTime ? ".000000" : ""}Z07:00`;
  const seconds = isMicroTime ? /^\d{2}/ : /^\d{2}([.,]\d+)?/;
  const fraction: readonly Step[] = isMicroTime ? [[".000000", /^\.\d{6}/]] : [];
  const subject = `parsing time ${quote(value)}`;
  let rest = value;
  for (const step of [...DATE, ["05", seconds, [0, 59, "second"]] as Step, ...fraction, ZONE]) {
    const [element, pattern, [min, max, name] = [0, Infinity, ""]] = step;
    const match = pattern.exec(rest);
    if (!match) {
      return `${subject} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(element)}`;
    }
    const number = parseInt(match[0], 10);
    if (number < min || number > max) return `${subject}: ${name} out of range`;
    rest = rest.slice(match[0].length);
  }
  return rest === "" ? undefined : `${subject}: extra text: ${quote(rest)}`;
}

/** Matches base64 without line breaks. */
const PLAIN_BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

/**
 * Checks standard base64 with padding; errors name the offset that Go names.
 *
 * @throws WireError
 */
export function checkBase64(value: string): void {
  if (PLAIN_BASE64.test(value)) return;
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
    const sign = value.charAt(at++);
    if (/[A-Za-z\d+/]/.test(sign)) continue;
    if (sign !== "=" || inQuantum < 2) refuse(at - 1);
    skipLines();
    if (inQuantum === 2) {
      if (at === value.length) refuse(at);
      if (value[at] !== "=") refuse(at - 1);
      at++;
      skipLines();
    }
    if (at < value.length) refuse(at);
    return;
  }
}
