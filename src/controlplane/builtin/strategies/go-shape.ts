/**
 * Gives an object of a built-in kind the shape in which the API server prints it.
 *
 * That server keeps built-in objects in Go structs. Fields whose value a struct does not distinguish
 * from absence are dropped (`labels: {}`, `hostNetwork: false`), fields that a struct always has are
 * printed (`resources: {}`, `containers: null`), quantities and times are printed in their canonical
 * form. `scripts/kubernetes/go-shape.mjs` makes the table of the fields, each with a code:
 *
 *   `?`: dropped when empty
 *   `text`, `number`, `bool`: always printed
 *   `!T`: a struct, always printed; `?!T`: dropped when empty; `*T`: may be absent
 *   `[]T`, `{}T`: a list or map, null when empty; `?[]T`, `?{}T`: dropped when empty
 *   `null`: null when absent
 *   `quantity`, `time`, `microTime`: with `*` when they may be absent
 *   `{}exact`: quantities that keep their precision
 *   `~`, `~T`, `~{}T`: left as it is
 *
 * The fields of a type are in the order in which that server prints them.
 */
import { asJson, getField, setField } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { formatQuantity, parseQuantity, roundUpToMilli } from "../../../kube/values/quantity.ts";
import { LineTable } from "../../line-table.ts";
import { markEmptied, noteEmptied } from "./emptied.ts";

type Fields = readonly (readonly [field: string, code: string])[];

const types = new LineTable<Fields>(new URL("./go-shape.data.json", import.meta.url), (text) =>
  Object.entries(JSON.parse(text) as Record<string, string>),
);

/**
 * The fields of a type in the order in which a server written in Go prints them, each with the code
 * of its type.
 *
 * @param type - such as `apps/v1.Deployment`
 */
export function findGoFields(type: string): Fields | undefined {
  return types.get(type);
}

/**
 * Converts `object` into its printed shape, in place. Kinds that the table does not cover are left
 * alone.
 */
export function normaliseShape(object: SentObject): void {
  const lost = { any: false };
  shapeStruct(asJson(object), `${object.apiVersion}.${object.kind}`, lost);
  if (lost.any) markEmptied(object);
}

/** Records whether an empty list or map was dropped. */
interface Lost {
  any: boolean;
}

function shapeStruct(value: JsonObject, type: string, lost: Lost): void {
  const fields = types.get(type);
  if (!fields) return;
  for (const [field, code] of fields) {
    if (!code.startsWith("~")) shapeField(value, field, code, lost);
  }
}

function shapeField(parent: JsonObject, field: string, code: string, lost: Lost): void {
  const value = Object.hasOwn(parent, field) ? parent[field] : undefined;
  if (code === "?") {
    if (isZero(value)) Reflect.deleteProperty(parent, field);
    return;
  }
  if (code === "null") {
    parent[field] = value ?? null;
    return;
  }
  const zero = ZERO[code];
  if (zero !== undefined) {
    if (value === undefined || value === null) parent[field] = zero;
    else if (code === "quantity") parent[field] = canonicalQuantity(value, false);
    return;
  }
  // The code of an optional field begins with a question mark.
  const kind = code.charAt(isOptional(code) ? 1 : 0);
  if (kind === "[") shapeList(parent, field, value, code, lost);
  else if (kind === "{") shapeMap(parent, field, value, code, lost);
  else if (kind === "!") shapeEmbedded(parent, field, value, code, lost);
  else if (kind === "*") shapePointer(parent, field, value, code, lost);
  else parent[field] = canonicalTime(value, code) ?? null;
}

const isOptional = (code: string): boolean => code.startsWith("?");

/** The type in a code: the text after its sign. */
const typeIn = (code: string, sign: string): string =>
  code.slice(sign.length + (isOptional(code) ? 1 : 0));

const ZERO: Readonly<Record<string, string | number | boolean>> = {
  text: "",
  number: 0,
  bool: false,
  quantity: "0",
};

function isZero(value: unknown): boolean {
  return value === undefined || value === null || value === "" || value === 0 || value === false;
}

function shapeList(
  parent: JsonObject,
  field: string,
  value: unknown,
  code: string,
  lost: Lost,
): void {
  if (!Array.isArray(value) || value.length === 0) {
    if (Array.isArray(value)) {
      lost.any = true;
      noteEmptied(parent, field, "list");
    }
    if (value === undefined || value === null || Array.isArray(value)) {
      clear(parent, field, code);
    }
    return;
  }
  const element = typeIn(code, "[]");
  if (element === "") return;
  value.forEach((item: unknown, index) => {
    if (isObject(item)) shapeStruct(item, element, lost);
    else if (Array.isArray(item)) {
      for (const inner of item) if (isObject(inner)) shapeStruct(inner, element, lost);
    } else value[index] = shapeScalar(item, element);
  });
}

function shapeMap(
  parent: JsonObject,
  field: string,
  value: unknown,
  code: string,
  lost: Lost,
): void {
  if (!isObject(value)) {
    if (value === undefined || value === null) clear(parent, field, code);
    return;
  }
  const keys = Object.keys(value);
  if (keys.length === 0) {
    lost.any = true;
    noteEmptied(parent, field, "map");
    clear(parent, field, code);
    return;
  }
  sortKeys(value, keys);
  const element = typeIn(code, "{}");
  if (element === "") return;
  for (const key of keys) {
    const item = value[key];
    if (isObject(item)) shapeStruct(item, element, lost);
    else value[key] = shapeScalar(item, element);
  }
}

/** Sorts the keys of a map, as Go prints them. */
function sortKeys(value: JsonObject, keys: readonly string[]): void {
  if (keys.every((key, index) => index === 0 || (keys[index - 1] ?? "") < key)) return;
  for (const key of keys.toSorted()) {
    const item = getField(value, key);
    Reflect.deleteProperty(value, key);
    setField(value, key, item);
  }
}

function clear(parent: JsonObject, field: string, code: string): void {
  if (isOptional(code)) Reflect.deleteProperty(parent, field);
  else parent[field] = null;
}

function shapeEmbedded(
  parent: JsonObject,
  field: string,
  value: unknown,
  code: string,
  lost: Lost,
): void {
  const type = typeIn(code, "!");
  if (value === undefined || value === null) {
    if (isOptional(code)) {
      Reflect.deleteProperty(parent, field);
      return;
    }
    const made: JsonObject = {};
    parent[field] = made;
    shapeStruct(made, type, lost);
  } else if (isObject(value)) {
    shapeStruct(value, type, lost);
    if (isOptional(code) && Object.keys(value).length === 0) Reflect.deleteProperty(parent, field);
  }
}

function shapePointer(
  parent: JsonObject,
  field: string,
  value: unknown,
  code: string,
  lost: Lost,
): void {
  const type = typeIn(code, "*");
  if (value === null) Reflect.deleteProperty(parent, field);
  else if (isObject(value)) shapeStruct(value, type, lost);
  else if (value !== undefined) {
    parent[field] =
      type === "quantity" ? canonicalQuantity(value, false) : shapeScalar(value, type);
  }
}

function shapeScalar(value: unknown, type: string): unknown {
  if (type === "quantity" || type === "exact") return canonicalQuantity(value, type === "quantity");
  return type === "time" || type === "microTime" ? canonicalTime(value, type) : value;
}

/**
 * Rounds up values in resource lists of the core group to a thousandth; others keep their
 * precision.
 */
function canonicalQuantity(value: unknown, inList: boolean): unknown {
  if (typeof value !== "string" && typeof value !== "number") return value ?? "0";
  const quantity = parseQuantity(value);
  return formatQuantity(inList ? roundUpToMilli(quantity) : quantity);
}

/** A time in UTC, with whole seconds, or with six digits of a second for a `microTime`. */
function canonicalTime(value: unknown, type: string): unknown {
  if (typeof value !== "string") return value;
  const canonical =
    type === "microTime"
      ? /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
      : /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
  if (canonical.test(value)) return value;
  const at = Date.parse(value);
  if (Number.isNaN(at)) return value;
  const seconds = new Date(at).toISOString().slice(0, 19);
  if (type !== "microTime") return `${seconds}Z`;
  const fraction = /\.(\d+)/.exec(value)?.[1] ?? "";
  return `${seconds}.${fraction.slice(0, 6).padEnd(6, "0")}Z`;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
