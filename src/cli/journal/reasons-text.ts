import { sep } from "node:path";
import type {
  FieldChanges,
  JournalCause,
  JournalEntry,
  JournalRead,
  JournalWrite,
} from "../../runtime/journal/entry.ts";
import { waitText } from "../../kube/values/duration.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../output.ts";
import { oneLine } from "../../logging/one-line.ts";
import type { Reasons } from "./reasons.ts";
import { objectText } from "./target.ts";

const SHOWN_CHANGES = 10;
const SHOWN_CHARACTERS = 60;
const LABEL_WIDTH = 9;

/** The lines that `tsop why` prints. */
export function reasonLines(
  { object, entries, quiet, older }: Reasons,
  context: CliContext,
): string[] {
  const { bold, dim } = paint(context);
  const rest = [
    ...(older > 0 ? [`${older} older: --last ${older + entries.length} shows them`] : []),
    ...(quiet > 0 ? [`${quiet} that changed nothing: --all shows them`] : []),
  ];
  return [
    bold(oneLine(objectText(object))),
    ...entries.flatMap((entry) => ["", ...entryLines(entry, context)]),
    ...(rest.length > 0 ? ["", dim(`and ${rest.join("; ")}`)] : []),
  ];
}

export function entryLines(entry: JournalEntry, context: CliContext): string[] {
  const { dim, red, green } = paint(context);
  const { atMs, durationMs, controller, id, error, requeueAfterMs } = entry;
  const when = new Date(atMs).toISOString().slice(11, 23);
  const key = [entry.namespace, entry.name].filter((part) => part !== undefined).join("/");
  const outcome = error ? red("failed") : green("success");
  const tries = entry.failures > 0 ? dim(`, after ${entry.failures} failures`) : "";
  return [
    `${dim(when)}  ${oneLine(controller)} reconciled ${oneLine(key)}: ${outcome} in ${durationMs} ms${tries}  ${dim(id)}`,
    ...entry.causes.flatMap((cause) => causeLines(cause, context)),
    ...labelled("read", entry.reads.length > 0 ? [readsText(entry.reads)] : [], context),
    ...entry.writes.flatMap((write) => writeLines(write, context)),
    ...labelled("failed", error ? errorLines(error, context) : [], context),
    ...labelled(
      "next",
      requeueAfterMs === undefined ? [] : [`again after ${waitText(requeueAfterMs)}`],
      context,
    ),
  ];
}

function labelled(label: string, lines: readonly string[], context: CliContext): string[] {
  const { dim } = paint(context);
  return lines.map(
    (line, index) => `  ${dim((index === 0 ? label : "").padEnd(LABEL_WIDTH))}${line}`,
  );
}

function causeLines(cause: JournalCause, context: CliContext): string[] {
  const { text, object, writtenBy } = cause;
  const version = object?.resourceVersion;
  const by = writtenBy === undefined ? "" : `, which reconcile ${writtenBy} wrote`;
  const first = `${oneLine(text)}${version === undefined ? "" : `, version ${version}`}${by}`;
  return labelled("because", [first, ...changeLines(cause)], context);
}

function writeLines(write: JournalWrite, context: CliContext): string[] {
  const { red, dim } = paint(context);
  const { verb, object, subresource, unchanged, dryRun, error } = write;
  const version = object.resourceVersion;
  const first = [
    `${verb} ${oneLine(objectText(object))}${subresource === undefined ? "" : ` (${subresource})`}`,
    ...(dryRun ? ["as a dry run"] : []),
    ...(unchanged ? [dim("nothing changed")] : []),
    ...(version === undefined || unchanged ? [] : [`version ${version}`]),
    ...(error === undefined ? [] : [red(`refused: ${oneLine(error)}`)]),
  ];
  return labelled("wrote", [first.join(", "), ...changeLines(write)], context);
}

function changeLines({ changes = [], more = 0 }: Partial<FieldChanges>): string[] {
  const left = more + Math.max(0, changes.length - SHOWN_CHANGES);
  return [
    ...changes.slice(0, SHOWN_CHANGES).map((change) => `  ${changeText(change)}`),
    ...(left > 0 ? [`  and ${left} more fields`] : []),
  ];
}

/** A changed field; `undefined` where it is absent. */
interface ChangedField {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The line of one change: `spec.replicas: 2 -> 3`. */
export function changeText({ path, before, after }: ChangedField): string {
  const [old, now] = [before, after].map((value) => (value === undefined ? "" : valueText(value)));
  const change =
    before === undefined ? now : after === undefined ? `${old} -> (removed)` : `${old} -> ${now}`;
  return `${oneLine(path)}: ${change}`;
}

function valueText(value: unknown): string {
  const text = oneLine(value === "(hidden)" ? value : JSON.stringify(value));
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}

function readsText(reads: readonly JournalRead[]): string {
  const texts = reads.map(
    ({ object, found, from, times }) =>
      `${objectText(object)}${found === 0 ? " (not there)" : ""}${from === "server" ? " (from the server)" : ""}${times > 1 ? ` ${times} times` : ""}`,
  );
  return oneLine(texts.join(", "));
}

function errorLines(
  { message, code, place }: NonNullable<JournalEntry["error"]>,
  { cwd }: CliContext,
): string[] {
  const here = place?.startsWith(cwd + sep) === true ? place.slice(cwd.length + 1) : place;
  return [
    `${oneLine(message)}${code === undefined ? "" : ` (${oneLine(code)})`}`,
    ...(here === undefined ? [] : [`  at ${oneLine(here)}`]),
  ];
}
