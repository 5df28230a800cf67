/**
 * The outcome of checking a value against a schema: failures, and how much of the schema matched.
 *
 * The texts are those of kube-openapi's validator; a caller sees them as `FieldError`s.
 *
 * @see https://pkg.go.dev/k8s.io/kube-openapi/pkg/validation/errors
 */
import {
  type FieldError,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from "../field-errors.ts";
import { encodeJson } from "../json.ts";

/** One failure; `at` is its path in the value, absent for one of the value as a whole. */
interface Failure {
  /** Two failures of the same text count once. */
  readonly text: string;
  readonly at?: string;
  readonly asError: (field: string) => FieldError;
}

const failure = (text: string, at: string, asError: (field: string) => FieldError): Failure => ({
  text,
  at,
  asError,
});

/** The value breaks a rule that is given in words. */
export const breaks = (at: string, value: unknown, text: string): Failure =>
  failure(text, at, (field) => invalidValue(field, value, text));

/** The value as a whole breaks a rule; only the text has the path. */
export const breaksWhole = (text: string): Failure => ({
  text,
  asError: (field) => invalidValue(field, "", text),
});

/** The value has another type, or is not of the format. `got` is quoted in the text. */
export function wrongType(at: string, expected: string, got: string): Failure {
  const text = `${at} in body must be of type ${expected}: ${JSON.stringify(got)}`;
  return failure(text, at, (field) => typeInvalid(field, got, text));
}

/** A required field is missing. */
export const missing = (at: string): Failure =>
  failure(`${at} in body is required`, at, (field) => required(field));

/** The value is not one of a fixed set. */
export function notInEnum(at: string, value: unknown, allowed: readonly unknown[]): Failure {
  const names = allowed.map((one) => (typeof one === "string" ? one : encodeJson(one)));
  const text = `${at} in body should be one of [${names.join(" ")}]`;
  return failure(text, at, (field) => notSupported(field, value, names));
}

/** The text has more than `max` characters. */
export const longerThan = (at: string, max: number): Failure =>
  failure(`${at} in body should be at most ${max} chars long`, at, (field) => tooLong(field, max));

/** The list or map has more than `max` members; `unit` is their name. */
export const moreThan = (
  at: string,
  count: number,
  max: number,
  unit: "items" | "properties",
): Failure =>
  failure(`${at} in body should have at most ${max} ${unit}`, at, (field) =>
    tooMany(field, count, max),
  );

/** Failures and matches of one value under one schema. */
export class Outcome {
  /**
   * The failures by their texts, in the order in which they were found; absent while there are
   * none.
   */
  #failures: Map<string, Failure> | undefined;
  /** How many parts of the schema matched: decides the best branch of `anyOf`. */
  matches = 0;

  get valid(): boolean {
    return this.count === 0;
  }

  /** How many failures there are. */
  get count(): number {
    return this.#failures?.size ?? 0;
  }

  add(failed: Failure): void {
    this.#failures ??= new Map();
    if (!this.#failures.has(failed.text)) this.#failures.set(failed.text, failed);
  }

  /** Takes over the content of another outcome, which cannot be used afterwards. */
  merge(other: Outcome): void {
    this.matches += other.matches;
    if (!this.#failures) this.#failures = other.#failures;
    else for (const failed of other.#failures?.values() ?? []) this.add(failed);
  }

  /** Removes all but the first failures: the others are about unchanged values. */
  keep(count: number): void {
    if (!this.#failures) return;
    for (const text of [...this.#failures.keys()].slice(count)) this.#failures.delete(text);
  }

  /**
   * The failures as errors of fields.
   *
   * @param base - the path of the value in its object; absent for the object itself
   */
  errors(base?: string): FieldError[] {
    return Array.from(this.#failures?.values() ?? [], ({ at = "", asError }) => {
      const path = at.startsWith(".") ? at.slice(1) : at;
      // Go prints an absent path as <nil>, and clients see it.
      if (path === "") return asError(base ?? "<nil>");
      return asError(base === undefined ? path : `${base}.${path}`);
    });
  }
}
