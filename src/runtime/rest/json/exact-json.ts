/**
 * JSON with whole numbers of 64 bits: those that a double cannot hold are parsed as `bigint` and
 * written unchanged. `JSON.parse` would round them, and the next update would store the rounded
 * number.
 *
 * A text with such numbers is parsed twice: as it is, and with the place of each of them in a list
 * instead of it. The two values differ where a long number stands, and nowhere else, so no text of
 * the input can be mistaken for one.
 */
import { TsopError } from "../../../errors.ts";
import { encodeJson, setField } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";

// The longest run of digits that always fits is that of 2^53, 16 digits.
const LONG_RUN = 16;
// Far more than 64 bits have; a longer one, which takes longer to parse, is a number like any
// other.
const MAX_DIGITS = 100;
const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;
const SPACE = 0x20;
const MINUS = 0x2d;
const BACKSLASH = 0x5c;
const START = Array.from("[:,", (character) => character.charCodeAt(0));
const END = Array.from("]},", (character) => character.charCodeAt(0));

/** `JSON.parse`, exact for whole numbers of up to 100 digits. @throws SyntaxError */
export function parseExact(text: string): unknown {
  return parseExactBytes(Buffer.from(text), text);
}

/**
 * The same for UTF-8 `bytes` and their `text`; the bytes are searched many times as fast. @throws
 * SyntaxError
 */
export function parseExactBytes(bytes: Uint8Array, text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!hasLongNumber(bytes)) return value;
  const { integers, placed } = withPlaces(text);
  return integers.length === 0 ? value : putBack(value, JSON.parse(placed), integers);
}

/**
 * `JSON.stringify` that writes a `bigint` as the number that it is.
 *
 * @throws TsopError `number-not-finite` for NaN and infinity, which `JSON.stringify` writes as null
 */
export function stringifyExact(value: unknown): string {
  const text = encodeJson(value);
  if (text.includes("null")) refuseNonFinite(value);
  return text;
}

/** The long integers of a text, and the text with the index into that list in the place of each. */
function withPlaces(text: string): { readonly integers: bigint[]; readonly placed: string } {
  const integers: bigint[] = [];
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at);
    const outside = text.slice(at, quote < 0 ? text.length : quote);
    parts.push(
      outside.replace(LONG_INTEGER, (token) => {
        if (Number.isSafeInteger(Number(token)) || token.length > MAX_DIGITS) return token;
        return String(integers.push(BigInt(token)) - 1);
      }),
    );
    if (quote < 0) break;
    at = endOfString(text, quote);
    parts.push(text.slice(quote, at));
  }
  return { integers, placed: parts.join("") };
}

/** The position after the string that begins at `quote`. */
function endOfString(text: string, quote: number): number {
  let end = quote;
  let escaped: boolean;
  do {
    end = text.indexOf('"', end + 1);
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    escaped = (end - before) % 2 === 1;
  } while (escaped);
  return end + 1;
}

/** Restores the numbers of `value` that differ from those in `places`, which is otherwise equal. */
function putBack(value: unknown, places: unknown, integers: readonly bigint[]): unknown {
  const root: JsonObject = { value };
  const pairs: [JsonObject, JsonObject][] = [[root, { value: places }]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [parent, placesIn] = pair;
    for (const key of Object.keys(parent)) {
      const part = parent[key];
      const place = placesIn[key];
      if (typeof part === "number") {
        if (part !== place) setField(parent, key, integers[place as number]);
      } else if (typeof part === "object" && part !== null) {
        pairs.push([part as JsonObject, place as JsonObject]);
      }
    }
  }
  return root["value"];
}

/** @throws TsopError `number-not-finite` */
function refuseNonFinite(root: unknown): void {
  const open: { readonly value: unknown; readonly path: string }[] = [{ value: root, path: "" }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path } = next;
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new TsopError(
        "number-not-finite",
        `${path.slice(1) || "The value"} is ${value}, a number that JSON cannot represent.`,
        "Write a finite number, or leave the field out.",
      );
    }
    if (typeof value !== "object" || value === null) continue;
    for (const [key, part] of Object.entries(value)) {
      if (typeof part === "object" || typeof part === "number") {
        open.push({ value: part, path: `${path}.${key}` });
      }
    }
  }
}

/**
 * Whether 16 digits in a row stand where a number may; most stand in digests and identifiers. Each such run covers one
 * place in 16, so only those are looked at.
 */
function hasLongNumber(json: Uint8Array): boolean {
  for (let at = LONG_RUN - 1; at < json.length; at += LONG_RUN) {
    if (!isDigit(json[at])) continue;
    let first = at;
    while (isDigit(json[first - 1])) first--;
    while (isDigit(json[at + 1])) at++;
    if (at - first + 1 < LONG_RUN) continue;
    const start = json[first - 1] === MINUS ? first - 1 : first;
    if (endsValue(json[at + 1]) && startsValue(json[start - 1])) return true;
  }
  return false;
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= 0x30 && code <= 0x39;
}

/** Whether a value may begin behind the character; `undefined` is the text's beginning. */
function startsValue(code: number | undefined): boolean {
  return code === undefined || code <= SPACE || START.includes(code);
}

/** Whether a number may end before the character; `undefined` is the text's end. */
function endsValue(code: number | undefined): boolean {
  return code === undefined || code <= SPACE || END.includes(code);
}
