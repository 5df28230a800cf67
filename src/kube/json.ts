/**
 * Plain JSON values as Kubernetes treats them: told apart, compared and copied.
 *
 * A key may be `__proto__`: objects here are written through `setField`, never with `object[key] = value`. A whole
 * number that a JavaScript number cannot hold exactly is a `bigint`.
 *
 * @module
 */
import type { JsonObject } from "./object.ts";

/** Whether `value` is a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
export function getField(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A deep copy that shares nothing with `value`. */
export function copyJson<T>(value: T): T {
  return copyValue(value) as T;
}

function copyValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyValue);
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const part = (value as JsonObject)[key];
    setField(copy, key, typeof part === "object" ? copyValue(part) : part);
  }
  return copy;
}

/** Whether two JSON values are the same; the order of keys does not matter. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => sameJson(item, right[index]))
    );
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
  );
}

/**
 * The value as JSON, whole numbers in all their digits.
 *
 * @param gap - what each level is indented by; none: all in one line
 */
export function encodeJson(value: unknown, gap = ""): string {
  try {
    return JSON.stringify(value, undefined, gap);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return writeExactly(value, gap, "") ?? "";
  }
}

/** As `JSON.stringify` writes it, which refuses values with a bigint in them. */
function writeExactly(value: unknown, gap: string, margin: string): string | undefined {
  if (typeof value === "bigint") return value.toString();
  // What has no text in JSON, such as undefined, gives undefined.
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value);
  }
  const inner = margin + gap;
  const parts = Array.isArray(value)
    ? value.map((item) => writeExactly(item, gap, inner) ?? "null")
    : Object.entries(value).flatMap(([key, field]) => {
        const text = writeExactly(field, gap, inner);
        return text === undefined ? [] : [`${JSON.stringify(key)}:${gap && " "}${text}`];
      });
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return gap === "" || parts.length === 0
    ? `${open}${parts.join(",")}${close}`
    : `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}`;
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
