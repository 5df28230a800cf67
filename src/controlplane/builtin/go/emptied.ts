/**
 * Lists and maps that a client sent empty, which the printed shape of an object does not
 * distinguish from absent ones.
 *
 * A server written in Go distinguishes them until it stores the object: its messages show an empty
 * one as `[]` or `{}` and an absent one as null, and a client that sends an empty list that is
 * printed as null owns the field. So such fields are noted on their parents, under symbols:
 * comparisons and copies as JSON ignore these notes, copies by spread keep them.
 */
import { copyJson, getField, isJsonObject, setField } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";

type Kind = "list" | "map";

const FIELDS = Symbol("fields sent empty");
const ANY = Symbol("has fields sent empty");

interface Noted {
  [FIELDS]?: Readonly<Record<string, Kind>>;
  [ANY]?: true;
}

/** Notes that a field of `parent` was sent empty. */
export function noteEmptied(parent: JsonObject, field: string, kind: Kind): void {
  const noted: Noted = parent;
  noted[FIELDS] = { ...noted[FIELDS], [field]: kind };
}

/** Notes that the object has such fields somewhere. */
export function markEmptied(root: SentObject): void {
  Object.assign(root, { [ANY]: true });
}

/** The empty list or map that was sent for a field; `undefined` when none was. */
function sentEmpty(parent: object, field: string): [] | JsonObject | undefined {
  const { [FIELDS]: kinds }: Noted = parent;
  const kind = kinds?.[field];
  if (kind === undefined) return undefined;
  return kind === "list" ? [] : {};
}

/** The field as Go keeps it: empty when it was sent empty, null when absent. */
export function asGiven(parent: object | null | undefined, field: string): unknown {
  if (!parent) return null;
  return getField(parent as JsonObject, field) ?? sentEmpty(parent, field) ?? null;
}

/** Whether any part of a value was sent with an empty list or map. */
export function holdsEmptied(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsEmptied);
  if (!isJsonObject(value)) return false;
  return FIELDS in value || Object.values(value).some(holdsEmptied);
}

/**
 * The object as it is read after it was stored: itself, or a copy when fields of it were sent
 * empty.
 */
export function withoutEmptied<T extends SentObject>(object: T): T {
  return ANY in object ? copyJson(object) : object;
}

/**
 * The object with its empty lists and maps, where the printed shape has null; a copy when there are
 * any.
 */
export function withEmptied(object: SentObject): SentObject {
  return ANY in object ? restored(object) : object;
}

function restored<T>(value: T): T;
function restored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((part) => restored<unknown>(part));
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [field, part] of Object.entries(value)) {
    setField(copy, field, part === null ? asGiven(value, field) : restored(part));
  }
  return copy;
}
