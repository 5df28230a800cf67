/**
 * The arguments of markers: their types, and how they are read where no compiler has seen them.
 *
 * A decorator's arguments are checked by TypeScript in the user's editor; the generator, which reads
 * without compiling, asks the same parameters again. JSDoc tags hold text, which `parse` turns into
 * the value first.
 */
import type { Json } from "../kube/object.ts";

/** One argument of a marker. */
export interface Parameter<T> {
  /** The requirement on a value, for a message: `a number`. */
  readonly says: string;
  /** The texts, or the keys of the object, that it takes: for suggestions. */
  readonly names?: readonly string[];
  accepts(value: unknown): value is T;
  /** The value that a JSDoc tag's text stands for; anything that `accepts` refuses when there is none. */
  parse(text: string): unknown;
}

const jsonOr = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

/** Any finite number. */
export const aNumber: Parameter<number> = {
  says: "a number",
  accepts: (value): value is number => typeof value === "number" && Number.isFinite(value),
  parse: (text) => (text.trim() === "" ? text : Number(text)),
};

/** A step: a number has to be a multiple of it. */
export const aStep: Parameter<number> = {
  says: "a number above 0",
  accepts: (value): value is number => aNumber.accepts(value) && value > 0,
  parse: (text) => aNumber.parse(text),
};

/** A length or a count. */
export const aCount: Parameter<number> = {
  says: "a whole number of at least 0",
  accepts: (value): value is number => Number.isInteger(value) && Number(value) >= 0,
  parse: (text) => (text.trim() === "" ? text : Number(text)),
};

/** Any text. */
export const aText: Parameter<string> = {
  says: "a string",
  accepts: (value): value is string => typeof value === "string",
  parse: (text) => text,
};

/** One word: a field's name. */
export const aName: Parameter<string> = {
  says: "the name of a field",
  accepts: (value): value is string => typeof value === "string" && value !== "",
  parse: (text) => text,
};

/** A regular expression, as `/re/` or as text. */
export const aPattern: Parameter<string | RegExp> = {
  says: "a regular expression without flags, such as /^[a-z]+$/",
  accepts: (value): value is string | RegExp =>
    typeof value === "string" || (value instanceof RegExp && value.flags === ""),
  parse: (text) => text,
};

/** Any JSON value. */
export const aJson: Parameter<Json> = {
  says: "a JSON value",
  accepts: (value): value is Json => isJson(value),
  parse: jsonOr,
};

function isJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value instanceof RegExp) return false;
  return Object.values(value).every(isJson);
}

/** One of a few texts. */
export function oneOfTexts<T extends string>(says: string, texts: readonly T[]): Parameter<T> {
  return {
    says,
    names: texts,
    accepts: (value): value is T => texts.some((text) => text === value),
    parse: (text) => text.trim(),
  };
}

/** An object of named options: any, where no names are given. */
export function options<T extends object>(
  names?: readonly string[],
  accepts: (value: Record<string, unknown>) => boolean = () => true,
): Parameter<T> {
  return {
    says: names ? `an object of ${names.join(", ")}` : "an object",
    ...(names ? { names } : {}),
    accepts: (value): value is T =>
      typeof value === "object" &&
      value !== null &&
      Object.keys(value).every((key) => names?.includes(key) ?? true) &&
      accepts(value as Record<string, unknown>),
    parse: jsonOr,
  };
}
