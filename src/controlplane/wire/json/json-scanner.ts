/**
 * Reads JSON as the API server does: duplicate keys are found with their paths, numbers keep their
 * notation where it matters, and errors are worded as by Go's `encoding/json`.
 *
 * A number that JavaScript cannot hold exactly becomes a `bigint` where it is an `int64`, and a
 * float otherwise.
 */
import { setField } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";
import { NumberLiteral, isMap, plainNumbers } from "./number-literal.ts";
import { WireError } from "./wire-error.ts";

/** Decoded JSON; `value` may hold `NumberLiteral`s if `hasLiterals`. */
export interface ScannedJson {
  readonly value: unknown;
  readonly hasLiterals: boolean;
  /** Paths of duplicate keys: `spec.ports[0].name`; the last value counts. */
  readonly duplicates: readonly string[];
}

/** An object with all of its fields in their order, duplicates included. */
export class JsonEntries {
  readonly list: (readonly [name: string, value: unknown])[] = [];
}

const MAX_DEPTH = 1000;
const MAX_DUPLICATES = 100;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ESCAPES: Readonly<Record<number, string>> = {
  0x22: '"',
  0x5c: "\\",
  0x2f: "/",
  0x62: "\b",
  0x66: "\f",
  0x6e: "\n",
  0x72: "\r",
  0x74: "\t",
};
const LITERALS: readonly (readonly [word: string, value: unknown])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** A byte as Go quotes it in these messages. */
function quoteByte(byte: number): string {
  if (byte === 0x27) return "'\\''";
  if (byte === QUOTE) return "'\"'";
  return `'${JSON.stringify(String.fromCharCode(byte)).slice(1, -1)}'`;
}

/**
 * Reads one JSON text.
 *
 * @param merges - duplicate fields are merged into the earlier ones, as in Go's structs
 * @throws WireError
 */
export function scanJson(bytes: Uint8Array, merges = false): ScannedJson {
  const value = readCanonical(bytes);
  if (value !== undefined) return { value, hasLiterals: false, duplicates: [] };
  const scanner = new JsonScanner(bytes, merges);
  return {
    value: scanner.scan(),
    hasLiterals: scanner.hasLiterals,
    duplicates: scanner.duplicates,
  };
}

/** Reads one JSON text with its objects as `JsonEntries`. @throws WireError */
export const scanEntries = (bytes: Uint8Array): unknown => new EntryScanner(bytes).scan();

/** Reads JSON that this program wrote. @throws WireError */
export function readJson(text: string): unknown {
  return LONG_NUMBER.test(text)
    ? plainNumbers(scanJson(Buffer.from(text)).value)
    : (JSON.parse(text) as unknown);
}

/** Whether the text may hold a number that is too large to be exact. */
const mayBeGreat = (text: string): boolean =>
  LONG_NUMBER.test(text) || (text.includes("e+") && /\de\+/.test(text));

/**
 * A JSON text that equals its own re-encoding, as most programs send it: it has neither duplicate
 * keys nor numbers in an unusual notation, so it need not be scanned byte by byte. `undefined` for
 * any other.
 */
function readCanonical(bytes: Uint8Array): unknown {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const text = whole.endsWith("\n") ? whole.slice(0, -1) : whole;
  // An escaped character may be half of a surrogate pair.
  const isDoubtful = text.includes("\\u") || mayBeGreat(text);
  if (isDoubtful || countOf("{", text) + countOf("[", text) > MAX_DEPTH) return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    // Invalid JSON: the scanner finds the reason.
    return undefined;
  }
}

function countOf(mark: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) count++;
  return count;
}

/** Matches numbers that may exceed 2^53. */
const LONG_NUMBER = /\d{16}/;

/** Merges a duplicate field as Go does: maps and structs are filled further, lists item by item. */
function mergedAgain(before: unknown, again: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(again)) {
    return again.map((item, index) =>
      index < before.length ? mergedAgain(before[index], item) : (item as unknown),
    );
  }
  if (!isMap(before) || !isMap(again)) return again;
  for (const [key, value] of Object.entries(again)) {
    setField(before, key, Object.hasOwn(before, key) ? mergedAgain(before[key], value) : value);
  }
  return before;
}

class JsonScanner {
  readonly #bytes: Buffer;
  #at = 0;
  #depth = 0;
  hasLiterals = false;
  readonly duplicates: string[] = [];
  readonly #path: (string | number)[] = [];
  readonly #merges: boolean;

  constructor(bytes: Uint8Array, merges = false) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#merges = merges;
  }

  scan(): unknown {
    this.#skipSpace();
    const value = this.#value();
    this.#skipSpace();
    if (this.#at < this.#bytes.length) this.#fail("after top-level value");
    return value;
  }

  #fail(where: string): never {
    const byte = this.#bytes[this.#at];
    throw new WireError(
      byte === undefined
        ? "unexpected end of JSON input"
        : `invalid character ${quoteByte(byte)} ${where}`,
    );
  }

  #skipSpace(): void {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#at++;
    }
  }

  #value(): unknown {
    switch (this.#bytes[this.#at]) {
      case 0x7b:
        return this.#object();
      case 0x5b:
        return this.#array();
      case QUOTE:
        return this.#string();
      case 0x74:
      case 0x66:
      case 0x6e:
        return this.#literal();
      default:
        return this.#number();
    }
  }

  /** Reads the parts of a list or map, up to the mark that closes it. */
  #parts(close: number, where: string, read: () => void): void {
    if (++this.#depth > MAX_DEPTH) throw new WireError("exceeded max depth");
    this.#at++;
    this.#skipSpace();
    if (this.#bytes[this.#at] !== close) {
      for (;;) {
        read();
        this.#skipSpace();
        const byte = this.#bytes[this.#at];
        if (byte === close) break;
        if (byte !== 0x2c) this.#fail(where);
        this.#at++;
        this.#skipSpace();
      }
    }
    this.#at++;
    this.#depth--;
  }

  #object(): object {
    const object = this.emptyObject();
    this.#parts(0x7d, "after object key:value pair", () => {
      if (this.#bytes[this.#at] !== QUOTE) this.#fail("looking for beginning of object key string");
      const key = this.#string();
      this.#skipSpace();
      if (this.#bytes[this.#at] !== 0x3a) this.#fail("after object key");
      this.#at++;
      this.#skipSpace();
      this.#path.push(key);
      this.addField(object, key, () => this.#value());
      this.#path.pop();
    });
    return object;
  }

  protected emptyObject(): object {
    return {};
  }

  /** Reads the value of a field and adds it to its object. */
  protected addField(object: object, key: string, read: () => unknown): void {
    const fields = object as JsonObject;
    if (!Object.hasOwn(fields, key)) {
      setField(fields, key, read());
      return;
    }
    this.#noteDuplicate();
    const value = read();
    setField(fields, key, this.#merges ? mergedAgain(fields[key], value) : value);
  }

  #noteDuplicate(): void {
    const path = printJsonPath(this.#path);
    if (this.duplicates.length < MAX_DUPLICATES && !this.duplicates.includes(path)) {
      this.duplicates.push(path);
    }
  }

  #array(): unknown[] {
    const list: unknown[] = [];
    this.#parts(0x5d, "after array element", () => {
      this.#path.push(list.length);
      list.push(this.#value());
      this.#path.pop();
    });
    return list;
  }

  #string(): string {
    const start = ++this.#at;
    let isPlain = true;
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === QUOTE) break;
      if (byte === undefined || byte < 0x20) this.#fail("in string literal");
      if (byte === BACKSLASH) {
        isPlain = false;
        this.#skipEscape();
      } else this.#at++;
    }
    const end = this.#at++;
    return isPlain ? this.#bytes.toString("utf8", start, end) : this.#unescape(start, end);
  }

  #skipEscape(): void {
    const byte = this.#bytes[++this.#at];
    if (byte === 0x75) {
      for (let digit = 0; digit < 4; digit++) {
        const hex = this.#bytes[++this.#at];
        if (hex === undefined || !/[0-9a-fA-F]/.test(String.fromCharCode(hex))) {
          this.#fail("in \\u hexadecimal character escape");
        }
      }
    } else if (byte === undefined || ESCAPES[byte] === undefined) {
      this.#fail("in string escape code");
    }
    this.#at++;
  }

  #unescape(start: number, end: number): string {
    const text = this.#bytes.toString("utf8", start, end);
    const unescaped = text.replace(
      /\\(?:u([0-9a-fA-F]{4})|(.))/g,
      (_, hex: string | undefined, mark: string) =>
        hex === undefined
          ? (ESCAPES[mark.charCodeAt(0)] ?? mark)
          : String.fromCharCode(parseInt(hex, 16)),
    );
    // Half of a surrogate pair becomes U+FFFD, as in Go.
    return unescaped.replace(LONE_SURROGATES, "\ufffd");
  }

  #literal(): unknown {
    const first = this.#bytes[this.#at];
    for (const [word, value] of LITERALS) {
      if (word.charCodeAt(0) !== first) continue;
      for (let index = 1; index < word.length; index++) {
        this.#at++;
        if (this.#bytes[this.#at] !== word.charCodeAt(index)) {
          this.#fail(`in literal ${word} (expecting '${word.charAt(index)}')`);
        }
      }
      this.#at++;
      return value;
    }
    return this.#fail("looking for beginning of value");
  }

  #digits(where: string): void {
    if (!isDigit(this.#bytes[this.#at])) this.#fail(where);
    while (isDigit(this.#bytes[this.#at])) this.#at++;
  }

  #number(): number | NumberLiteral {
    const start = this.#at;
    if (this.#bytes[this.#at] === 0x2d) {
      this.#at++;
      if (!isDigit(this.#bytes[this.#at])) this.#fail("in numeric literal");
    } else if (!isDigit(this.#bytes[this.#at])) {
      this.#fail("looking for beginning of value");
    }
    if (this.#bytes[this.#at] === 0x30) this.#at++;
    else this.#digits("in numeric literal");
    if (this.#bytes[this.#at] === 0x2e) {
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    if (this.#bytes[this.#at] === 0x65 || this.#bytes[this.#at] === 0x45) {
      this.#at++;
      const sign = this.#bytes[this.#at];
      if (sign === 0x2b || sign === 0x2d) this.#at++;
      this.#digits("in exponent of numeric literal");
    }
    const text = this.#bytes.toString("latin1", start, this.#at);
    const number = Number(text);
    if (String(number) === text && (!Number.isInteger(number) || Number.isSafeInteger(number))) {
      return number;
    }
    this.hasLiterals = true;
    return new NumberLiteral(text);
  }
}

class EntryScanner extends JsonScanner {
  protected override emptyObject(): JsonEntries {
    return new JsonEntries();
  }

  protected override addField(object: JsonEntries, key: string, read: () => unknown): void {
    object.list.push([key, read()]);
  }
}

/** A path as strict decoding prints it: `spec.ports[0].name`. */
export function printJsonPath(steps: readonly (string | number)[]): string {
  let path = "";
  for (const step of steps) {
    if (typeof step === "number") path += `[${step}]`;
    else path += path === "" ? step : `.${step}`;
  }
  return path;
}
