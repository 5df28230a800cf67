/**
 * Plain JSON values as Kubernetes treats them: tests, comparison and copies.
 *
 * A key may be `__proto__`: objects here are written through `setField`, never with `object[key] =
 * value`. A whole number that a JavaScript number cannot hold exactly is a `bigint`.
 */
import type { JsonObject, SentObject } from "./object.ts";

/** Whether `value` is a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The fields of an object, by name: its interface has no index signature, but the object is JSON.
 */
export function asJson(object: object): JsonObject {
  return object as JsonObject;
}

/** A JSON object that is known to have a type and metadata. */
export function asObject(json: object): SentObject {
  return json as SentObject;
}

/** Sets an own field, whatever its name. */
export function setField(object: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else {
    object[key] = value;
  }
}

/** The own field `key`, or `undefined`. */
export function getField<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The depth of recursion; deeper levels are put in a queue, as the stack is short. */
const LEVELS_AT_ONCE = 200;

/** Containers whose copies are still empty. */
type Unfilled = [from: object, copy: object][];

/** A deep copy that shares nothing with `value`, however deep it is. */
export function copyJson<T>(value: T): T {
  const unfilled: Unfilled = [];
  const copy = copyValue(value, 0, unfilled) as T;
  for (let next = unfilled.pop(); next; next = unfilled.pop()) fill(...next, 0, unfilled);
  return copy;
}

function copyValue(value: unknown, level: number, unfilled: Unfilled): unknown {
  if (typeof value !== "object" || value === null) return value;
  const copy = Array.isArray(value) ? [] : {};
  if (level >= LEVELS_AT_ONCE) unfilled.push([value, copy]);
  else fill(value, copy, level, unfilled);
  return copy;
}

function fill(from: object, copy: object, level: number, unfilled: Unfilled): void {
  if (Array.isArray(from)) {
    for (const item of from) (copy as unknown[]).push(copyValue(item, level + 1, unfilled));
    return;
  }
  for (const key of Object.keys(from)) {
    const part = (from as JsonObject)[key];
    const copied = typeof part === "object" ? copyValue(part, level + 1, unfilled) : part;
    setField(copy as JsonObject, key, copied);
  }
}

/**
 * Whether two JSON values are the same, however deep they are; the order of keys does not matter.
 */
export function sameJson(left: unknown, right: unknown): boolean {
  const pairs = [left, right];
  while (pairs.length > 0) {
    const one = pairs.pop();
    const other = pairs.pop();
    if (one === other) continue;
    if (!isContainer(one) || !isContainer(other)) return false;
    const sameParts =
      Array.isArray(one) || Array.isArray(other)
        ? sameItems(one, other, pairs)
        : sameFields(one as JsonObject, other as JsonObject, pairs);
    if (!sameParts) return false;
  }
  return true;
}

/**
 * Whether two arrays are the same but for the arrays and objects in them, which are added to
 * `pairs`.
 */
function sameItems(one: object, other: object, pairs: unknown[]): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (!samePart(one[at], other[at], pairs)) return false;
  return true;
}

/** The same of objects. */
function sameFields(one: JsonObject, other: JsonObject, pairs: unknown[]): boolean {
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(other, key) || !samePart(one[key], other[key], pairs)) return false;
  }
  return true;
}

function samePart(one: unknown, other: unknown, pairs: unknown[]): boolean {
  if (one === other) return true;
  if (!isContainer(one) || !isContainer(other)) return false;
  pairs.push(one, other);
  return true;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/**
 * The value as JSON, whole numbers in all their digits, however deep it is.
 *
 * @param gap - the indentation of each level; without one, all is on one line
 * @throws TypeError for an object that contains itself
 */
export function encodeJson(value: unknown, gap = ""): string {
  try {
    return JSON.stringify(value, undefined, gap);
  } catch (error) {
    // Thrown for a bigint, and for thousands of levels.
    if (!(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
    return writeExactly(value, gap);
  }
}

/** An array or object whose text is begun. */
interface OpenContainer {
  readonly container: object;
  /** The names of its fields; none for an array. */
  readonly keys: readonly string[] | undefined;
  readonly values: readonly unknown[];
  next: number;
  empty: boolean;
}

/** The text as `JSON.stringify` writes it, which refuses values with a bigint in them. */
function writeExactly(root: unknown, gap: string): string {
  const parts: string[] = [];
  const open: OpenContainer[] = [];
  const around = new Set<object>();
  const write = (value: unknown): void => {
    if (!isContainer(value)) {
      if (typeof value === "bigint") parts.push(value.toString());
      else parts.push(hasText(value) ? JSON.stringify(value) : "null");
      return;
    }
    if (around.has(value))
      throw new TypeError("an object that contains itself cannot be written as JSON");
    around.add(value);
    const keys = Array.isArray(value) ? undefined : Object.keys(value);
    parts.push(keys ? "{" : "[");
    const values = (keys ? Object.values(value) : value) as unknown[];
    open.push({ container: value, keys, values, next: 0, empty: true });
  };
  const breakLine = (): void => {
    if (gap !== "") parts.push("\n", gap.repeat(open.length));
  };
  write(plain(root, ""));
  for (let top = open.at(-1); top; top = open.at(-1)) {
    if (top.next === top.values.length) {
      open.pop();
      around.delete(top.container);
      if (!top.empty) breakLine();
      parts.push(top.keys ? "}" : "]");
      continue;
    }
    const at = top.next++;
    const key = top.keys?.[at];
    const value = plain(top.values[at], key ?? String(at));
    // A field without a text in JSON, such as undefined, is left out.
    if (key !== undefined && !hasText(value)) continue;
    if (!top.empty) parts.push(",");
    top.empty = false;
    breakLine();
    if (key !== undefined) parts.push(JSON.stringify(key), gap === "" ? ":" : ": ");
    write(value);
  }
  return parts.join("");
}

/** The value of an object's `toJSON`, such as a Date's. */
function plain(value: unknown, key: string): unknown {
  const { toJSON } = (isContainer(value) ? value : {}) as { toJSON?: unknown };
  return typeof toJSON === "function" ? (toJSON.call(value, key) as unknown) : value;
}

function hasText(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

/** Whether a text is one whole JSON value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
