/** The two forms of a line: JSON for collectors, and text for people. */
import type { LogFields } from "./log-fields.ts";
import { oneLine } from "./one-line.ts";
import type { LineLevel } from "./safe-logger.ts";

/** The form of the lines: `json` for collectors, `text` for people. */
export type LogFormat = "json" | "text";

/** A line as its fields. */
export interface LogLine {
  readonly level: string;
  /** The time, in milliseconds since the epoch. */
  readonly timeMs: number;
  readonly message: string;
  readonly fields: LogFields;
}

/** Colors for a terminal, or functions that change nothing. */
export type LineColors = Readonly<
  Record<
    "dim" | "red" | "yellow" | "bold" | "cyan" | "magenta" | "blue" | "green",
    (text: string) => string
  >
>;

/** How a line is shown to people. */
export interface TextForm {
  readonly colors: LineColors;
  /** Whether a frame of a stack is shown. */
  readonly showsFrame: (frame: string) => boolean;
}

/** A line of JSON: level, time and message, then the fields. */
export function jsonLine(
  level: LineLevel,
  timeMs: number,
  message: string,
  fields: LogFields,
): string {
  const time = new Date(timeMs).toISOString();
  return JSON.stringify({ level, time, msg: message, ...fields });
}

/** Fields with columns of their own. */
const COLUMNS: ReadonlySet<string> = new Set(["controller", "namespace", "name", "err"]);
const FRAME = /^\s+at /;

/**
 * A line as `time level controller object  message field=value`. Each controller has a color, so
 * that the eye finds its lines among those of others.
 */
export function textLine({ level, timeMs, message, fields }: LogLine, form: TextForm): string {
  const { dim, red, yellow } = form.colors;
  const padded = oneLine(level).padEnd(5);
  const isBad = level === "error" || level === "fatal";
  const colored = isBad ? red(padded) : level === "warn" ? yellow(padded) : dim(padded);
  const when = new Date(timeMs).toISOString().slice(11, 23);
  const isOfController = typeof fields["controller"] === "string";
  const shown = Object.entries(fields)
    .filter(([key]) => key !== "err" && !(isOfController && COLUMNS.has(key)))
    .map(([key, value]) =>
      oneLine(`${key}=${typeof value === "string" ? value : JSON.stringify(value)}`),
    );
  const tail = shown.length > 0 ? ` ${dim(shown.join(" "))}` : "";
  const source = sourceOf(fields, form.colors);
  return `${dim(when)} ${colored} ${source}${oneLine(message)}${tail}${detailOf(fields["err"], message, form)}`;
}

/** The object of a line: `namespace/name`; `undefined` for a line of no object. */
export function objectOf({ namespace, name }: LogFields): string | undefined {
  if (typeof name !== "string") return undefined;
  return typeof namespace === "string" && namespace !== "" ? `${namespace}/${name}` : name;
}

/** The controller that speaks, and the object that it speaks of. */
function sourceOf(fields: LogFields, { bold, cyan, magenta, blue, green }: LineColors): string {
  const { controller } = fields;
  if (typeof controller !== "string") return "";
  const sum = Buffer.from(controller).reduce((total, byte) => total + byte, 0);
  const color = [cyan, magenta, blue, green][sum % 4] ?? cyan;
  const object = objectOf(fields);
  return `${bold(color(oneLine(controller)))}${object === undefined ? "" : ` ${oneLine(object)}`}  `;
}

/** The details that the message does not have yet: the error's own words, and its place in the code. */
function detailOf(error: unknown, told: string, { showsFrame }: TextForm): string {
  if (typeof error !== "object" || error === null) return "";
  const { message, stack, cause } = error as Readonly<Record<string, unknown>>;
  const words = typeof message === "string" ? message : "";
  const lines = (typeof stack === "string" && stack !== "" ? stack : words).split("\n");
  const frames = lines.filter((line) => FRAME.test(line) && showsFrame(line));
  const news =
    words !== "" && told.includes(words) ? [] : lines.filter((line) => !FRAME.test(line));
  const own = [...news, ...frames].map((line) => `\n    ${oneLine(line)}`).join("");
  return `${own}${causeOf(cause, told)}`;
}

/** The message of the cause, where nothing has it yet. */
function causeOf(cause: unknown, told: string): string {
  if (typeof cause !== "object" || cause === null) return "";
  const { message, cause: next } = cause as Readonly<Record<string, unknown>>;
  const isNews = typeof message === "string" && message !== "" && !told.includes(message);
  return `${isNews ? `\n    caused by: ${oneLine(message)}` : ""}${causeOf(next, told)}`;
}
