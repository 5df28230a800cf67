/**
 * Objects of one kind are much alike: the pods of a deployment differ in their names, addresses and times, an object's
 * next version in its status. What is equal is kept in memory once.
 *
 * An object is compared with one other, place by place, so nothing is hashed, and no part comes to be in one object twice:
 * who copies an object gets a tree. What is compared and thrown away at once is young, and costs the collector
 * nothing; so a list is in memory no later than without this.
 *
 * @module
 */
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject, KubeObject } from "../../kube/object.ts";

// Who has made more sets of equal objects than this begins anew: each costs some bytes, also when its objects are gone.
const MAX_FAMILIES = 10_000;
// V8 keeps shorter strings once by itself, as names of fields.
const MIN_STRING = 11;
// Longer ones, such as scripts, are seldom equal but for their place.
const MAX_STRING = 128;
const RECENT_STRINGS = 1024;
// What is deeper is kept as it came: parts so deep are seldom equal, and the stack ends after some thousands of levels.
const MAX_LEVELS = 200;

/** Lets the objects of one kind share what is equal in them. */
export class SharedParts<T extends KubeObject = KubeObject> {
  // Of the objects of one owner, the first: most alike of all.
  readonly #families = new Map<string, WeakRef<T>>();
  #last: T | undefined;
  readonly #strings: RecentStrings = new Array<string>(RECENT_STRINGS).fill("");

  /**
   * Replaces parts of `object` by equal ones of others. What it says stays the same; a frozen object stays as it is.
   *
   * @param known - its version before, if there is one
   */
  share(object: T, known: T | undefined): void {
    if (!Object.isExtensible(object)) return;
    const like = known ?? this.#like(object);
    if (like) reuse(like, object, this.#strings, 0);
  }

  /** The object that is most like `object`, as far as is known; that of the next one may be this. */
  #like(object: T): T | undefined {
    const last = this.#last;
    const owner = object.metadata.ownerReferences?.[0]?.uid;
    if (owner !== undefined) {
      const first = this.#families.get(owner)?.deref();
      if (first) return first;
      if (this.#families.size >= MAX_FAMILIES) this.#families.clear();
      this.#families.set(owner, new WeakRef(object));
    }
    this.#last = object;
    return last;
  }
}

/** Strings that were met, each at the place that its text gives it, until another one takes that. */
type RecentStrings = string[];

/** Whether the two are equal. If not, the parts of `next` that equal those of `known` are replaced by them. */
function reuse(known: unknown, next: unknown, strings: RecentStrings, level: number): boolean {
  if (known === next) return true;
  if (level === MAX_LEVELS) return false;
  if (Array.isArray(known)) return Array.isArray(next) && reuseItems(known, next, strings, level);
  if (!isJsonObject(known) || !isJsonObject(next)) return false;
  return reuseFields(known, next, strings, level);
}

/** As `reuse`, of arrays. */
function reuseItems(
  known: unknown[],
  next: unknown[],
  strings: RecentStrings,
  level: number,
): boolean {
  let same = known.length === next.length;
  for (let at = 0; at < next.length; at++) {
    const was = known[at];
    if (reuse(was, next[at], strings, level + 1)) {
      if (!same && takesRoom(was)) next[at] = was;
      continue;
    }
    if (same) for (let before = 0; before < at; before++) next[before] = known[before];
    same = false;
    const equal = recent(next[at], strings);
    if (equal !== undefined) next[at] = equal;
  }
  return same;
}

/** As `reuse`, of objects. */
function reuseFields(
  known: JsonObject,
  next: JsonObject,
  strings: RecentStrings,
  level: number,
): boolean {
  // How many fields are equal and not replaced yet: none needs to be where all are.
  let equal = 0;
  let same = true;
  for (const key in next) {
    // That of an object without such a field is the prototype of all.
    const isField = key !== "__proto__";
    const was = isField ? known[key] : undefined;
    const is = next[key];
    if (isField && reuse(was, is, strings, level + 1)) {
      if (same) equal++;
      else if (takesRoom(was)) next[key] = was;
      continue;
    }
    if (same) takeFields(known, next, equal);
    same = false;
    const met = isField ? recent(is, strings) : undefined;
    if (met !== undefined) next[key] = met;
  }
  if (!same) return false;
  if (equal === countFields(known)) return true;
  takeFields(known, next, equal);
  return false;
}

/** How many fields have a value; `Object.keys` would make an array of their names. */
function countFields(object: JsonObject): number {
  let count = 0;
  for (const key in object) if (object[key] !== undefined) count++;
  return count;
}

/** Replaces the first `count` fields of `next`, which are equal. */
function takeFields(known: JsonObject, next: JsonObject, count: number): void {
  let left = count;
  for (const key in next) {
    if (left-- <= 0) return;
    const was = known[key];
    if (takesRoom(was)) next[key] = was;
  }
}

/** Whether the value is not in its object itself, nor kept once by V8. To set a field takes as long as to compare it. */
function takesRoom(value: unknown): boolean {
  return typeof value === "string" ? value.length >= MIN_STRING : typeof value === "object";
}

/** The equal string that came first, if that is not long ago. */
function recent(value: unknown, strings: RecentStrings): string | undefined {
  if (typeof value !== "string") return undefined;
  const { length } = value;
  if (length < MIN_STRING || length > MAX_STRING) return undefined;
  // Times and identifiers differ all over, names at their ends.
  const place =
    (length * 7 +
      value.charCodeAt(length - 1) +
      value.charCodeAt(length - 2) * 31 +
      value.charCodeAt(length - 5) * 37 +
      value.charCodeAt(length >> 1) * 17) %
    RECENT_STRINGS;
  const known = strings[place];
  if (known === value) return known;
  strings[place] = value;
  return undefined;
}
