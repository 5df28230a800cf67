/**
 * Keeps equal parts of the objects of one kind in memory once. They are much alike: the pods of a
 * deployment differ in their names, addresses and times, an object's next version in its status.
 *
 * An object is compared with one other, field by field, so nothing is hashed, and no part appears
 * in one object twice: a copy of an object is a tree. Values that are compared and dropped at once
 * are young, and cost the garbage collector nothing; so a list takes no longer to load than without
 * this.
 */
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject, KubeObject } from "../../kube/object.ts";

// The number of families after which they are forgotten: each costs some bytes, also when its
// objects are gone.
const MAX_FAMILIES = 10_000;
// V8 keeps shorter strings once by itself, as names of fields.
const MIN_STRING = 11;
// Longer strings, such as scripts, are rarely equal, except in the same field of similar objects.
const MAX_STRING = 128;
const RECENT_STRINGS = 1024;
// Deeper parts are kept as they came: they are seldom equal, and the stack ends after some
// thousands of levels.
const MAX_LEVELS = 200;

export class SharedParts<T extends KubeObject = KubeObject> {
  // The first object of each owner: objects of one owner are most alike.
  readonly #families = new Map<string, WeakRef<T>>();
  #last: T | undefined;
  readonly #strings: RecentStrings = new Array<string>(RECENT_STRINGS).fill("");

  /**
   * Replaces parts of `object` by equal ones of others. Its content stays the same; a frozen object
   * stays as it is.
   *
   * @param known - its version before, if there is one
   */
  share(object: T, known: T | undefined): void {
    if (!Object.isExtensible(object)) return;
    const like = known ?? this.#like(object);
    if (like) reuse(like, object, this.#strings, 0);
  }

  /** The known object that is most like `object`; from now on `object` stands for its family. */
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

/** Recent strings, each at the slot that its text hashes to, until another one takes that slot. */
type RecentStrings = string[];

/** Whether the two are equal. If not, the parts of `next` that equal those of `known` are replaced by them. */
function reuse(known: unknown, next: unknown, strings: RecentStrings, level: number): boolean {
  if (known === next) return true;
  if (level === MAX_LEVELS) return false;
  if (Array.isArray(known)) return Array.isArray(next) && reuseItems(known, next, strings, level);
  if (!isJsonObject(known) || !isJsonObject(next)) return false;
  return reuseFields(known, next, strings, level);
}

/** `reuse` for arrays. */
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

/** `reuse` for objects. */
function reuseFields(
  known: JsonObject,
  next: JsonObject,
  strings: RecentStrings,
  level: number,
): boolean {
  // How many fields are equal and not replaced yet: none needs replacing where all are equal.
  let equal = 0;
  let same = true;
  for (const key in next) {
    // An object without a field `__proto__` has the shared prototype under that name.
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

/**
 * Whether the value takes memory of its own: neither stored inline nor kept once by V8. Setting a
 * field takes as long as comparing it.
 */
function takesRoom(value: unknown): boolean {
  return typeof value === "string" ? value.length >= MIN_STRING : typeof value === "object";
}

/** An equal string that was met recently. */
function recent(value: unknown, strings: RecentStrings): string | undefined {
  if (typeof value !== "string") return undefined;
  const { length } = value;
  if (length < MIN_STRING || length > MAX_STRING) return undefined;
  // The slot depends on the length and on some characters: times and identifiers differ everywhere,
  // names at their ends.
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
