/** The fields of a log line as plain data of a limited size: whatever is given, a line can be written. */
import { messageOf } from "../errors.ts";
import type { ByteBudget } from "./bounded-text.ts";
import { errorRecord, isError } from "./error-record.ts";

/** Plain data. */
export type LogFields = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 6;
const MAX_ITEMS = 50;
const KEY_BYTES = 128;

/** The fields that loggers write themselves. */
const RESERVED: ReadonlySet<string> = new Set(["level", "time", "msg"]);

/**
 * The fields as plain data: errors become records, and what does not fit into the line is cut or
 * counted.
 */
export function plainFields(fields: object, budget: ByteBudget): LogFields {
  if (isError(fields)) return { err: errorRecord(fields, budget) };
  const plain: Record<string, unknown> = {};
  let left = 0;
  for (const name of keysOf(fields)) {
    const value = valueOf(fields, name);
    if (value === undefined || isCode(value)) continue;
    if (budget.left < 64 || Object.keys(plain).length >= MAX_ITEMS) {
      left++;
      continue;
    }
    const shown = budget.cut(RESERVED.has(name) ? `${name}_` : name, KEY_BYTES);
    // A thrown value that is no error has none of its fields in the log either.
    const isThrown = name === "err";
    define(plain, shown, isThrown ? errorRecord(value, budget) : plainValue(value, budget, []));
  }
  if (left > 0) plain["fieldsLeftOut"] = left;
  return plain;
}

function plainValue(value: unknown, budget: ByteBudget, around: readonly object[]): unknown {
  budget.take(4);
  switch (typeof value) {
    case "string":
      return budget.cut(value);
    case "number":
      budget.take(22);
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      return value;
    case "bigint":
    case "symbol":
      return budget.cut(String(value), KEY_BYTES);
    case "object":
      return value === null ? null : plainObject(value, budget, around);
    default:
      return undefined;
  }
}

function plainObject(value: object, budget: ByteBudget, around: readonly object[]): unknown {
  if (around.includes(value)) return "(contains itself)";
  if (isError(value)) return errorRecord(value, budget);
  if (around.length >= MAX_DEPTH || budget.left < 64) return "(left out)";
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
  const inner = [...around, value];
  const toJson = valueOf(value, "toJSON");
  if (typeof toJson === "function") {
    try {
      const json: unknown = Reflect.apply(toJson, value, []);
      return json === value ? "(contains itself)" : plainValue(json, budget, inner);
    } catch (error) {
      return unreadable(error, budget);
    }
  }
  return isArray(value) ? plainItems(value, budget, inner) : plainEntries(value, budget, inner);
}

function plainItems(
  list: readonly unknown[],
  budget: ByteBudget,
  inner: readonly object[],
): unknown {
  const plain: unknown[] = [];
  const { length } = list;
  while (plain.length < length) {
    if (plain.length >= MAX_ITEMS || budget.left < 64) {
      plain.push(`(${length - plain.length} more)`);
      break;
    }
    const value = valueOf(list, String(plain.length));
    plain.push(plainValue(value, budget, inner) ?? null);
  }
  return plain;
}

function plainEntries(value: object, budget: ByteBudget, inner: readonly object[]): unknown {
  const plain: Record<string, unknown> = {};
  const keys = keysOf(value);
  for (const [index, key] of keys.entries()) {
    if (index >= MAX_ITEMS || budget.left < 64) {
      plain["(left out)"] = keys.length - index;
      break;
    }
    const entry = valueOf(value, key);
    if (entry === undefined || isCode(entry)) continue;
    define(plain, budget.cut(key, KEY_BYTES), plainValue(entry, budget, inner));
  }
  return plain;
}

/** An own field, also one that is called `__proto__`. */
function define(plain: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(plain, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function keysOf(value: object): string[] {
  try {
    return Object.keys(value);
  } catch {
    return [];
  }
}

/** A field; why it cannot be read, where that is so. */
function valueOf(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch (error) {
    return `(cannot be read: ${messageOf(error).slice(0, 200)})`;
  }
}

function unreadable(error: unknown, budget: ByteBudget): string {
  return budget.cut(`(cannot be read: ${messageOf(error)})`, 256);
}

function isArray(value: object): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

const isCode = (value: unknown): boolean => typeof value === "function";
