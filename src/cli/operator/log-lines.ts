/** The operator's log for people: JSON lines become one readable line each. */
import { join } from "node:path";
import { objectOf, textLine } from "../../logging/line-forms.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../output.ts";
import { packageRoot } from "../package-info.ts";

/** The numbers of the levels in lines of pino. */
const NUMBERS: ReadonlyMap<unknown, string> = new Map([
  [10, "trace"],
  [20, "debug"],
  [30, "info"],
  [40, "warn"],
  [50, "error"],
  [60, "fatal"],
]);
const NAMES: ReadonlySet<unknown> = new Set(NUMBERS.values());
/** Entries with places of their own, and entries that say nothing to a reader. */
const NOT_AMONG_FIELDS = new Set(["level", "time", "msg", "pid", "hostname", "v", "stack"]);

/** The fields of a line of the log. */
export type LogEntry = Readonly<Record<string, unknown>>;

/** Whether it is an error, or the last line of a process. */
export function isErrorEntry(entry: LogEntry): boolean {
  const level = levelOf(entry);
  return level === "error" || level === "fatal";
}

/** The object of a line: `namespace/name`. */
export const objectOfEntry = (entry: LogEntry): string | undefined => objectOf(entry);

/** A line of the log as `time level controller object  message key=value`, and lines of its error. */
export function formatLogEntry(entry: LogEntry, context: CliContext): string[] {
  const { time, msg } = entry;
  const fields = Object.entries(entry).filter(([key]) => !NOT_AMONG_FIELDS.has(key));
  const line = {
    level: levelOf(entry) ?? "info",
    timeMs: new Date(time as number | string).getTime(),
    message: typeof msg === "string" ? msg : "",
    fields: Object.fromEntries(fields),
  };
  const isDebugged = Boolean(context.env["TSOP_DEBUG"]);
  const showsFrame = (frame: string): boolean => isDebugged || !isForeign(frame);
  return textLine(line, { colors: paint(context), showsFrame }).split("\n");
}

/** A place in Node, in a package or in tsop: nothing that a reader of the log could mend. */
function isForeign(frame: string): boolean {
  return (
    frame.includes("node:") ||
    /[/\\]node_modules[/\\]/.test(frame) ||
    ["dist", "src"].some((folder) => frame.includes(join(packageRoot(), folder, "/"))) ||
    /\(<anonymous>\)|at async Promise\.\w+ \(index \d+\)$/.test(frame)
  );
}

/** A line of a log as its fields, also of a logger of the program, such as pino; `undefined` for every other line. */
export function parseLogEntry(line: string): LogEntry | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const entry = JSON.parse(line) as LogEntry;
    const { time } = entry;
    const dated =
      (typeof time === "number" || typeof time === "string") &&
      !Number.isNaN(new Date(time).getTime());
    return levelOf(entry) !== undefined && dated ? entry : undefined;
  } catch {
    return undefined;
  }
}

function levelOf({ level }: LogEntry): string | undefined {
  return NAMES.has(level) ? (level as string) : NUMBERS.get(level);
}
