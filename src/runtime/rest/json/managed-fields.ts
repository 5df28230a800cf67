/**
 * Removes managedFields from objects, if possible before they are parsed: they are a third to a
 * half of most objects, no cache keeps them, and parsing them takes many times as long as finding
 * their end.
 *
 * Their position is not computed but guessed, with searches that take almost no time, and proven
 * afterwards: each cut leaves a mark, and all marks must turn up in the metadata of the objects.
 */
import type { KubeObject } from "../../../kube/object.ts";

// The key in two parts: a search looks for the first character, and capitals are rare.
const KEY_START = Buffer.from(`"managed`);
const KEY_END = Buffer.from(`Fields":[{"`);
/** Where the value begins, behind `KEY_START`. */
const VALUE = `Fields":`.length;
const MARK = 0;
const MARK_BYTE = 0x30;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;

/** The place of a value in some JSON. */
export interface Cut {
  readonly start: number;
  readonly end: number;
}

/** A copy of some JSON, with marks. */
export interface Copied {
  readonly end: number;
  /** The values that are a mark in the copy. */
  readonly cuts: readonly Cut[];
}

/** Gets each object that has managedFields, and what reads them, while it is called. */
export type ManagedFieldsListener = (object: KubeObject, managedFields: () => unknown) => void;

/**
 * Copies JSON into `copy`, from `start` on, with a mark in the place of everything that looks like
 * managedFields. Only `dropMark` proves that it was, and that its end was right: otherwise the JSON
 * is broken, or has fewer marks where they belong.
 */
export function copyWithoutManagedFields(json: Buffer, copy: Buffer, start: number): Copied {
  let written = start;
  let copied = 0;
  const cuts: Cut[] = [];
  for (let at = json.indexOf(KEY_END); at >= 0; at = json.indexOf(KEY_END, at + 1)) {
    if (!isKey(json, at)) continue;
    const end = endOfEntries(json, at);
    if (end < 0) break;
    const value = at + VALUE;
    written += json.copy(copy, written, copied, value);
    copy[written++] = MARK_BYTE;
    cuts.push({ start: value, end });
    copied = end;
    at = end;
  }
  written += json.copy(copy, written, copied);
  return { end: written, cuts };
}

/** Whether the whole key precedes this end of it. */
function isKey(json: Buffer, end: number): boolean {
  const start = end - KEY_START.length;
  if (start < 0) return false;
  for (let at = 0; at < KEY_START.length; at++) {
    if (json[start + at] !== KEY_START[at]) return false;
  }
  return true;
}

/** Removes the mark from the object's metadata; returns whether there was one. */
export function dropMark(object: unknown): object is KubeObject {
  if (managedFieldsOf(object) !== MARK) return false;
  dropManagedFields(object as KubeObject);
  return true;
}

/** The managedFields of a value, if it is an object that has some. */
export function managedFieldsOf(object: unknown): unknown {
  const { metadata } = (object ?? {}) as { metadata?: { managedFields?: unknown } | null };
  return metadata?.managedFields;
}

export function dropManagedFields(object: KubeObject): void {
  const { metadata } = object;
  let last = "";
  for (const field in metadata) last = field;
  // V8 can undo the field that was added last; deleting another one would make the object a
  // dictionary, slow and large.
  if (last === "managedFields") delete metadata.managedFields;
  else object.metadata = metadataWithoutManagedFields(object);
}

/** The object's metadata without its managedFields; a copy where it has some. */
export function metadataWithoutManagedFields({ metadata }: KubeObject): KubeObject["metadata"] {
  const { managedFields, ...kept } = metadata;
  return managedFields === undefined ? metadata : kept;
}

/**
 * The position after the array of objects that begins at `at`: none of them has an array in it, but
 * strings may have brackets.
 */
function endOfEntries(json: Buffer, at: number): number {
  for (
    let end = json.indexOf(CLOSE_BRACKET, at);
    end >= 0;
    end = json.indexOf(CLOSE_BRACKET, end + 1)
  ) {
    const next = json[end + 1];
    const ends = next === CLOSE_BRACE || next === COMMA;
    if (ends && json[end - 1] === CLOSE_BRACE) return end + 1;
  }
  return -1;
}
