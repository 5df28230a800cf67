/** Merges three JSON documents: the changes of two sides, key by key, whatever the layout. */
import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "../../../kube/json.ts";

/**
 * The merged text in the layout of `mine`: its indentation and the order of its keys.
 *
 * @returns `undefined` where both sides changed the same value in different ways, or a text is not
 *   a JSON object
 */
export function mergeJson(base: string, mine: string, theirs: string): string | undefined {
  const [from, one, other] = [base, mine, theirs].map(parsed);
  if (!isJsonObject(from) || !isJsonObject(one) || !isJsonObject(other)) return undefined;
  const merged = mergeValues(from, one, other);
  if (merged === CONFLICT) return undefined;
  if (isDeepStrictEqual(merged, one)) return mine;
  const indent = /^[ \t]+/m.exec(mine)?.[0] ?? "  ";
  return JSON.stringify(merged, undefined, indent) + (mine.endsWith("\n") ? "\n" : "");
}

const CONFLICT = Symbol("both sides changed it");

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // A file such as a tsconfig.json with comments is merged by lines.
  }
}

/** Merges a value; `undefined` stands for an absent key. */
function mergeValues(base: unknown, mine: unknown, theirs: unknown): unknown {
  if (isDeepStrictEqual(base, theirs) || isDeepStrictEqual(mine, theirs)) return mine;
  if (isDeepStrictEqual(base, mine)) return theirs;
  if (!isJsonObject(mine) || !isJsonObject(theirs)) return CONFLICT;
  const from = isJsonObject(base) ? base : {};
  const merged: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    const value = mergeValues(from[key], mine[key], theirs[key]);
    if (value === CONFLICT) return CONFLICT;
    if (value !== undefined) merged[key] = value;
  }
  return merged;
}
