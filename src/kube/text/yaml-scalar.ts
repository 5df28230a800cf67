/**
 * Texts and numbers in YAML as go-yaml writes them: plain where that is read back as the same text,
 * in single quotes, in double quotes or as a block otherwise; broken after column 80.
 *
 * @see https://github.com/yaml/go-yaml/blob/v2/emitterc.go
 */
import { formatFloat, isInt64 } from "./go-number.ts";
import { tableOf } from "../../table.ts";

/** The position of a text, and the indentation of its further lines. */
interface Position {
  readonly indent: number;
  readonly column: number;
}

const MAX_SIMPLE_KEY_BYTES = 128;

/** Whether a key fits before its colon on one line; others are written after a question mark. */
export function isSimpleKey(key: string): boolean {
  return Buffer.byteLength(key) <= MAX_SIMPLE_KEY_BYTES && !/[\n\r\u0085\u2028\u2029]/.test(key);
}

const isIn64Bits = (value: bigint): boolean => value >= -(2n ** 63n) && value < 2n ** 64n;

/** A number: one that no 64-bit integer holds with an exponent, as Go prints floats. */
export function number(value: number | bigint): string {
  const digits = String(value);
  if (isInt64(value)) return digits;
  const isWhole = /^-?\d+$/.test(digits) && isIn64Bits(BigInt(digits));
  return isWhole ? digits : formatFloat(value);
}

/** A text; a key is on one line, and in quotes when it is empty. */
export function text(value: string, at: Position | "key"): string {
  const style = styleOf(value, at === "key");
  if (style === "literal" && at !== "key") return literal(value, at.indent);
  const escaped =
    style === "plain"
      ? value
      : style === "single"
        ? `'${value.replaceAll("'", "''")}'`
        : doubleQuoted(value);
  return at === "key" ? escaped : fold(escaped, at, style);
}

type Style = "plain" | "single" | "double" | "literal";

function styleOf(value: string, isKey: boolean): Style {
  const isPrintable = !UNPRINTABLE.test(value);
  if (value.includes("\n")) {
    return isPrintable && !isKey && !/ (?:\n|$)/.test(value) ? "literal" : "double";
  }
  if (!isPrintable || isOtherType(value)) return "double";
  return isPlain(value) ? "plain" : "single";
}

// Characters that go-yaml does not print as they are: a tab, those outside of the basic plane, half
// a pair; and other line breaks, which it does print where it can.
const UNPRINTABLE =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/;

/** Whether YAML 1.1 would read the text as another type. */
function isOtherType(value: string): boolean {
  return NAMES.test(value) || isTimestamp(value) || isNumber(value) || BASE_60.test(value);
}

const NAMES =
  /^(?:|~|=|<<|[yYnN]|(?:yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|true|True|TRUE|false|False|FALSE|null|Null|NULL)|\.(?:nan|NaN|NAN)|[-+]?\.(?:inf|Inf|INF))$/;
const BASE_60 = /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const INTEGER = /^[-+]?(?:0|[1-9]\d*|0[xX][\da-fA-F]+|0[oO]?[0-7]+|0[bB][01]+)$/;
const DOT_FLOAT = /^\.\d+(?:_\d+)*(?:[eE][-+]?\d+)?$/;

function isNumber(value: string): boolean {
  if (value.startsWith(".")) return DOT_FLOAT.test(value) && Number.isFinite(Number(value));
  if (!/^[-+\d]/.test(value)) return false;
  const plain = value.replaceAll("_", "");
  if (INTEGER.test(plain)) return fitsInteger(plain) || isFiniteFloat(plain);
  return isFiniteFloat(plain);
}

/** Whether the integer fits 64 bits; its digits may be of any base. */
function fitsInteger(digits: string): boolean {
  const [, sign, body = ""] = /^([-+]?)(.*)$/.exec(digits) ?? [];
  const octal = /^0[oO]?([0-7]+)$/.exec(body);
  const size = BigInt(octal ? `0o${octal[1] ?? ""}` : body);
  if (sign === "-") return size <= 2n ** 63n;
  // A sign makes the number a signed one.
  return size < (sign === "+" ? 2n ** 63n : 2n ** 64n);
}

const isFiniteFloat = (digits: string): boolean =>
  FLOAT.test(digits) && Number.isFinite(Number(digits));

const TIMESTAMP =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:[Tt](\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?(?:Z|[-+](\d\d):(\d\d))| +(\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?)?$/;

function isTimestamp(value: string): boolean {
  const match = TIMESTAMP.exec(value);
  if (!match) return false;
  const [year = 0, month = 0, day = 0, ...clock] = match.slice(1).map((part) => Number(part || 0));
  const [h1 = 0, m1 = 0, s1 = 0, zoneHours = 0, zoneMinutes = 0, h2 = 0, m2 = 0, s2 = 0] = clock;
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate() &&
    Math.max(h1, h2) < 24 &&
    Math.max(m1, m2, s1, s2) < 60 &&
    zoneHours <= 24 &&
    zoneMinutes < 60
  );
}

/**
 * Whether a text of one line needs no quotes: it neither begins with nor contains special
 * characters of YAML.
 */
function isPlain(value: string): boolean {
  return (
    !/^[ &*!|>%@`"'#,[\]{}]/.test(value) &&
    !/^[-?:](?: |$)/.test(value) &&
    !/:(?: |$)| #| $/.test(value) &&
    !/^(?:---|\.\.\.)/.test(value)
  );
}

const ESCAPES = tableOf<string>({
  "\0": "0",
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\x1b": "e",
  '"': '"',
  "\\": "\\",
  "\u0085": "N",
  "\u2028": "L",
  "\u2029": "P",
});

/** A text in double quotes, on one line. */
export function doubleQuoted(value: string): string {
  return `"${escape(value)}"`;
}

function escape(value: string): string {
  return Array.from(value, (character) => {
    const named = ESCAPES.get(character);
    if (named !== undefined) return `\\${named}`;
    if (!UNPRINTABLE.test(character)) return character;
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16).toUpperCase();
    if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
    return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
  }).join("");
}

function literal(value: string, indent: number): string {
  // A first line that is empty or begins with a space would be taken for the indentation.
  const hint = /^[ \n]/.test(value) ? "2" : "";
  const pad = " ".repeat(indent);
  const lines = value.replace(/\n$/, "").split("\n");
  return `|${hint}${chomping(value)}\n${lines.map((line) => (line === "" ? "" : pad + line)).join("\n")}`;
}

/** The chomping indicator for the line breaks at the end: none, one, or all are kept. */
function chomping(value: string): "" | "+" | "-" {
  if (!value.endsWith("\n")) return "-";
  return value === "\n" || value.endsWith("\n\n") ? "+" : "";
}

const FOLD_AFTER = 80;

/**
 * Breaks at spaces after column 80, as libyaml does; at the first of several only in double quotes.
 */
function fold(value: string, { indent, column }: Position, style: Style): string {
  const quote = style === "plain" ? 0 : 1;
  let folded = "";
  let start = 0;
  // The break before value[at] is at column + at - start.
  let from = FOLD_AFTER + 1 - column;
  while (true) {
    const space = value.indexOf(" ", Math.max(from, start + 1));
    if (space === -1 || space >= value.length - 1 - quote) return folded + value.slice(start);
    const isRun = value[space + 1] === " ";
    if (space <= quote || value[space - 1] === " " || (isRun && style !== "double")) {
      from = space + 1;
      continue;
    }
    folded += `${value.slice(start, space)}\n${" ".repeat(indent)}${isRun ? "\\" : ""}`;
    start = space + 1;
    from = start + FOLD_AFTER + 1 - indent - (isRun ? 1 : 0);
  }
}
