/**
 * The values of CEL.
 *
 * `int` is a bigint and `double` a number, so that both are exact and never mixed up; everything
 * that JavaScript has no type for is a class here.
 *
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#values
 */
import { formatFloat } from "../text/go-number.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  INT,
  LIST,
  MAP,
  NULL,
  OPTIONAL,
  STRING,
  TYPE,
  UINT,
} from "./types.ts";

export type CelValue = null | boolean | bigint | number | string | Uint8Array | CelObject;

/** A failed evaluation. It travels as a value, because `&&` and `||` may swallow it. */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A value, or the error in its place. */
export type Result = CelValue | CelError;

/** The error of a call without a matching overload. */
export const noSuchOverload = (): CelError => new CelError("no such overload");

export const INT_MAX = 2n ** 63n - 1n;
export const INT_MIN = -(2n ** 63n);
export const UINT_MAX = 2n ** 64n - 1n;

/** A value that is an object in JavaScript. */
export abstract class CelObject {
  abstract readonly type: CelType;
  abstract equals(other: CelValue): boolean | CelError;
  /** As Go's `%v` prints it in messages. */
  abstract toString(): string;
}

/** An unsigned integer. */
export class Uint extends CelObject {
  readonly type = UINT;
  readonly value: bigint;

  constructor(value: bigint) {
    super();
    this.value = value;
  }

  equals(other: CelValue): boolean {
    return isNumeric(other) && compareNumbers(this, other) === 0;
  }

  toString(): string {
    return this.value.toString();
  }
}

export class TypeValue extends CelObject {
  readonly type = TYPE;
  readonly of: CelType;

  constructor(of: CelType) {
    super();
    this.of = of;
  }

  equals(other: CelValue): boolean {
    return other instanceof TypeValue && other.of.name === this.of.name;
  }

  toString(): string {
    return this.of.name;
  }
}

/** A value that may be missing. */
export class Optional extends CelObject {
  readonly type = OPTIONAL;
  readonly value: CelValue | undefined;

  constructor(value?: CelValue) {
    super();
    this.value = value;
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof Optional)) return false;
    if (this.value === undefined || other.value === undefined) return this.value === other.value;
    return ownEquals(this.value, other.value);
  }

  toString(): string {
    return this.value === undefined ? "optional.none()" : `optional(${formatValue(this.value)})`;
  }
}

export abstract class CelList extends CelObject {
  readonly type = LIST;
  abstract readonly size: number;
  /** The item at an index that is in range. */
  abstract at(index: number): CelValue | CelError;
  abstract contains(value: CelValue): boolean | CelError;
  abstract plus(other: CelList): CelList | CelError;

  *[Symbol.iterator](): Generator<CelValue | CelError> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }

  toString(): string {
    return `[${[...this].map(formatValue).join(" ")}]`;
  }
}

/** A list that an expression made. */
export class ValueList extends CelList {
  readonly items: CelValue[];

  constructor(items: CelValue[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): CelValue {
    return this.items[index] ?? null;
  }

  contains(value: CelValue): boolean {
    return this.items.some((item) => ownEquals(value, item) === true);
  }

  plus(other: CelList): CelList | CelError {
    if (this.size === 0) return other;
    if (other.size === 0) return this;
    const items = [...this.items];
    return appendAll(items, other) ?? new ValueList(items);
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof CelList) || other.size !== this.size) return false;
    return this.items.every((item, index) => equalValues(item, other.at(index)) !== false);
  }

  override toString(): string {
    return `[${this.items.map(formatValue).join(", ")}]`;
  }
}

/** Appends the items; an item that is an error is returned instead. */
export function appendAll(items: CelValue[], list: CelList): CelError | undefined {
  for (const item of list) {
    if (item instanceof CelError) return item;
    items.push(item);
  }
  return undefined;
}

export abstract class CelMap extends CelObject {
  readonly type = MAP;
  abstract readonly size: number;
  abstract find(key: CelValue): CelValue | CelError | undefined;
  abstract keys(): Iterable<CelValue>;
}

/** The key of the internal map; equal numbers share one. */
function storageKey(key: CelValue): string | undefined {
  if (typeof key === "string") return `s${key}`;
  if (typeof key === "boolean") return key ? "t" : "f";
  if (typeof key === "bigint" || key instanceof Uint) return `n${key.toString()}`;
  if (typeof key === "number" && Number.isInteger(key)) return `n${BigInt(key).toString()}`;
  return undefined;
}

/** A map that an expression made. */
export class ValueMap extends CelMap {
  readonly #entries = new Map<string, readonly [CelValue, CelValue]>();

  get size(): number {
    return this.#entries.size;
  }

  set(key: CelValue, value: CelValue): void {
    const stored = storageKey(key) ?? `o${formatValue(key)}`;
    this.#entries.set(stored, [key, value]);
  }

  delete(key: CelValue): void {
    this.#entries.delete(storageKey(key) ?? `o${formatValue(key)}`);
  }

  find(key: CelValue): CelValue | undefined {
    const stored = storageKey(key);
    return stored === undefined ? undefined : this.#entries.get(stored)?.[1];
  }

  *keys(): Generator<CelValue> {
    for (const [key] of this.#entries.values()) yield key;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof CelMap) || other.size !== this.size) return false;
    for (const [key, value] of this.#entries.values()) {
      const found = other.find(key);
      if (found === undefined || equalValues(value, found) === false) return false;
    }
    return true;
  }

  toString(): string {
    const entries = [...this.#entries.values()];
    return `{${entries.map(([key, value]) => `${formatValue(key)}: ${formatValue(value)}`).join(", ")}}`;
  }
}

/** The type that a value has at run time. */
export function typeOfValue(value: CelValue): CelType {
  switch (typeof value) {
    case "boolean":
      return BOOL;
    case "bigint":
      return INT;
    case "number":
      return DOUBLE;
    case "string":
      return STRING;
    default:
      if (value === null) return NULL;
      return value instanceof CelObject ? value.type : BYTES;
  }
}

/** Whether a value is a number of any kind. */
export const isNumeric = (value: CelValue): value is bigint | number | Uint =>
  typeof value === "bigint" || typeof value === "number" || value instanceof Uint;

/** Compares two numbers: negative, zero or positive; neither may be NaN. */
export function compareNumbers(
  left: bigint | number | Uint,
  right: bigint | number | Uint,
): number {
  const a = left instanceof Uint ? left.value : left;
  const b = right instanceof Uint ? right.value : right;
  return a < b ? -1 : a > b ? 1 : a == b ? 0 : Number.NaN;
}

/** `left == right` */
export function equalValues(
  left: CelValue | CelError,
  right: CelValue | CelError,
): boolean | CelError {
  if (left === null || right === null) return left === right;
  if (left instanceof CelError) return left;
  if (right instanceof CelError) return ownEquals(left, null);
  return ownEquals(left, right);
}

/** Equality by the rules of the left value. */
export function ownEquals(left: CelValue, right: CelValue): boolean | CelError {
  if (left instanceof CelObject) return left.equals(right);
  if (typeof left === "bigint" || typeof left === "number") {
    return isNumeric(right) && compareNumbers(left, right) === 0;
  }
  if (left instanceof Uint8Array) {
    return right instanceof Uint8Array && Buffer.compare(left, right) === 0;
  }
  return left === right;
}

/** The length for costs and `size()`; `undefined` for values without one. */
export function sizeOf(value: CelValue): number | undefined {
  if (typeof value === "string") return codePointCount(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  return undefined;
}

/** How many code points a text has. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const before = text.charCodeAt(index - 1);
    if (code >= 0xdc00 && code < 0xe000 && before >= 0xd800 && before < 0xdc00) count--;
  }
  return count;
}

/** A value as Go's `%v` prints it. */
export function formatValue(value: CelValue | CelError): string {
  if (value instanceof CelError) return value.message;
  if (value === null) return "NULL_VALUE";
  if (typeof value === "number") return formatDouble(value);
  if (value instanceof Uint8Array) return `[${[...value].join(" ")}]`;
  return String(value);
}

/** A double as Go's `%g` prints it. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return Object.is(value, -0) ? "-0" : formatFloat(value);
}
