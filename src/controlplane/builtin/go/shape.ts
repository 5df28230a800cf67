/**
 * Gives an object of a built-in kind the shape in which the API server prints it.
 *
 * That server keeps built-in objects in Go structs. Fields whose value a struct does not distinguish
 * from absence are dropped (`labels: {}`, `hostNetwork: false`), fields that a struct always has are
 * printed (`resources: {}`, `containers: null`), quantities and times are printed in their canonical
 * form. `scripts/make/kubernetes/go-shape.mjs` makes the table of the fields, each with a code:
 *
 *   `?`: dropped when empty
 *   `text`, `number`, `bool`: always printed
 *   `!T`: a struct, always printed; `*T`: may be absent
 *   `[]T`, `{}T`: a list or map, null when empty; `?[]T`, `?{}T`: dropped when empty
 *   `null`: null when absent
 *   `quantity`, `time`, `microTime`: with `*` when they may be absent
 *   `{}exact`: quantities that keep their precision
 *   `~`, `~T`, `~{}T`: left as it is
 *
 * The fields of a type are in the order in which that server prints them.
 */
import { asJson, getField, isJsonObject, setField } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { formatQuantity, parseQuantity, roundUpToMilli } from "../../../kube/values/quantity.ts";
import { LineTable } from "../../line-table.ts";
import { markEmptied, noteEmptied } from "./emptied.ts";
import { tableOf } from "../../../table.ts";

/** A field of a type, with the parts of its code. */
interface Field {
  readonly name: string;
  /** Whether the field is dropped when it is empty, and not printed as null. */
  readonly optional: boolean;
  readonly sign: string;
  /** The type, or that of the items of a list or map. */
  readonly type: string;
}

const types = new LineTable<readonly Field[]>(
  new URL("./shape.data.json", import.meta.url),
  (text) =>
    Object.entries(JSON.parse(text) as Record<string, string>).map(([name, code]) => {
      const [, mark = "", sign = "", type = ""] =
        /^(\??)(\[\]|\{\}|~(?:\{\})?|[!*]?)(.*)$/.exec(code) ?? [];
      return { name, optional: mark === "?" || sign === "*", sign, type };
    }),
);

/**
 * The fields of a type in the order in which a server written in Go prints them.
 *
 * @param type - such as `apps/v1.Deployment`
 */
export function findGoFields(type: string): readonly Field[] | undefined {
  return types.get(type);
}

/**
 * Converts `object` into its printed shape, in place. Kinds that the table does not cover are left
 * alone.
 */
export function normaliseShape(object: SentObject): void {
  const shaper = new Shaper();
  shaper.shape(asJson(object), `${object.apiVersion}.${object.kind}`);
  if (shaper.hasDropped) markEmptied(object);
}

const ZERO = tableOf<string | number | boolean>({
  text: "",
  number: 0,
  bool: false,
  quantity: "0",
});

class Shaper {
  /** Whether an empty list or map was dropped. */
  hasDropped = false;

  /** Shapes a struct of that type in place; parts that are as they should be may be frozen. */
  shape(struct: JsonObject, type: string): JsonObject {
    for (const field of types.get(type) ?? []) {
      if (field.sign.startsWith("~")) continue;
      const { name, optional } = field;
      const value = Object.hasOwn(struct, name) ? struct[name] : undefined;
      const printed = this.#printed(struct, value, field) ?? (optional ? undefined : null);
      if (printed === undefined) Reflect.deleteProperty(struct, name);
      else if (printed !== value) struct[name] = printed;
    }
    return struct;
  }

  /** A field as it is printed; `undefined` when it is empty. */
  #printed(parent: JsonObject, value: unknown, { name, optional, sign, type }: Field): unknown {
    const isAbsent = value === undefined || value === null;
    switch (sign) {
      case "[]":
        if (!Array.isArray(value)) return value;
        if (value.length > 0) return this.#list(value, type);
        this.#noteDropped(parent, name, "list");
        return undefined;
      case "{}":
        if (!isJsonObject(value)) return value;
        if (Object.keys(value).length > 0) return this.#map(value, type);
        this.#noteDropped(parent, name, "map");
        return undefined;
      case "!":
        if (isAbsent) return this.shape({}, type);
        return isJsonObject(value) ? this.shape(value, type) : value;
      case "*":
        return isAbsent ? undefined : this.#item(value, type === "quantity" ? "exact" : type);
      default:
        if (type === "") return optional && isZero(value) ? undefined : value;
        if (isAbsent) return ZERO.get(type);
        return this.#item(value, type === "quantity" ? "exact" : type);
    }
  }

  /** Notes that an empty list or map is not printed. */
  #noteDropped(parent: JsonObject, field: string, kind: "list" | "map"): void {
    this.hasDropped = true;
    noteEmptied(parent, field, kind);
  }

  #list(items: unknown[], type: string): unknown[] {
    if (type === "") return items;
    for (const [index, item] of items.entries()) {
      const printed = this.#item(item, type);
      if (printed !== item) items[index] = printed;
    }
    return items;
  }

  #map(items: JsonObject, type: string): JsonObject {
    sortKeys(items);
    if (type === "") return items;
    for (const [key, item] of Object.entries(items)) {
      const printed = this.#item(item, type);
      if (printed !== item) items[key] = printed;
    }
    return items;
  }

  #item(value: unknown, type: string): unknown {
    if (isJsonObject(value)) return this.shape(value, type);
    if (Array.isArray(value)) return this.#list(value, type);
    if (type === "quantity" || type === "exact") {
      return canonicalQuantity(value, type === "quantity");
    }
    return type === "time" || type === "microTime" ? canonicalTime(value, type) : value;
  }
}

function isZero(value: unknown): boolean {
  return value === undefined || value === null || value === "" || value === 0 || value === false;
}

/** Sorts the keys of a map, as Go prints them. */
function sortKeys(value: JsonObject): void {
  const keys = Object.keys(value);
  if (keys.every((key, index) => index === 0 || (keys[index - 1] ?? "") < key)) return;
  for (const key of keys.toSorted()) {
    const item = getField(value, key);
    Reflect.deleteProperty(value, key);
    setField(value, key, item);
  }
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
