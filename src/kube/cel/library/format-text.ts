/**
 * `"%d items".format([n])`
 *
 * @see https://pkg.go.dev/github.com/google/cel-go/ext#Strings
 */
import { quote } from "../../field-errors.ts";
import { Duration, Timestamp } from "../time.ts";
import { checkTextLength } from "../run/scope.ts";
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  TypeValue,
  typeOfValue,
  Uint,
} from "../values.ts";
import { toText } from "./conversions.ts";
import { tableOf } from "../../../table.ts";

/** Thrown within the formatter. */
class FormatProblem extends Error {}

/** The clauses by their letters, with their error for a value that they do not take. */
export const CLAUSE_RULES = tableOf<string>({
  s: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given",
  d: "decimal clause can only be used on integers, was given",
  f: "fixed-point clause can only be used on doubles, was given",
  e: "scientific clause can only be used on doubles, was given",
  b: "only integers and bools can be formatted as binary, was given",
  x: "only integers, byte buffers, and strings can be formatted as hex, was given",
  X: "only integers, byte buffers, and strings can be formatted as hex, was given",
  o: "octal clause can only be used on integers, was given",
});

/** A part of a format string: plain text, or a clause for the next argument. */
export type FormatPart =
  | { readonly text: string }
  | { readonly clause: string; readonly precision: number | undefined }
  | { readonly problem: string; readonly beforeArgument: boolean };

/** The parts of a format string; the text after a problem is left out. */
export function* partsOf(format: string): Generator<FormatPart> {
  let index = 0;
  while (index < format.length) {
    const percent = format.indexOf("%", index);
    const end = percent < 0 ? format.length : percent;
    if (end > index) yield { text: format.slice(index, end) };
    if (percent < 0) return;
    if (format.charAt(percent + 1) === "%") {
      yield { text: "%" };
      index = percent + 2;
      continue;
    }
    if (percent + 1 >= format.length) {
      yield { problem: "unexpected end of string", beforeArgument: false };
      return;
    }
    const match = /^(?:\.(\d*))?([^]?)/u.exec(format.slice(percent + 1));
    const [whole = "", digits, clause = ""] = match ?? [];
    const problem = clauseProblem(digits, clause);
    if (problem !== undefined) {
      yield { problem: `could not parse formatting clause: ${problem}`, beforeArgument: false };
      return;
    }
    yield { clause, precision: digits === undefined ? undefined : Number(digits) };
    index = percent + 1 + whole.length;
  }
}

function clauseProblem(digits: string | undefined, clause: string): string | undefined {
  const inPrecision = "error while parsing precision: ";
  if (digits !== undefined && clause === "") {
    return `${inPrecision}could not find end of precision specifier`;
  }
  if (digits === "") {
    return `${inPrecision}error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`;
  }
  if (!CLAUSE_RULES.has(clause)) return `unrecognized formatting clause "${clause}"`;
  return undefined;
}

/** The text with its clauses filled in. */
export function formatText(format: string, args: CelList): string | CelError {
  try {
    let next = 0;
    let result = "";
    for (const part of partsOf(format)) {
      if ("text" in part) result += part.text;
      else {
        if (next >= args.size) throw new FormatProblem(`index ${next} out of range`);
        if ("problem" in part) throw new FormatProblem(part.problem);
        const arg = args.at(next++);
        if (arg instanceof CelError) return arg;
        result += applyClause(part.clause, part.precision, arg);
        checkTextLength(result.length);
      }
    }
    return result;
  } catch (error) {
    if (error instanceof FormatProblem) return new CelError(error.message);
    throw error;
  }
}

function applyClause(clause: string, precision: number | undefined, value: CelValue): string {
  switch (clause) {
    case "s":
      return valueTextOf(value);
    case "d":
      return integerOf(value, clause).toString();
    case "f":
      return fixed(doubleOf(value, clause), precision ?? 6);
    case "e":
      return scientific(doubleOf(value, clause));
    case "b":
      return typeof value === "boolean"
        ? String(Number(value))
        : integerOf(value, clause).toString(2);
    case "o":
      return integerOf(value, clause).toString(8);
    default:
      return clause === "X" ? hex(value).toUpperCase() : hex(value);
  }
}

const refuse = (clause: string, value: CelValue): FormatProblem =>
  new FormatProblem(
    `error during formatting: ${CLAUSE_RULES.get(clause) ?? ""} ${typeOfValue(value).name}`,
  );

function integerOf(value: CelValue, clause: string): bigint {
  if (typeof value === "bigint") return value;
  if (value instanceof Uint) return value.value;
  throw refuse(clause, value);
}

function doubleOf(value: CelValue, clause: string): number {
  if (typeof value === "number") return value;
  if (value === "NaN" || value === "Infinity" || value === "-Infinity") return Number(value);
  throw refuse(clause, value);
}

function hex(value: CelValue): string {
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return integerOf(value, "x").toString(16);
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? undefined : value > 0 ? "∞" : "-∞";
}

/** The number with a fixed number of decimals, a half rounded to even. */
function toFixed(value: number, decimals: number): string {
  const shifted = value * 10 ** decimals;
  const isHalf = Math.abs(shifted) < 2 ** 52 && Math.abs(shifted % 1) === 0.5;
  if (!isHalf) return plainFixed(value, decimals);
  const even = 2 * Math.round(shifted / 2);
  return plainFixed(even / 10 ** decimals, decimals);
}

function plainFixed(value: number, decimals: number): string {
  if (Math.abs(value) < 1e21) return value.toFixed(Math.min(decimals, 100));
  return BigInt(value).toString() + (decimals > 0 ? `.${"0".repeat(decimals)}` : "");
}

/** The number in English form: `1,234.500000`. */
function fixed(value: number, decimals: number): string {
  const text = special(value) ?? toFixed(value, decimals);
  const [whole = "", fraction] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** The number in English form: `1.234568×10⁰³`. The precision of the clause does not count. */
function scientific(value: number): string {
  const text = special(value);
  if (text !== undefined) return text;
  const [mantissa = "", exponent = "0"] = value.toExponential(6).split("e");
  const digits = exponent.replace(/^[+-]/, "").padStart(2, "0");
  const raised = Array.from(digits)
    .map((digit) => SUPERSCRIPTS.charAt(Number(digit)))
    .join("");
  return `${mantissa}×10${exponent.startsWith("-") ? "⁻" : ""}${raised}`;
}

/** `%s` of any value. */
function valueTextOf(value: CelValue): string {
  if (value instanceof CelList || value instanceof CelMap) return nested(value);
  const isKnown =
    value === null ||
    typeof value !== "object" ||
    value instanceof Uint8Array ||
    [Uint, Duration, Timestamp, TypeValue].some((kind) => value instanceof kind);
  if (!isKnown) throw refuse("s", value);
  const text = toText(value);
  if (typeof text !== "string") {
    throw new FormatProblem(
      `error during formatting: could not convert argument ${text instanceof CelError ? quote(text.message) : ""} to string`,
    );
  }
  return text;
}

/** A value inside a list or map. */
function nested(value: CelValue | CelError): string {
  if (value instanceof CelError) throw new FormatProblem(value.message);
  if (typeof value === "string") return quote(value);
  if (value instanceof Uint8Array) return `b${quote(valueTextOf(value))}`;
  if (typeof value === "number") {
    if (Number.isFinite(value)) return toFixed(value, 6);
    return quote(Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
  }
  if (value instanceof Timestamp) return `timestamp(${quote(value.rfc3339())})`;
  if (value instanceof Duration) return `duration(${quote(value.seconds())})`;
  if (value instanceof CelList) return `[${[...value].map(nested).join(", ")}]`;
  if (value instanceof CelMap) {
    const entries = [...value.keys()].map((key): [string, string] => [
      keyText(key),
      nested(value.find(key) ?? null),
    ]);
    entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${entries.map(([key, item]) => `${key}:${item}`).join(", ")}}`;
  }
  if (value === null || typeof value !== "object") return valueTextOf(value);
  if (value instanceof Uint || value instanceof TypeValue) return valueTextOf(value);
  const rule = `no formatting function for ${typeOfValue(value).name}`;
  throw new FormatProblem(`error during formatting: ${rule}`);
}

function keyText(key: CelValue): string {
  if (typeof key === "string") return quote(key);
  if (typeof key === "boolean" || typeof key === "bigint" || key instanceof Uint) {
    return String(key);
  }
  const rule = `no formatting function for map key of type ${typeOfValue(key).name}`;
  throw new FormatProblem(`error during formatting: ${rule}`);
}
