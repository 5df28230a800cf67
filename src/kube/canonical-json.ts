/** JSON text that does not depend on the order of keys. */
import { encodeJson, isJsonObject, setField } from "./json.ts";

/** Deeper levels keep the order of their keys: recursion is limited by the stack. */
const SORTED_LEVELS = 200;

/** The text of a value, the same whatever the order of its keys; without values that JSON omits. */
export function canonicalJson(value: unknown): string {
  return encodeJson(withSortedKeys(value));
}

/** A copy of the value whose keys are in order, at all levels. */
export const withSortedKeys = <T>(value: T): T => sorted(value, 0) as T;

/** Whether JSON writes the value as an object of its own fields. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isJsonObject(value) && typeof (value as { toJSON?: unknown }).toJSON !== "function";
}

function sorted(value: unknown, level: number): unknown {
  if (typeof value !== "object" || value === null || level === SORTED_LEVELS) return value;
  if (Array.isArray(value)) return value.map((item) => sorted(item, level + 1));
  if (!isPlainObject(value)) return value;
  const copy = {};
  for (const key of Object.keys(value).sort()) setField(copy, key, sorted(value[key], level + 1));
  return copy;
}
