/** Says how two answers differ, in lines that can be grouped. */
import { isDeepStrictEqual } from "node:util";
import type { Answer } from "./answers.ts";

interface StatusBody {
  readonly kind?: string;
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly { field?: string; message?: string; reason?: string }[];
  };
}

const short = (value: unknown): string =>
  value === undefined ? "nothing" : JSON.stringify(value).slice(0, 400);

/** One line for each difference; empty when the answers are the same. */
export function differencesBetween(real: Answer, ours: Answer): string[] {
  const lines: string[] = [];
  if (real.status !== ours.status) lines.push(`status ${real.status}, ours ${ours.status}`);
  const isError = real.status >= 400 || ours.status >= 400;
  lines.push(...(isError ? inErrors(real, ours) : inValues(real.body, ours.body, "")));
  lines.push(...only("warning missing", real.warnings, ours.warnings));
  lines.push(...only("warning too much", ours.warnings, real.warnings));
  if (lines.length === 0 && !isDeepStrictEqual(real, ours))
    lines.push("in another order: warnings");
  return lines;
}

const only = (label: string, these: readonly string[], those: readonly string[]): string[] =>
  these.filter((one) => !those.includes(one)).map((one) => `${label}: ${one}`);

function causesOf({ status, body }: Answer): string[] {
  if (status < 400) return [];
  const { message, details } = body as StatusBody;
  const causes = details?.causes ?? [];
  if (causes.length === 0) return [message ?? short(body)];
  return causes.map(
    ({ field = "", message: text = "", reason = "" }) => `${field}: ${text} (${reason})`,
  );
}

function inErrors(real: Answer, ours: Answer): string[] {
  const expected = causesOf(real);
  const found = causesOf(ours);
  const lines = [...only("missing", expected, found), ...only("too much", found, expected)];
  if (lines.length > 0 || isDeepStrictEqual(real.body, ours.body)) return lines;
  if (expected.join() !== found.join()) {
    const fields = (causes: readonly string[]): string =>
      causes.map((one) => one.slice(0, 70)).join(" | ");
    return [`in another order: ${fields(expected)}, ours ${fields(found)}`];
  }
  return inValues(real.body, ours.body, "");
}

function inValues(real: unknown, ours: unknown, path: string): string[] {
  if (isDeepStrictEqual(real, ours)) return [];
  const nested = (value: unknown): value is object => typeof value === "object" && value !== null;
  if (nested(real) && nested(ours) && Array.isArray(real) === Array.isArray(ours)) {
    const keys = new Set([...Object.keys(real), ...Object.keys(ours)]);
    return [...keys].flatMap((key) =>
      inValues(
        (real as Record<string, unknown>)[key],
        (ours as Record<string, unknown>)[key],
        `${path}/${key}`,
      ),
    );
  }
  return [`${path} ${short(real)}, ours ${short(ours)}`];
}

/** The same for lines that differ in values and positions only. */
export const shapeOf = (line: string): string =>
  line
    .replace(/\\"/g, "'")
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\[\d+\]|\/\d+/g, "[]")
    .replace(/-?\d+/g, "N")
    .slice(0, 300);
