/**
 * The JSON patch (RFC 6902) that makes one object of another.
 *
 * Written here and not taken from rfc6902's `createPatch`: that compares each item of a list with each item of the other,
 * and an object of a stranger may have ten thousand. This one looks at each item twice at most.
 */
import { isJsonObject, sameJson } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";

/** One operation of a patch; values are shared with the object that they are from. */
export type DifferenceOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** Deeper than this a part is replaced as a whole: a stranger's object may be deeper than the stack. */
const LEVELS = 200;

/**
 * The operations that make `after` of `before`. What has no JSON, such as a field that is undefined, counts as absent.
 *
 * @param after - may hold what `JSON.stringify` takes, such as a Date
 */
export function differenceOf(before: object, after: object): DifferenceOperation[] {
  const operations: DifferenceOperation[] = [];
  compare(before, after, "", operations, 0);
  return operations;
}

function compare(
  before: unknown,
  after: unknown,
  path: string,
  operations: DifferenceOperation[],
  level: number,
): void {
  if (before === after) return;
  const value = inJson(after);
  if (level < LEVELS) {
    if (isJsonObject(before) && isJsonObject(value)) {
      compareFields(before, value, path, operations, level);
      return;
    }
    if (Array.isArray(before) && Array.isArray(value)) {
      compareItems(before, value, path, operations, level);
      return;
    }
  }
  if (!sameJson(before, value)) operations.push({ op: "replace", path, value });
}

function compareFields(
  before: JsonObject,
  after: JsonObject,
  path: string,
  operations: DifferenceOperation[],
  level: number,
): void {
  for (const key of Object.keys(before)) {
    const at = `${path}/${escaped(key)}`;
    if (!Object.hasOwn(after, key) || !hasJson(after[key]))
      operations.push({ op: "remove", path: at });
    else compare(before[key], after[key], at, operations, level + 1);
  }
  for (const key of Object.keys(after)) {
    if (Object.hasOwn(before, key) || !hasJson(after[key])) continue;
    operations.push({ op: "add", path: `${path}/${escaped(key)}`, value: inJson(after[key]) });
  }
}

/** Equal items at both ends stay; those between are changed in place, then added or removed. */
function compareItems(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
  operations: DifferenceOperation[],
  level: number,
): void {
  const isSame = (one: number, other: number): boolean =>
    sameJson(before[one], inJson(after[other]) ?? null);
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  while (first < shorter && isSame(first, first)) first++;
  let last = 0;
  const rest = shorter - first;
  while (last < rest && isSame(before.length - 1 - last, after.length - 1 - last)) last++;
  const changed = shorter - first - last;
  for (let at = first; at < first + changed; at++) {
    compare(before[at], after[at] ?? null, `${path}/${at}`, operations, level + 1);
  }
  const end = first + changed;
  for (let at = before.length - last - 1; at >= end; at--) {
    operations.push({ op: "remove", path: `${path}/${at}` });
  }
  for (let at = end; at < after.length - last; at++) {
    operations.push({ op: "add", path: `${path}/${at}`, value: inJson(after[at]) ?? null });
  }
}

const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

function hasJson(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

function inJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return hasJson(value) ? value : undefined;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? (toJSON.call(value) as unknown) : value;
}
