/** Validates values at their paths, and collects what is wrong in the order in which it is found. */
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidStructure,
  invalidValue,
  nameErrorsAt,
  notFoundValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "./field-errors.ts";
import { sameJson } from "./json.ts";

type Item<T> = NonNullable<T> extends readonly (infer E)[] ? E : never;

/** A value of a map. */
type Entry<T> = NonNullable<T> extends Readonly<Record<string, infer E>> ? E : never;

type Field<T, K extends keyof NonNullable<T>> = NonNullable<T>[K] | Extract<T, null | undefined>;

/** The message about a changed field that is immutable. */
export const IMMUTABLE = "field is immutable";

/**
 * One value of an object that is validated, and its path.
 *
 * The methods named after a kind of error report it; `given`, `oneOf`, `named`, `unique`,
 * `uniqueIn` and `unchanged` report one when the value breaks their rule.
 *
 * @example
 * function checkPort(port: Check<ContainerPort>): void {
 *   if (port.at("protocol").given()) port.at("protocol").oneOf(["TCP", "UDP", "SCTP"]);
 *   if (port.value.hostPort === 0) port.at("hostPort").invalid("must be between 1 and 65535");
 * }
 */
export class Check<out T> {
  readonly value: T;
  /** The path, such as `spec.ports[0].name`; empty for the object itself. */
  readonly field: string;
  readonly #errors: FieldError[];

  private constructor(value: T, field: string, errors: FieldError[]) {
    this.value = value;
    this.field = field;
    this.#errors = errors;
  }

  /** Runs `check` on a whole object, or on the value at `field`. */
  static errorsOf<T>(value: T, check: (value: Check<T>) => void, field = ""): FieldError[] {
    const errors: FieldError[] = [];
    check(new Check(value, field, errors));
    return errors;
  }

  /** The field `key` of the value, or a field of it. */
  at<K extends keyof NonNullable<T> & string>(key: K): Check<Field<T, K>>;
  at<
    K extends keyof NonNullable<T> & string,
    L extends keyof NonNullable<NonNullable<T>[K]> & string,
  >(key: K, inner: L): Check<Field<Field<T, K>, L>>;
  at<
    K extends keyof NonNullable<T> & string,
    L extends keyof NonNullable<NonNullable<T>[K]> & string,
    M extends keyof NonNullable<NonNullable<NonNullable<T>[K]>[L]> & string,
  >(key: K, inner: L, innermost: M): Check<Field<Field<Field<T, K>, L>, M>>;
  at(...keys: string[]): Check<unknown> {
    let value: unknown = this.value;
    for (const key of keys) value = (value as Record<string, unknown> | null | undefined)?.[key];
    return this.child(keys.join("."), value);
  }

  /** Another value, at the path `name` below this one. */
  child<V>(name: string, value: V): Check<V> {
    return new Check(value, this.field === "" ? name : `${this.field}.${name}`, this.#errors);
  }

  /** Another value at the same path. */
  as<V>(value: V): Check<V> {
    return new Check(value, this.field, this.#errors);
  }

  /** The number of items of a list or map; none when it is absent. */
  get count(): number {
    const items = this.value ?? [];
    return Array.isArray(items) ? items.length : Object.keys(items).length;
  }

  /** Validates each item of a list; a list that is absent has none. */
  each(check: (item: Check<Item<T>>, index: number) => void): void {
    const items = (this.value ?? []) as readonly Item<T>[];
    for (const [index, item] of items.entries()) {
      check(new Check(item, `${this.field}[${index}]`, this.#errors), index);
    }
  }

  /** Validates each item of a list, unless there are more than `max`. */
  eachOf(max: number, check: (item: Check<Item<T>>, index: number) => void): void {
    if (((this.value ?? []) as readonly Item<T>[]).length > max) this.tooMany(max);
    else this.each(check);
  }

  /** Validates each value of a map, whose path ends with the key in brackets. */
  eachEntry(check: (value: Check<Entry<T>>, key: string) => void): void {
    for (const [key, value] of Object.entries<Entry<T>>(this.value ?? {})) {
      check(new Check(value, `${this.field}[${key}]`, this.#errors), key);
    }
  }

  /** The value of a map at `key`, whose path ends with the key in brackets. */
  entry(key: string): Check<Entry<T> | undefined> {
    const entries: Readonly<Record<string, Entry<T>>> = this.value ?? {};
    return new Check(entries[key], `${this.field}[${key}]`, this.#errors);
  }

  /** Validates the value if there is one. */
  ifSet(check: (value: Check<NonNullable<T>>) => void): void {
    const { value } = this;
    if (value !== undefined && value !== null) check(this.as(value));
  }

  /** Validates the value; whether nothing was wrong. */
  passes(check: (value: Check<T>) => void): boolean {
    const before = this.#errors.length;
    check(this);
    return this.#errors.length === before;
  }

  /** The value is invalid; `shown` stands in the message. */
  invalid(detail: string, shown: unknown = this.value): void {
    this.#errors.push(invalidValue(this.field, shown, detail));
  }

  /** The structure is invalid; the message does not show it. */
  invalidStructure(detail: string): void {
    this.#errors.push(invalidStructure(this.field, detail));
  }

  /** The field is missing. */
  required(detail?: string): void {
    this.#errors.push(required(this.field, detail));
  }

  /** The field may not be set, or not be changed, here. */
  forbidden(detail: string): void {
    this.#errors.push(forbidden(this.field, detail));
  }

  /** The value is a duplicate where it must be unique. */
  duplicate(shown: unknown = this.value): void {
    this.#errors.push(duplicate(this.field, shown));
  }

  /** The value is not one of the supported ones. */
  notSupported(supported: readonly string[], shown: unknown = this.value): void {
    this.#errors.push(notSupported(this.field, shown, supported));
  }

  /** The value refers to something that does not exist. */
  notFound(detail?: string): void {
    this.#errors.push(notFoundValue(this.field, this.value, detail));
  }

  /** The text has more than `maxBytes` bytes. */
  tooLong(maxBytes: number): void {
    this.#errors.push(tooLong(this.field, maxBytes));
  }

  /** Validates that the text, if there is one, has at most `maxBytes` bytes. */
  atMostBytes(maxBytes: number): void {
    if (Buffer.byteLength((this.value ?? "") as string) > maxBytes) this.tooLong(maxBytes);
  }

  /** The list has more than `max` items. */
  tooMany(max: number): void {
    this.#errors.push(tooMany(this.field, this.count, max));
  }

  /** Reports errors that were found elsewhere. */
  add(errors: readonly FieldError[]): void {
    this.#errors.push(...errors);
  }

  /** Validates the value by a function that lists the errors of a field. */
  by(rule: (field: string, value: T) => readonly FieldError[]): void {
    this.add(rule(this.field, this.value));
  }

  /** Whether there is a value; reports it as required otherwise. An empty text or list is none. */
  given(detail?: string): boolean {
    const { value } = this;
    const isGiven = Array.isArray(value) ? value.length > 0 : (value ?? "") !== "";
    if (!isGiven) this.required(detail);
    return isGiven;
  }

  /** Validates that the list has at most `max` items. */
  atMost(max: number): void {
    if (this.count > max) this.tooMany(max);
  }

  /** Validates that the text, empty when absent, is one of the supported ones. */
  oneOf(supported: readonly string[]): void {
    const text = this.value ?? "";
    if (!supported.includes(text as string)) this.notSupported(supported, text);
  }

  /** Validates the text, empty when absent, by a rule of names, which says what is wrong. */
  named(rule: (name: string) => string[]): boolean {
    const errors = nameErrorsAt(this.field, (this.value ?? "") as string, rule);
    this.add(errors);
    return errors.length === 0;
  }

  /** Validates the text by a rule of names; one that is absent or empty is required. */
  givenName(rule: (name: string) => string[]): void {
    if (this.given()) this.named(rule);
  }

  /** Validates the text by a rule of names, unless it is absent or empty. */
  nameIfGiven(rule: (name: string) => string[]): void {
    if ((this.value ?? "") !== "") this.named(rule);
  }

  /** Validates that no two items of the list have the same key; an item is its own key. */
  unique(keyOf: (item: Item<T>) => unknown = (item) => item): void {
    const seen = new Set<string>();
    this.each((item) => item.uniqueIn(seen, keyOf(item.value)));
  }

  /** Validates that the key of the value is not among those seen before, and adds it to them. */
  uniqueIn(seen: Set<unknown>, key: unknown = this.value, shown = key): void {
    const text = JSON.stringify(key);
    if (seen.has(text)) this.duplicate(shown);
    seen.add(text);
  }

  /** Validates that the value is the old one. */
  unchanged(old: T): void {
    if (!sameJson(this.value ?? null, old ?? null)) this.invalid(IMMUTABLE, this.value ?? null);
  }
}
