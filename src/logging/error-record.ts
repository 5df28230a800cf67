/**
 * The one form in which thrown values get into a log: name, message, code, stack and causes, each of
 * a limited size. The own fields of an error are left out: those of HTTP clients hold tokens and
 * request bodies.
 */
import { types } from "node:util";
import { messageOf, TsopError } from "../errors.ts";
import { type ByteBudget, cutText } from "./bounded-text.ts";

/** A thrown value as plain data. */
export interface ErrorRecord {
  /** The name of the error: `TypeError`; `string` for a thrown text. */
  readonly type: string;
  readonly message: string;
  /** The code: `ECONNREFUSED`, 404, `leadership-lost`. */
  readonly code?: string | number;
  /** The next step, of a `TsopError`. */
  readonly fix?: string;
  /** `type: message` and the frames, one a line. */
  readonly stack?: string;
  readonly cause?: ErrorRecord;
  /** The first errors of an `AggregateError`. */
  readonly errors?: readonly ErrorRecord[];
}

const MAX_DEPTH = 5;
const MAX_ERRORS = 4;
const MAX_FRAMES = 20;
const FRAME_BYTES = 300;
const SHORT_BYTES = 128;
const HEAD_BYTES = 256;
const FRAME = /^\s+at /;

/** Whether the value is an error, also of another realm; false for what cannot be looked at. */
export function isError(value: unknown): boolean {
  try {
    return types.isNativeError(value) || value instanceof Error;
  } catch {
    return false;
  }
}

/** A field of a thrown value; `undefined` where it cannot be read. */
function read(thrown: unknown, field: string): unknown {
  if (typeof thrown !== "object" || thrown === null) return undefined;
  try {
    return (thrown as Record<string, unknown>)[field];
  } catch {
    return undefined;
  }
}

function typeOf(thrown: unknown): string {
  if (thrown === null) return "null";
  const name = read(thrown, "name");
  if (typeof name === "string" && name !== "" && isError(thrown)) return name;
  if (isError(thrown)) return "Error";
  // A record that comes from another thread.
  const type = read(thrown, "type");
  return typeof type === "string" && type !== "" ? type : typeof thrown;
}

/** The frames of a stack, without its text, which can be of any size and content. */
function framesOf(thrown: unknown): string[] {
  const stack = read(thrown, "stack");
  if (typeof stack !== "string") return [];
  const message = messageOf(thrown);
  const start = stack.indexOf(message);
  const rest = start < 0 ? stack : stack.slice(start + message.length);
  return rest
    .slice(0, 4 * MAX_FRAMES * FRAME_BYTES)
    .split("\n")
    .filter((line) => FRAME.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => cutText(line, FRAME_BYTES));
}

/** As many of the lines as fit into these bytes. */
function stackOf(head: string, frames: readonly string[], maxBytes: number): string | undefined {
  let stack = head;
  for (const frame of frames) {
    // Line breaks are two bytes; nearly all frames are ASCII.
    if ((stack.length + frame.length) * 1.25 + 2 > maxBytes) break;
    stack += `\n${frame}`;
  }
  return stack === head ? undefined : stack;
}

interface Place {
  readonly depth: number;
  readonly seen: Set<unknown>;
  readonly maxBytes: number;
}

/**
 * A thrown value as plain data.
 *
 * @param budget - the bytes that the line has left
 */
export function errorRecord(thrown: unknown, budget: ByteBudget): ErrorRecord {
  return recordOf(thrown, budget, { depth: 0, seen: new Set(), maxBytes: 2048 });
}

function recordOf(thrown: unknown, budget: ByteBudget, place: Place): ErrorRecord {
  const { depth, seen, maxBytes } = place;
  seen.add(thrown);
  const type = budget.cut(typeOf(thrown), SHORT_BYTES);
  const message = budget.cut(messageOf(thrown), maxBytes);
  const record: Record<string, unknown> = named(type);
  record["type"] = type;
  record["message"] = message;
  const code = read(thrown, "code");
  if (typeof code === "number") record["code"] = code;
  if (typeof code === "string" && code !== "") record["code"] = budget.cut(code, SHORT_BYTES);
  if (isTsopError(thrown)) {
    const fix = read(thrown, "fix");
    if (typeof fix === "string") record["fix"] = budget.cut(fix, 512);
  }
  const head = cutText(`${type}: ${message}`, HEAD_BYTES);
  const stack = stackOf(head, framesOf(thrown), Math.min(maxBytes, budget.left - 256));
  if (stack !== undefined) record["stack"] = budget.cut(stack);
  const nested = { depth: depth + 1, seen, maxBytes: 512 };
  const isNew = (value: unknown): boolean =>
    value !== undefined && value !== null && depth < MAX_DEPTH && !seen.has(value);
  const cause = read(thrown, "cause");
  if (isNew(cause) && budget.left > 512) record["cause"] = recordOf(cause, budget, nested);
  const errors = itemsOf(read(thrown, "errors")).filter(isNew);
  if (isError(thrown) && errors.length > 0) {
    const told: ErrorRecord[] = [];
    for (const error of errors.slice(0, MAX_ERRORS)) {
      if (budget.left > 512) told.push(recordOf(error, budget, nested));
    }
    if (told.length > 0) record["errors"] = told;
    if (told.length < errors.length) record["moreErrors"] = errors.length - told.length;
  }
  return record as unknown as ErrorRecord;
}

/**
 * An object without a class, with a name that is not listed: a logger that has serializers for
 * errors takes it for an error of that name.
 */
function named(type: string): Record<string, unknown> {
  const record = Object.create(null) as Record<string, unknown>;
  return Object.defineProperty(record, "name", { value: type, enumerable: false });
}

function isTsopError(thrown: unknown): boolean {
  try {
    return thrown instanceof TsopError;
  } catch {
    return false;
  }
}

/** The first items of a list; reading them may fail. */
function itemsOf(value: unknown): unknown[] {
  try {
    return Array.isArray(value) ? (value as unknown[]).slice(0, 1000) : [];
  } catch {
    return [];
  }
}
