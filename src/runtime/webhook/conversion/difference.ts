/**
 * The difference between an object and its copy after a conversion to another version and back: the
 * fields that the other version cannot hold. Applied to that copy, it restores the object; applied
 * to a copy that a user of the other version has changed, it keeps their changes and restores the
 * rest.
 */
import { getField, isJsonObject, sameJson, setField } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";
import { elementIdentity, identityOf } from "./identity.ts";
import { listDifference, type ListDifference, restoreList } from "./list-difference.ts";

/** A value that came back changed, did not come back, or came back although it was absent. */
interface ValueDifference {
  /** The value before; absent: it had none. */
  readonly value?: unknown;
  /** The identity of the value that came back; absent: none did. */
  readonly came?: string;
}

/** The difference between two objects, by the fields that differ. */
export interface FieldsDifference {
  readonly fields: Readonly<Record<string, Difference>>;
}

/** The difference between a value and its copy after a round trip. */
export type Difference =
  | ValueDifference
  | FieldsDifference
  | { readonly list: ListDifference<Difference> };

/** A deeper value counts as one that differs as a whole: recursive functions need stack space. */
const MAX_LEVELS = 100;

/** The same of a list that is in so many others: each of them is restored on its own to compare it. */
const MAX_LISTS = 8;

/**
 * The elements whose partners are looked for, of all lists of an object, before and after. A longer list counts as one
 * that differs as a whole. The differences of so many elements would not fit into an annotation.
 */
const MAX_ELEMENTS = 20_000;

/** Where two values are that are compared. */
interface Place {
  readonly level: number;
  /** The number of lists around them. */
  readonly lists: number;
  /** What is left for all values. */
  readonly left: { elements: number };
}

/** The difference between two values; `undefined` when they are equal. */
export function differenceOf(value: unknown, came: unknown): Difference | undefined {
  return compare(value, came, { level: 0, lists: 0, left: { elements: MAX_ELEMENTS } });
}

function compare(value: unknown, came: unknown, place: Place): Difference | undefined {
  const { level, lists, left } = place;
  if (level < MAX_LEVELS && isJsonObject(value) && isJsonObject(came)) {
    const fields = fieldsOf(value, came, { ...place, level: level + 1 });
    return Object.keys(fields).length === 0 ? undefined : { fields };
  }
  if (sameJson(value, came)) return undefined;
  const whole = (): Difference => ({ value, came: identityOf(came) });
  if (!Array.isArray(value) || !Array.isArray(came)) return whole();
  const elements = value.length + came.length;
  if (level >= MAX_LEVELS || lists >= MAX_LISTS || elements > left.elements) return whole();
  left.elements -= elements;
  const below = { level: level + 1, lists: lists + 1, left };
  const list = listDifference(value, came, (one, other) => compare(one, other, below));
  // Elements that look alike may have been mistaken for each other.
  return sameJson(restore(came, { list }), value) ? { list } : whole();
}

function fieldsOf(value: JsonObject, came: JsonObject, place: Place): Record<string, Difference> {
  const fields: Record<string, Difference> = {};
  for (const key of Object.keys(value)) {
    const difference = Object.hasOwn(came, key)
      ? compare(value[key], came[key], place)
      : { value: value[key] };
    if (difference) setField(fields, key, difference);
  }
  for (const key of Object.keys(came)) {
    if (!Object.hasOwn(value, key)) setField(fields, key, { came: identityOf(came[key]) });
  }
  return fields;
}

/**
 * A value with the parts that the other version could not hold, as far as they still fit. `value`
 * itself is not changed.
 */
export function restore(value: unknown, difference: Difference): unknown {
  if ("fields" in difference) {
    return isJsonObject(value) ? restoreFields(value, difference.fields) : value;
  }
  if ("list" in difference) {
    const isSmall = Array.isArray(value) && value.length <= MAX_ELEMENTS;
    return isSmall ? restoreList(value, difference.list, restore) : value;
  }
  // A change by the user of the other version wins.
  return difference.came === identityOf(value) ? difference.value : value;
}

function restoreFields(
  value: JsonObject,
  fields: Readonly<Record<string, Difference>>,
): JsonObject {
  const restored: JsonObject = {};
  for (const key of Object.keys(value)) setField(restored, key, value[key]);
  for (const [key, difference] of Object.entries(fields)) {
    const isThere = Object.hasOwn(value, key);
    if ("fields" in difference || "list" in difference) {
      if (isThere) setField(restored, key, restore(value[key], difference));
    } else if (difference.came === undefined) {
      setField(restored, key, filledUp(getField(value, key), difference.value));
    } else if (isThere && difference.came === identityOf(value[key])) {
      if ("value" in difference) setField(restored, key, difference.value);
      else delete restored[key];
    }
  }
  return restored;
}

/**
 * Adds values that did not come back, unless the user of the other version has set others: fields
 * that they did not set, and elements of lists that they did not add.
 */
function filledUp(value: unknown, kept: unknown, level = 0): unknown {
  if (value === undefined) return kept;
  if (level >= MAX_LEVELS) return value;
  if (isJsonObject(value) && isJsonObject(kept)) {
    const filled: JsonObject = {};
    for (const key of Object.keys(value)) setField(filled, key, value[key]);
    for (const key of Object.keys(kept)) {
      setField(filled, key, filledUp(getField(value, key), kept[key], level + 1));
    }
    return filled;
  }
  if (!Array.isArray(value) || !Array.isArray(kept)) return value;
  const known = new Set(value.map(elementIdentity));
  const missing = kept.filter((element) => !known.has(elementIdentity(element)));
  return missing.concat(value);
}

/** Whether a value, which somebody else may have written, is a difference. */
export function isDifference(value: unknown, level = 0, lists = 0): value is Difference {
  if (!isJsonObject(value) || level > MAX_LEVELS || lists > MAX_LISTS) return false;
  if ("fields" in value) {
    return isJsonObject(value["fields"]) && areDifferences(value["fields"], level, lists);
  }
  if ("list" in value) return isListDifference(value["list"], level, lists + 1);
  const { came } = value;
  return came === undefined ? "value" in value : typeof came === "string";
}

const areDifferences = (values: JsonObject, level: number, lists: number): boolean =>
  Object.values(values).every((one) => isDifference(one, level + 1, lists));

const isPlace = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= -1;
const arePlaces = (value: unknown): boolean => Array.isArray(value) && value.every(isPlace);
const areTexts = (value: unknown): boolean =>
  isJsonObject(value) && Object.values(value).every((text) => typeof text === "string");

function isListDifference(value: unknown, level: number, lists: number): boolean {
  if (!isJsonObject(value)) return false;
  const { length, came, named = {}, changed = {}, added = [], lost = [], order = [] } = value;
  return (
    isPlace(length) &&
    areTexts(came) &&
    areTexts(named) &&
    isJsonObject(changed) &&
    areDifferences(changed, level, lists) &&
    arePlaces(added) &&
    arePlaces(order) &&
    Array.isArray(lost) &&
    lost.every(
      (one) => isJsonObject(one) && isPlace(one["after"]) && isPlace(one["at"]) && "value" in one,
    )
  );
}
