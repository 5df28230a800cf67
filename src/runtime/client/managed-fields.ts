/**
 * Takes managedFields out of objects, if possible before they are parsed: they are a third to a half of most objects, no
 * cache keeps them, and to parse them takes many times as long as to find their end.
 *
 * Where they stand is not worked out but guessed, with searches that take next to nothing, and proven afterwards: each one
 * that is cut leaves a mark, and all marks have to come up in the metadata of the objects.
 *
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";

// Its key in two parts: V8 looks for the first character, and a capital is seldom.
const KEY_START = `"managed`;
const KEY_END = `Fields":[{"`;
/** Where the value begins, behind `KEY_START`. */
const VALUE = `Fields":`.length;
const MARK = 0;

const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;

/**
 * JSON in which what looks like managedFields is replaced by a mark, and how often that happened. Only `dropMark` tells
 * whether they were, and whether what was taken for their end is it: otherwise the text is broken, or has fewer marks where
 * they belong.
 */
export function cutManagedFields(text: string): { readonly kept: string; readonly cuts: number } {
  let kept = "";
  let copied = 0;
  let cuts = 0;
  for (let at = text.indexOf(KEY_END); at >= 0; at = text.indexOf(KEY_END, at + 1)) {
    if (!text.startsWith(KEY_START, at - KEY_START.length)) continue;
    const end = endOfEntries(text, at);
    if (end < 0) break;
    kept += `${text.slice(copied, at + VALUE)}${MARK}`;
    cuts++;
    copied = end;
    at = end;
  }
  return { kept: kept + text.slice(copied), cuts };
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
function endOfEntries(text: string, at: number): number {
  for (let end = text.indexOf("]", at); end >= 0; end = text.indexOf("]", end + 1)) {
    const next = text.charCodeAt(end + 1);
    const ends = next === CLOSE_BRACE || next === COMMA;
    if (ends && text.charCodeAt(end - 1) === CLOSE_BRACE) return end + 1;
  }
  return -1;
}
