/**
 * JSON as values of CEL, by the schema that describes it.
 *
 * @see https://pkg.go.dev/k8s.io/apiserver/pkg/cel/common#UnstructuredToVal
 */
import { quote } from "../field-errors.ts";
import { isInt64 } from "../text/go-number.ts";
import { encodeJson, getField, isJsonObject, sameJson } from "../json.ts";
import type { JsonObject } from "../object.ts";
import { propertyOf, type Schema, valuesOf } from "../schema/structural.ts";
import { withTypeMeta } from "./declared-type.ts";
import { escapeName, unescapeName } from "./escaping.ts";
import { Duration, parseDate, parseDuration, parseTimestamp } from "./time.ts";
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  noSuchOverload,
  ownEquals,
  type Result,
} from "./values.ts";

/** The value of a piece of JSON. */
export function valueOf(json: unknown, schema: Schema): Result {
  if (json === null || json === undefined) {
    return schema.nullable
      ? null
      : new CelError("invalid data, got null for schema with nullable=false");
  }
  if (schema["x-kubernetes-int-or-string"]) {
    if (typeof json === "string") return json;
    if (typeof json === "number" && Number.isInteger(json)) return BigInt(json);
    if (typeof json === "bigint") return json;
    const rule = "invalid data, expected XIntOrString value to be either a string or integer";
    return new CelError(rule);
  }
  switch (schema.type) {
    case "object":
      if (!isJsonObject(json)) return wrong("a map for the provided schema with type=object");
      return new ObjectMap(json, schema);
    case "array":
      if (!Array.isArray(json)) return wrong("an array for the provided schema with type=array");
      return new JsonList(json, schema);
    case "string":
      return typeof json === "string" ? textValue(json, schema.format) : wrongType("string", json);
    case "number":
      if (typeof json === "bigint") return Number(json);
      return typeof json === "number" ? json : wrongType("float", json);
    case "integer":
      if (typeof json === "bigint") return json;
      return typeof json === "number" && Number.isInteger(json)
        ? BigInt(json)
        : wrongType("int", json);
    case "boolean":
      return typeof json === "boolean" ? json : wrongType("bool", json);
    default:
      return new CelError(
        `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got `,
      );
  }
}

const wrong = (expected: string): CelError => new CelError(`invalid data, expected ${expected}`);

const wrongType = (expected: string, json: unknown): CelError =>
  wrong(`${expected}, got ${goType(json)}`);

/** The Go type of a piece of JSON. */
function goType(json: unknown): string {
  switch (typeof json) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
    case "bigint":
      return isInt64(json) ? "int64" : "float64";
    default:
      return Array.isArray(json) ? "[]interface {}" : "map[string]interface {}";
  }
}

function textValue(text: string, format: string | undefined): Result {
  switch (format) {
    case "duration":
      return parseDuration(text) ?? looseDuration(text);
    case "date": {
      const message = `parsing time ${quote(text)} as "2006-01-02"`;
      return parseDate(text) ?? new CelError(`Invalid date formatted string ${text}: ${message}`);
    }
    case "date-time":
      return dateTime(text);
    case "byte": {
      const urlSafe = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}==|[A-Za-z0-9_-]{3}=)?$/;
      if (urlSafe.test(text)) return Buffer.from(text, "base64url");
      const at = text.search(/[^A-Za-z0-9_=-]/);
      const message = `illegal base64 data at input byte ${at < 0 ? text.length : at}`;
      return new CelError(`Invalid byte formatted string ${text}: ${message}`);
    }
    default:
      return text;
  }
}

/** A date and time in the format `date-time`. */
function dateTime(text: string): Result {
  const upper = text.toUpperCase();
  const zoned = /(?:Z|[+-]\d\d:\d\d)$/.test(upper) ? upper : `${upper}Z`;
  return (
    parseTimestamp(zoned) ??
    parseDate(text) ??
    new CelError(`Invalid date-time formatted string ${text}: parsing time ${quote(text)}`)
  );
}

const UNITS: readonly (readonly [nanos: bigint, ...names: string[]])[] = [
  [1n, "ns", "nano"],
  [1000n, "us", "µs", "micro"],
  [1_000_000n, "ms", "milli"],
  [1_000_000_000n, "s", "sec"],
  [60_000_000_000n, "m", "min"],
  [3_600_000_000_000n, "h", "hr", "hour"],
  [86_400_000_000_000n, "d", "day"],
  [604_800_000_000_000n, "w", "wk", "week"],
];

/** The duration of `1 day` or `P1D`: every number with a unit counts, wherever it is. */
function looseDuration(text: string): Result {
  let nanos: bigint | undefined;
  for (const [, count = "", unit = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const name = unit.toLowerCase();
    for (const [size, ...names] of UNITS) {
      for (const [index, one] of names.entries()) {
        const isLast = index === names.length - 1;
        if (name === one || (isLast && name.startsWith(one))) {
          nanos = (nanos ?? 0n) + BigInt(count) * size;
        }
      }
    }
  }
  if (nanos !== undefined) return new Duration(BigInt.asIntN(64, nanos));
  return new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
}

/** An object, or a map with string keys. */
class ObjectMap extends CelMap {
  readonly json: JsonObject;
  readonly #schema: Schema;
  readonly #isObject: boolean;

  constructor(json: JsonObject, schema: Schema) {
    super();
    this.json = json;
    this.#schema = schema["x-kubernetes-embedded-resource"] ? withTypeMeta(schema) : schema;
    this.#isObject = this.#schema.properties !== undefined;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  find(key: CelValue): Result | undefined {
    if (typeof key !== "string") return noSuchOverload();
    const name = this.#isObject ? (unescapeName(key) ?? undefined) : key;
    if (name === undefined || !Object.hasOwn(this.json, name)) return undefined;
    const json = getField(this.json, name);
    if (this.#isObject && json === null) return undefined;
    const schema = this.#schemaOf(name);
    return schema && valueOf(json, schema);
  }

  *keys(): Generator<CelValue> {
    for (const name of Object.keys(this.json)) {
      if (this.#schemaOf(name)) yield this.#isObject ? (escapeName(name) ?? name) : name;
    }
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelMap)) return noSuchOverload();
    if (this.size !== other.size) return false;
    for (const [name, json] of Object.entries(this.json)) {
      if (!this.#schemaOf(name)) {
        if (!(other instanceof ObjectMap)) return noSuchOverload();
        const theirs = getField(other.json, name);
        if (theirs !== undefined && !sameJson(json, theirs)) return false;
        continue;
      }
      const mine = this.find(name);
      const theirs = other.find(name);
      if ((mine === undefined) !== (theirs === undefined)) return false;
      if (mine === undefined || theirs === undefined) continue;
      const equal = sameResults(mine, theirs);
      if (equal !== true) return equal;
    }
    return true;
  }

  toString(): string {
    return `map[${Object.keys(this.json).sort().join(" ")}]`;
  }

  #schemaOf(name: string): Schema | undefined {
    return this.#isObject ? propertyOf(this.#schema, name) : valuesOf(this.#schema);
  }
}

function sameResults(left: Result, right: Result): boolean | CelError {
  if (left instanceof CelError) return left;
  return right instanceof CelError ? false : ownEquals(left, right);
}

/** A list; the list type determines the meaning of equality and `+`. */
class JsonList extends CelList {
  readonly #items: readonly unknown[];
  readonly #schema: Schema;

  /** @param items - JSON, or values that were appended */
  constructor(items: readonly unknown[], schema: Schema) {
    super();
    this.#items = items;
    this.#schema = schema;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): Result {
    const item = this.#items[index];
    if (item instanceof Appended) return item.value;
    return valueOf(item, this.#schema.items ?? {});
  }

  contains(value: CelValue): boolean | CelError {
    let error: CelError | undefined;
    for (const item of this) {
      const equal = item instanceof CelError ? item : ownEquals(item, value);
      if (equal === true) return true;
      if (equal instanceof CelError) error ??= equal;
    }
    return error ?? false;
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelList)) return noSuchOverload();
    if (this.size !== other.size) return false;
    const type = this.#schema["x-kubernetes-list-type"];
    if (type === "set") return this.#sameSet(other);
    if (type === "map") return this.#sameMap(other);
    for (let index = 0; index < this.size; index++) {
      const equal = sameResults(this.at(index), other.at(index));
      if (equal !== true) return equal;
    }
    return true;
  }

  plus(other: CelList): CelList | CelError {
    const items: unknown[] = [...this.#items];
    const type = this.#schema["x-kubernetes-list-type"];
    const positions = new Map<string, number>();
    if (type === "map") {
      for (let index = 0; index < this.size; index++) {
        positions.set(this.#keyOf(this.at(index)), index);
      }
    }
    for (const value of other) {
      if (value instanceof CelError) return value;
      if (type === "set" && this.#has(items, value)) continue;
      const position = type === "map" ? positions.get(this.#keyOf(value)) : undefined;
      if (position === undefined) items.push(new Appended(value));
      else items[position] = new Appended(value);
    }
    return new JsonList(items, this.#schema);
  }

  #has(items: readonly unknown[], value: CelValue): boolean {
    return items.some((item) => {
      const known = item instanceof Appended ? item.value : valueOf(item, this.#schema.items ?? {});
      return sameResults(known, value) === true;
    });
  }

  #sameSet(other: CelList): boolean {
    for (const item of other) {
      if (item instanceof CelError || this.contains(item) !== true) return false;
    }
    return true;
  }

  #sameMap(other: CelList): boolean | CelError {
    const byKey = new Map<string, Result>();
    for (const item of this) byKey.set(this.#keyOf(item), item);
    for (const item of other) {
      const mine = byKey.get(this.#keyOf(item));
      if (mine === undefined) return false;
      const equal = sameResults(mine, item);
      if (equal !== true) return equal;
    }
    return true;
  }

  /** The text of the keys of an item in a list of type `map`. */
  #keyOf(item: Result): string {
    if (!(item instanceof ObjectMap)) return "";
    const names = this.#schema["x-kubernetes-list-map-keys"] ?? [];
    return encodeJson(names.map((name) => getField(item.json, name) ?? null));
  }
}

/** An item that is not from the list's JSON. */
class Appended {
  readonly value: CelValue;

  constructor(value: CelValue) {
    this.value = value;
  }
}
