/**
 * The operator's log for people: JSON lines become one readable line each.
 *
 * @module
 */
import type { CliContext } from "./context.ts";
import { paint } from "./output.ts";

const LEVELS: Readonly<Record<number, string>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};
const WARN = 40;
const ERROR = 50;
const NOT_SHOWN = new Set(["level", "time", "msg", "pid", "hostname", "v", "err", "stack"]);

/** A line of pino as `time level message key=value`; other lines stay as they are. */
export function formatLogLine(line: string, context: CliContext): string {
  const entry = parseLogEntry(line);
  if (!entry) return line;
  const { dim, red, yellow } = paint(context);
  const level = Number(entry["level"]);
  const name = (LEVELS[level] ?? "info").padEnd(5);
  const colored = level >= ERROR ? red(name) : level >= WARN ? yellow(name) : dim(name);
  const when = new Date(entry["time"] as number | string).toISOString().slice(11, 23);
  const fields = Object.entries(entry)
    .filter(([key]) => !NOT_SHOWN.has(key))
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const error = entry["err"] as { message?: string; stack?: string } | undefined;
  const detail = error
    ? `\n    ${(error.stack ?? error.message ?? "").replaceAll("\n", "\n    ")}`
    : "";
  const message = typeof entry["msg"] === "string" ? entry["msg"] : "";
  return `${dim(when)} ${colored} ${message}${fields.length > 0 ? ` ${dim(fields.join(" "))}` : ""}${detail}`;
}

/** A line of pino as its fields; `undefined` for every other line. */
export function parseLogEntry(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const entry = JSON.parse(line) as Record<string, unknown>;
    const { time } = entry;
    const dated = typeof time === "number" || typeof time === "string";
    return typeof entry["level"] === "number" && dated ? entry : undefined;
  } catch {
    return undefined;
  }
}
