/**
 * Where in the author's code an error comes from.
 *
 * @module
 */
import type { TsopError } from "../../errors.ts";
import { messageOf } from "../../errors.ts";
import { StatusError } from "../../kube/status.ts";
import type { JournalError } from "./entry.ts";

const MOST_STACK = 4000;
const MOST_MESSAGE = 2000;
const FRAME = /^\s+at (?:.*?\()?((?:file:\/\/)?[^()]+:\d+:\d+)\)?$/;

/** What the journal says of an error. */
export function journalError(error: unknown): JournalError {
  const stack = error instanceof Error ? error.stack?.slice(0, MOST_STACK) : undefined;
  const place = stack === undefined ? undefined : placeOf(stack);
  const code = error instanceof StatusError ? error.reason : (error as Partial<TsopError>).code;
  return {
    message: messageOf(error).slice(0, MOST_MESSAGE),
    ...(typeof code === "string" && { code }),
    ...(place !== undefined && { place }),
    ...(stack !== undefined && { stack }),
  };
}

/** The first line of a stack that is the author's own; `file:line:column`. */
function placeOf(stack: string): string | undefined {
  for (const line of stack.split("\n")) {
    const place = FRAME.exec(line)?.[1]?.replace(/^file:\/\//, "");
    if (place !== undefined && !isForeign(place)) return place;
  }
  return undefined;
}

/** Node's, a package's, or tsop's. */
function isForeign(place: string): boolean {
  if (place.startsWith("node:") || /[/\\]node_modules[/\\]/.test(place)) return true;
  return OWN_FOLDER !== undefined && place.startsWith(OWN_FOLDER);
}

/** Where tsop itself is, as stacks say it: it may be linked, or bundled with a source map. */
const OWN_FOLDER = ownFolder(new Error("where tsop is").stack ?? "");

function ownFolder(stack: string): string | undefined {
  const own =
    /((?:file:\/\/)?[^()\s]+[/\\])runtime[/\\]journal[/\\]error-place\.[tj]s:\d+:\d+/.exec(stack);
  return own?.[1]?.replace(/^file:\/\//, "");
}
