/**
 * The values of literals.
 *
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#string-and-bytes-values
 */
import { type CelValue, INT_MAX, INT_MIN, Uint, UINT_MAX } from "../values.ts";
import { tableOf } from "../../../table.ts";

/** The value of a number; `undefined` when it is too large. */
export function readNumber(
  kind: "NUM_INT" | "NUM_UINT" | "NUM_FLOAT",
  text: string,
): CelValue | undefined {
  if (kind === "NUM_FLOAT") {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  if (kind === "NUM_UINT") {
    const value = BigInt(text.slice(0, -1));
    return value > UINT_MAX ? undefined : new Uint(value);
  }
  const value = text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
  return value > INT_MAX || value < INT_MIN ? undefined : value;
}

const SIMPLE_ESCAPES = tableOf<string>({
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "`": "`",
  "?": "?",
});

/** The value of a string or of bytes, or the error of an escape. */
export function readString(kind: "STRING" | "BYTES", text: string): string | Uint8Array | Error {
  const isBytes = kind === "BYTES";
  let quoted = (isBytes ? text.slice(1) : text).replaceAll(/\r\n?/g, "\n");
  const raw = /^[rR]/.test(quoted);
  if (raw) quoted = quoted.slice(1);
  const width = /^("""|''')/.test(quoted) && quoted.length >= 6 ? 3 : 1;
  const inner = quoted.slice(width, -width);
  if (raw || !inner.includes("\\")) return isBytes ? Buffer.from(inner) : inner;
  const parts: Buffer[] = [];
  let result = "";
  const pattern = /\\(?:[xX]([0-9a-fA-F]{2})|[uU]([0-9a-fA-F]+)|([0-3][0-7]{2})|([^]))|[^\\]+/g;
  for (const match of unescapable(inner, pattern)) {
    const [whole = "", byte, unicode, octal, simple] = match;
    if (simple !== undefined) result += SIMPLE_ESCAPES.get(simple) ?? simple;
    else if (byte !== undefined || octal !== undefined) {
      const code = byte !== undefined ? Number.parseInt(byte, 16) : Number.parseInt(octal ?? "", 8);
      if (!isBytes) result += String.fromCodePoint(code);
      else {
        parts.push(Buffer.from(result), Buffer.from([code]));
        result = "";
      }
    } else if (unicode !== undefined) {
      if (isBytes) return new Error("unable to unescape string");
      const code = Number.parseInt(unicode, 16);
      if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
        return new Error("invalid unicode code point");
      }
      result += String.fromCodePoint(code);
    } else result += whole;
  }
  return isBytes ? Buffer.concat([...parts, Buffer.from(result)]) : result;
}

/** The matches of a pattern, with `\u` and `\U` cut to their four and eight digits. */
function* unescapable(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const digits = match[2];
    if (digits !== undefined) {
      const width = match[0].startsWith("\\u") ? 4 : 8;
      pattern.lastIndex -= digits.length - width;
      match[2] = digits.slice(0, width);
    }
    yield match;
  }
}
