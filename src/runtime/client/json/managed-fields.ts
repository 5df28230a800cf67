/**
 * Takes managedFields out of objects, if possible before they are parsed: they are a third to a half of most objects, no
 * cache keeps them, and to parse them takes many times as long as to find their end.
 *
 * Where they stand is not worked out but guessed, with searches that take next to nothing, and proven afterwards: each one
 * that is cut leaves a mark, and all marks have to come up in the metadata of the objects.
 *
 * @module
 */
import type { KubeObject } from "../../../kube/object.ts";

// Its key in two parts: a search looks for the first character, and a capital is seldom.
const KEY_START = Buffer.from(`"managed`);
const KEY_END = Buffer.from(`Fields":[{"`);
/** Where the value begins, behind `KEY_START`. */
const VALUE = `Fields":`.length;
const MARK = 0;
const MARK_BYTE = 0x30;

const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;

/** A copy of some JSON. */
export interface Copied {
  readonly end: number;
  /** How many values in it are a mark. */
  readonly cuts: number;
}

/**
 * Copies JSON into `copy`, from `start` on, with a mark in the place of what looks like managedFields. Only `dropMark`
 * tells whether they were, and whether what was taken for their end is it: otherwise the JSON is broken, or has fewer
 * marks where they belong.
 */
export function copyWithoutManagedFields(json: Buffer, copy: Buffer, start: number): Copied {
  let written = start;
  let copied = 0;
  let cuts = 0;
  for (let at = json.indexOf(KEY_END); at >= 0; at = json.indexOf(KEY_END, at + 1)) {
    if (!isKey(json, at)) continue;
    const end = endOfEntries(json, at);
    if (end < 0) break;
    written += json.copy(copy, written, copied, at + VALUE);
    copy[written++] = MARK_BYTE;
    cuts++;
    copied = end;
    at = end;
  }
  written += json.copy(copy, written, copied);
  return { end: written, cuts };
}

/** Whether the whole key stands where its end does. */
function isKey(json: Buffer, end: number): boolean {
  const start = end - KEY_START.length;
  if (start < 0) return false;
  for (let at = 0; at < KEY_START.length; at++) {
    if (json[start + at] !== KEY_START[at]) return false;
  }
  return true;
}

/** Takes the mark out of the object's metadata; returns whether there was one. */
export function dropMark(object: unknown): boolean {
  const { metadata } = (object ?? {}) as { metadata?: { managedFields?: unknown } | null };
  if (metadata?.managedFields !== MARK) return false;
  dropManagedFields(object as KubeObject);
  return true;
}

/** Takes the managedFields out of an object that has some. */
export function dropManagedFields(object: KubeObject): void {
  const { metadata } = object;
  let last = "";
  for (const field in metadata) last = field;
  // V8 takes back the field that came last; without another one the object would become a dictionary, slow and large.
  if (last === "managedFields") delete metadata.managedFields;
  else object.metadata = metadataWithoutManagedFields(object);
}

/** The object's metadata without its managedFields: a copy where it has some. */
export function metadataWithoutManagedFields({ metadata }: KubeObject): KubeObject["metadata"] {
  const { managedFields, ...kept } = metadata;
  return managedFields === undefined ? metadata : kept;
}

/** Behind the array of objects that `at` is before: none of them has an array in it, but texts with brackets. */
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
