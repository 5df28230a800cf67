/**
 * Parses times as Go does, for the words in which it refuses malformed ones.
 *
 * @see https://pkg.go.dev/time#Parse
 */
import { quote } from "../../kube/field-errors.ts";

type Step = readonly [element: string, pattern: RegExp];

const DATE: readonly Step[] = [
  ["2006", /^\d{4}/],
  ["-", /^-/],
  ["01", /^\d{2}/],
  ["-", /^-/],
  ["02", /^\d{2}/],
  ["T", /^T/],
  ["15", /^\d{2}/],
  [":", /^:/],
  ["04", /^\d{2}/],
  [":", /^:/],
];
const ZONE: Step = ["Z07:00", /^(Z|[+-]\d{2}:\d{2})/];
const RANGES: readonly (readonly [index: number, min: number, max: number, name: string])[] = [
  [2, 1, 12, "month"],
  [4, 1, 31, "day"],
  [6, 0, 23, "hour"],
  [8, 0, 59, "minute"],
  [10, 0, 59, "second"],
];

/** Matches the usual notation of times. */
const PLAIN_TIME = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** The mistake in a time, in Go's words; `undefined` when it can be parsed. */
export function timeMistake(value: string, isMicroTime: boolean): string | undefined {
  if (!isMicroTime && PLAIN_TIME.test(value)) return undefined;
  const layout = `2006-01-02T15:04:05${isMicroTime ? ".000000" : ""}Z07:00`;
  const steps: readonly Step[] = isMicroTime
    ? [...DATE, ["05", /^\d{2}/], [".000000", /^\.\d{6}/], ZONE]
    : [...DATE, ["05", /^\d{2}([.,]\d+)?/], ZONE];
  let rest = value;
  for (const [index, [element, pattern]] of steps.entries()) {
    const match = pattern.exec(rest);
    const subject = `parsing time ${quote(value)}`;
    if (!match) {
      return `${subject} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(element)}`;
    }
    const range = RANGES.find(([at]) => at === index);
    const number = parseInt(match[0], 10);
    if (range && (number < range[1] || number > range[2]))
      return `${subject}: ${range[3]} out of range`;
    rest = rest.slice(match[0].length);
  }
  return rest === "" ? undefined : `parsing time ${quote(value)}: extra text: ${quote(rest)}`;
}
