/**
 * JSON patch and JSON merge patch, as the API server applies them.
 *
 * It deviates from RFC 6902 and is followed there: `replace` of a missing key adds it, `copy` of a
 * missing key and operations without a value give null, indexes may be negative, the whole document
 * can be replaced but not added. Patches are parsed already; errors of their text are the parser's.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply
 */
import { copyJson, encodeJson, getField, isJsonObject, sameJson, setField } from "./json.ts";
import type { JsonObject } from "./object.ts";
import { type StatusError, failure } from "./status.ts";

const MAX_OPERATIONS = 10_000;
/**
 * The limit of the data that all copies of one patch add, in bytes of JSON; copies of copies grow
 * fast.
 */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/** The name of a parsed JSON value's type in Go's decoding errors. */
export function goKindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}

const undecodable = (detail: string): StatusError =>
  failure(400, "BadRequest", `error decoding patch: json: cannot unmarshal ${detail}`);

/**
 * 422 in the API server's words for an operation that does not apply; it does not name the
 * operation.
 */
const doesNotApply = (): StatusError =>
  failure(422, "Invalid", "the server rejected our request due to an error in our request", {});

interface Operation {
  readonly op: string;
  readonly path: string | undefined;
  readonly from: string | undefined;
  /** `undefined` when the operation has none. */
  readonly value: unknown;
}

function readOperation(raw: unknown): Operation {
  if (raw === null) return { op: "", path: undefined, from: undefined, value: undefined };
  if (!isJsonObject(raw)) {
    throw undecodable(`${goKindOf(raw)} into Go value of type handlers.jsonPatchOp`);
  }
  const text = (name: string): string | undefined => {
    const value = getField(raw, name) ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    throw undecodable(`${goKindOf(value)} into Go struct field jsonPatchOp.${name} of type string`);
  };
  return {
    op: text("op") ?? "",
    path: text("path"),
    from: text("from"),
    value: getField(raw, "value"),
  };
}

/** The place of a pointer: a key of an object, or an index (still as text) of an array. */
interface Place {
  readonly container: JsonObject | unknown[];
  readonly key: string;
}

/** The state of applying one patch. */
interface Progress {
  /** The bytes that its copies added so far. */
  copied: number;
  /** The objects and arrays that it has visited. */
  readonly opened: Set<object>;
}

const decodeToken = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");

function findPlace(document: unknown, path: string | undefined, { opened }: Progress): Place {
  const tokens = path?.split("/") ?? [];
  if (tokens.length < 2) throw doesNotApply();
  // Text before the first slash is ignored: `data/k` is `/k`.
  const keys = tokens.slice(1).map(decodeToken);
  const key = keys.pop() ?? "";
  let container = asContainer(document);
  opened.add(container);
  for (const step of keys) {
    container = asContainer(valueAt({ container, key: step }));
    opened.add(container);
  }
  return { container, key };
}

function asContainer(value: unknown): JsonObject | unknown[] {
  if (Array.isArray(value) || isJsonObject(value)) return value;
  throw doesNotApply();
}

function parseIndex(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw doesNotApply();
  return Number(text);
}

/** The index in an array that has `length` places; negative ones count from its end. */
function indexOf(text: string, length: number): number {
  const index = parseIndex(text);
  if (index >= length || index < -length) throw doesNotApply();
  return index < 0 ? index + length : index;
}

/** The value at a place; `undefined` for a missing key of an object. */
function valueAt({ container, key }: Place): unknown {
  return Array.isArray(container)
    ? container[indexOf(key, container.length)]
    : getField(container, key);
}

function addAt({ container, key }: Place, value: unknown): void {
  if (!Array.isArray(container)) setField(container, key, value);
  else if (key === "-") container.push(value);
  else container.splice(indexOf(key, container.length + 1), 0, value);
}

function removeAt({ container, key }: Place): void {
  if (Array.isArray(container)) container.splice(indexOf(key, container.length), 1);
  else if (Object.hasOwn(container, key)) Reflect.deleteProperty(container, key);
  else throw doesNotApply();
}

function replaceAt(place: Place, value: unknown): void {
  const { container, key } = place;
  if (Array.isArray(container)) container[indexOf(key, container.length)] = value;
  else setField(container, key, value);
}

function testAt(document: unknown, operation: Operation, progress: Progress): void {
  const { path } = operation;
  const value = path === "" ? document : valueAt(findPlace(document, path, progress));
  if (!sameJson(value ?? null, operation.value ?? null)) throw doesNotApply();
  openAll(value, progress.opened);
}

function openAll(value: unknown, opened: Set<object>): void {
  if (typeof value !== "object" || value === null) return;
  opened.add(value);
  for (const part of Object.values(value)) openAll(part, opened);
}

/** Applies one operation in place. @returns the document, which `replace` of "" exchanges */
function operate(document: unknown, operation: Operation, progress: Progress): unknown {
  const { op, path, from, value = null } = operation;
  switch (op) {
    case "add":
      addAt(findPlace(document, path, progress), copyJson(value));
      return document;
    case "remove":
      removeAt(findPlace(document, path, progress));
      return document;
    case "replace":
      if (path === "") return copyJson(asContainer(value));
      replaceAt(findPlace(document, path, progress), copyJson(value));
      return document;
    case "move": {
      const source = findPlace(document, from, progress);
      const moved = valueAt(source);
      removeAt(source);
      addAt(findPlace(document, path, progress), moved);
      return document;
    }
    case "copy": {
      const copy = copyJson(valueAt(findPlace(document, from, progress)) ?? null);
      progress.copied += Buffer.byteLength(encodeJson(copy));
      if (progress.copied > MAX_COPIED_BYTES) throw doesNotApply();
      addAt(findPlace(document, path, progress), copy);
      return document;
    }
    case "test":
      testAt(document, operation, progress);
      return document;
    default:
      throw doesNotApply();
  }
}

/**
 * The document after a JSON patch (RFC 6902, as Kubernetes reads it). The input stays as it is, and
 * the result shares nothing with it; a patch of `null` changes nothing.
 *
 * @param patch - the parsed patch, of any shape
 * @param opened - receives the objects and arrays of the result that the patch visited
 * @throws StatusError 400 for another shape than a list of operations, 413 for more than 10000 of
 * them, 422 when one does not apply
 */
export function applyJsonPatch(
  document: unknown,
  patch: unknown,
  opened = new Set<object>(),
): unknown {
  if (patch === null) return copyJson(document);
  if (!Array.isArray(patch)) {
    throw undecodable(`${goKindOf(patch)} into Go value of type []handlers.jsonPatchOp`);
  }
  const operations = patch.map(readOperation);
  if (operations.length > MAX_OPERATIONS) {
    throw failure(
      413,
      "RequestEntityTooLarge",
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  const progress: Progress = { copied: 0, opened };
  return operations.reduce<unknown>(
    (patched, operation) => operate(patched, operation, progress),
    copyJson(document),
  );
}

/** A value that a merge patch brings: objects in it lose their nulls, those in arrays too. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const [key, field] of Object.entries(value)) {
    if (field !== null) setField(kept, key, withoutNulls(field));
  }
  return kept;
}

function merge(target: JsonObject, patch: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const [key, current] of Object.entries(target)) {
    const change = getField(patch, key);
    if (change === undefined) setField(merged, key, current);
    else if (change !== null) setField(merged, key, replacement(current, change));
  }
  for (const [key, change] of Object.entries(patch)) {
    if (change !== null && !Object.hasOwn(target, key)) setField(merged, key, withoutNulls(change));
  }
  return merged;
}

/** The replacement of `current` by a change that is not null. */
function replacement(current: unknown, change: unknown): unknown {
  if (!isJsonObject(current)) return withoutNulls(change);
  // An array that replaces an object is taken as it is; everywhere else nulls are dropped.
  return isJsonObject(change) ? merge(current, change) : copyJson(change);
}

/**
 * The document after a JSON merge patch (RFC 7386). The input stays as it is; the result shares the
 * parts with it that the patch does not mention.
 *
 * @param patch - the parsed patch, of any shape
 * @throws StatusError 400 when the patch is not an object
 */
export function applyMergePatch(document: JsonObject, patch: unknown): JsonObject {
  if (patch === null) throw failure(400, "BadRequest", "Invalid JSON Patch");
  if (!isJsonObject(patch)) {
    throw undecodable(`${goKindOf(patch)} into Go value of type map[string]interface {}`);
  }
  return merge(document, patch);
}
