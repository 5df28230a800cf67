/** The operator's log for people: JSON lines become one readable line each. */
import { join } from "node:path";
import type { CliContext } from "../context.ts";
import { paint } from "../output.ts";
import { packageRoot } from "../package-info.ts";

const LEVELS: Readonly<Record<number, string>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};
const WARN = 40;
/** The level of errors in lines of pino; what is fatal is higher. */
export const ERROR = 50;
/** Entries with columns of their own, and entries that say nothing to a reader. */
const NOT_AMONG_FIELDS = new Set([
  ...["level", "time", "msg", "pid", "hostname", "v", "err", "stack"],
  ...["controller", "key"],
]);

/** The fields of a line of pino. */
export type LogEntry = Readonly<Record<string, unknown>>;

/**
 * A line of pino as `time level controller object  message key=value`, and the lines of its error. Each controller has a colour, so that the eye
 * finds its lines among those of the others.
 */
export function formatLogEntry(entry: LogEntry, context: CliContext): string[] {
  const { dim, red, yellow } = paint(context);
  const source = sourceOf(entry, context);
  const level = Number(entry["level"]);
  const name = (LEVELS[level] ?? "info").padEnd(5);
  const colored = level >= ERROR ? red(name) : level >= WARN ? yellow(name) : dim(name);
  const when = new Date(entry["time"] as number | string).toISOString().slice(11, 23);
  const fields = Object.entries(entry)
    .filter(([key]) => !NOT_AMONG_FIELDS.has(key))
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const error = entry["err"] as { message?: unknown; stack?: unknown } | null | undefined;
  const message = typeof entry["msg"] === "string" ? entry["msg"] : "";
  const detail = error ? detailOf(error, message, context) : [];
  const rest = fields.length > 0 ? ` ${dim(fields.join(" "))}` : "";
  return [`${dim(when)} ${colored} ${source}${message}${rest}`, ...detail];
}

/** The controller that speaks, and the object that it speaks of. */
function sourceOf(entry: LogEntry, context: CliContext): string {
  const { controller, key } = entry;
  if (typeof controller !== "string") return "";
  const { bold, cyan, magenta, blue, green } = paint(context);
  const sum = Buffer.from(controller).reduce((total, byte) => total + byte, 0);
  const color = [cyan, magenta, blue, green][sum % 4] ?? cyan;
  const name = bold(color(controller));
  const object = typeof key === "string" ? ` ${key}` : "";
  return `${name}${object}  `;
}

/** The details that the message does not say yet: the error's own words, and where in the user's code it came from. */
function detailOf(
  error: { readonly message?: unknown; readonly stack?: unknown },
  told: string,
  context: CliContext,
): string[] {
  const message = typeof error.message === "string" ? error.message : "";
  const stack = typeof error.stack === "string" ? error.stack : "";
  const lines = (stack === "" ? message : stack).split("\n");
  const frames = lines.filter((line) => FRAME.test(line));
  const words = lines.filter((line) => !FRAME.test(line));
  const shown = context.env["TSOP_DEBUG"] ? frames : frames.filter((line) => !isForeign(line));
  const news = message !== "" && told.includes(message) ? [] : words;
  return [...news, ...shown].map((line) => `    ${line}`);
}

const FRAME = /^\s+at /;

/** A place in Node, in a package or in tsop: nothing that a reader of the log could mend. */
function isForeign(frame: string): boolean {
  return (
    frame.includes("node:") ||
    /[/\\]node_modules[/\\]/.test(frame) ||
    ["dist", "src"].some((folder) => frame.includes(join(packageRoot(), folder, "/"))) ||
    /\(<anonymous>\)|at async Promise\.\w+ \(index \d+\)$/.test(frame)
  );
}

/** A line of pino as its fields; `undefined` for every other line. */
export function parseLogEntry(line: string): LogEntry | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const entry = JSON.parse(line) as LogEntry;
    const { time } = entry;
    const dated =
      (typeof time === "number" || typeof time === "string") &&
      !Number.isNaN(new Date(time).getTime());
    return typeof entry["level"] === "number" && dated ? entry : undefined;
  } catch {
    return undefined;
  }
}
