/** The place of an error in the author's code. */
import { present } from "../../present.ts";
import type { TsopError } from "../../errors.ts";
import { messageOf } from "../../errors.ts";
import { StatusError } from "../../kube/status.ts";
import type { JournalError } from "./entry.ts";

const MOST_STACK = 4000;
const MOST_MESSAGE = 2000;
const FRAME = /^\s+at (?:.*?\()?((?:file:\/\/)?[^()]+:\d+:\d+)\)?$/;

export function journalError(error: unknown): JournalError {
  const stack = error instanceof Error ? error.stack?.slice(0, MOST_STACK) : undefined;
  const place = stack === undefined ? undefined : placeOf(stack);
  const code = error instanceof StatusError ? error.reason : (error as Partial<TsopError>).code;
  return {
    message: messageOf(error).slice(0, MOST_MESSAGE),
    ...(typeof code === "string" && { code }),
    ...present({ place, stack }),
  };
}

/** The first line of a stack that is in the author's own code; `file:line:column`. */
function placeOf(stack: string): string | undefined {
  for (const line of stack.split("\n")) {
    const place = FRAME.exec(line)?.[1]?.replace(/^file:\/\//, "");
    if (place !== undefined && !isForeign(place)) return place;
  }
  return undefined;
}

/** Whether the place is in Node, a package, or tsop. */
function isForeign(place: string): boolean {
  if (place.startsWith("node:") || /[/\\]node_modules[/\\]/.test(place)) return true;
  const own = ownFolder();
  return own !== undefined && place.startsWith(own);
}

/** The result of the search is kept, also where nothing was found. */
let known: { readonly folder: string | undefined } | undefined;

/**
 * The folder of tsop itself, as stacks show it: it may be linked, or bundled with a source map. Not
 * computed before the first error: the first stack that is read makes Node read the source map,
 * which takes 25 MB and stays.
 */
function ownFolder(): string | undefined {
  known ??= { folder: folderIn(new Error("where tsop is").stack ?? "") };
  return known.folder;
}

function folderIn(stack: string): string | undefined {
  const own =
    /((?:file:\/\/)?[^()\s]+[/\\])runtime[/\\]journal[/\\]error-place\.[tj]s:\d+:\d+/.exec(stack);
  return own?.[1]?.replace(/^file:\/\//, "");
}
