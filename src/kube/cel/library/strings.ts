/**
 * String functions. Positions and lengths count code points.
 *
 * @see https://pkg.go.dev/github.com/google/cel-go/ext#Strings
 */
import {
  type FunctionDeclaration,
  type Implementation,
  member,
  overload,
  functionOf,
} from "../functions.ts";
import type { Library } from "../environment.ts";
import { checkTextLength } from "../run/scope.ts";
import { DYN, INT, listOf, STRING } from "../types.ts";
import {
  CelError,
  CelList,
  type CelValue,
  formatValue,
  noSuchOverload,
  ValueList,
} from "../values.ts";
import { formatText } from "./format-text.ts";
import { tableOf } from "../../../table.ts";

type Result = CelValue | CelError;

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

/** An implementation whose first argument is a text, given as its code points. */
const onText =
  (run: (text: string[], ...rest: (CelValue | undefined)[]) => Result): Implementation =>
  (text, ...rest) =>
    typeof text === "string" ? run(Array.from(text), ...rest) : noSuchOverload();

const charAt = onText((text, index) => {
  if (typeof index !== "bigint") return noSuchOverload();
  if (index < 0n || index > text.length) return outOfRange(index);
  return text[Number(index)] ?? "";
});

const startsAt = (text: readonly string[], part: readonly string[], index: number): boolean =>
  part.every((character, offset) => text[index + offset] === character);

const indexOf = onText((text, part, offset = 0n) => {
  if (typeof part !== "string" || typeof offset !== "bigint") return noSuchOverload();
  if (part === "") return offset;
  if (offset < 0n) return outOfRange(offset);
  const wanted = Array.from(part);
  for (let index = Number(offset); index <= text.length - wanted.length; index++) {
    if (startsAt(text, wanted, index)) return BigInt(index);
  }
  return -1n;
});

const lastIndexOf = onText((text, part, offset) => {
  if (typeof part !== "string") return noSuchOverload();
  if (offset === undefined && part === "") return BigInt(text.length);
  const from = offset ?? BigInt(text.length - 1);
  if (typeof from !== "bigint") return noSuchOverload();
  if (part === "") return from;
  const wanted = Array.from(part);
  if (offset === undefined && Buffer.byteLength(text.join("")) < Buffer.byteLength(part)) {
    return -1n;
  }
  if (from < 0n) return outOfRange(from);
  if (from >= text.length) return -1n;
  const start = Math.min(Number(from), text.length - wanted.length);
  for (let index = start; index >= 0; index--) {
    if (startsAt(text, wanted, index)) return BigInt(index);
  }
  return -1n;
});

const substringFrom = onText((text, start) => {
  if (typeof start !== "bigint") return noSuchOverload();
  if (start < 0n || start > text.length) return outOfRange(start);
  return text.slice(Number(start)).join("");
});

const substringRange = onText((text, start, end) => {
  if (typeof start !== "bigint" || typeof end !== "bigint") return noSuchOverload();
  if (start > end) {
    return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0n || start > text.length) return outOfRange(start);
  if (end < 0n || end > text.length) return outOfRange(end);
  return text.slice(Number(start), Number(end)).join("");
});

/**
 * The occurrences of `part`, at most `limit`, as pieces between them; an empty part is everywhere.
 */
function pieces(text: string, part: string, limit: number): string[] {
  if (limit === 0) return [];
  if (part === "") {
    const characters = Array.from(text);
    if (limit < 0 || characters.length <= limit) return characters;
    return [...characters.slice(0, limit - 1), characters.slice(limit - 1).join("")];
  }
  const all = text.split(part);
  if (limit < 0 || all.length <= limit) return all;
  return [...all.slice(0, limit - 1), all.slice(limit - 1).join(part)];
}

const split: Implementation = (text, separator = null, limit = -1n) => {
  if (typeof text !== "string" || typeof separator !== "string" || typeof limit !== "bigint") {
    return noSuchOverload();
  }
  return new ValueList(pieces(text, separator, Number(limit)));
};

const replace: Implementation = (text, part = null, by = null, limit = -1n) => {
  if (typeof text !== "string" || typeof part !== "string" || typeof by !== "string") {
    return noSuchOverload();
  }
  if (typeof limit !== "bigint") return noSuchOverload();
  if (limit === 0n) return text;
  if (part !== "") {
    const kept = pieces(text, part, limit < 0n ? -1 : Number(limit) + 1);
    checkTextLength(text.length + (kept.length - 1) * (by.length - part.length));
    return kept.join(by);
  }
  const characters = Array.from(text);
  const count = limit < 0n ? characters.length + 1 : Math.min(Number(limit), characters.length + 1);
  checkTextLength(text.length + count * by.length);
  const before = characters.map((character, index) => (index < count ? by : "") + character);
  return before.join("") + (count > characters.length ? by : "");
};

const onAscii = (pattern: RegExp, change: (letter: string) => string): Implementation =>
  onText((text) => text.join("").replace(pattern, change));

/** Go's white space. */
const SPACES =
  "[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const spacesAround = new RegExp(`^${SPACES}|${SPACES}$`, "g");

const trim = onText((text) => text.join("").replace(spacesAround, ""));

const ESCAPES = tableOf<string>({
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
});

const quoted = onText(
  (text) => `"${text.map((character) => ESCAPES.get(character) ?? character).join("")}"`,
);

function join(list: CelValue, separator: CelValue = ""): Result {
  if (!(list instanceof CelList) || typeof separator !== "string") return noSuchOverload();
  const texts: string[] = [];
  let length = 0;
  for (const item of list) {
    if (typeof item !== "string") {
      return new CelError(`join: invalid input: ${formatValue(item)}`);
    }
    texts.push(item);
    length += item.length + separator.length;
    checkTextLength(length);
  }
  return texts.join(separator);
}

const format: Implementation = (text, args = null) => {
  if (typeof text !== "string" || !(args instanceof CelList)) return noSuchOverload();
  return formatText(text, args);
};

const TEXTS = listOf(STRING);

const functions: readonly FunctionDeclaration[] = [
  functionOf("charAt", member("string_char_at_int", [STRING, INT], STRING, charAt)),
  functionOf(
    "indexOf",
    member("string_index_of_string", [STRING, STRING], INT, indexOf),
    member("string_index_of_string_int", [STRING, STRING, INT], INT, indexOf),
  ),
  functionOf(
    "lastIndexOf",
    member("string_last_index_of_string", [STRING, STRING], INT, lastIndexOf),
    member("string_last_index_of_string_int", [STRING, STRING, INT], INT, lastIndexOf),
  ),
  functionOf(
    "lowerAscii",
    member(
      "string_lower_ascii",
      [STRING],
      STRING,
      onAscii(/[A-Z]+/g, (letters) => letters.toLowerCase()),
    ),
  ),
  functionOf(
    "upperAscii",
    member(
      "string_upper_ascii",
      [STRING],
      STRING,
      onAscii(/[a-z]+/g, (letters) => letters.toUpperCase()),
    ),
  ),
  functionOf(
    "replace",
    member("string_replace_string_string", [STRING, STRING, STRING], STRING, replace),
    member("string_replace_string_string_int", [STRING, STRING, STRING, INT], STRING, replace),
  ),
  functionOf(
    "split",
    member("string_split_string", [STRING, STRING], TEXTS, split),
    member("string_split_string_int", [STRING, STRING, INT], TEXTS, split),
  ),
  functionOf(
    "substring",
    member("string_substring_int", [STRING, INT], STRING, substringFrom),
    member("string_substring_int_int", [STRING, INT, INT], STRING, substringRange),
  ),
  functionOf("trim", member("string_trim", [STRING], STRING, trim)),
  functionOf("format", member("string_format", [STRING, listOf(DYN)], STRING, format)),
  functionOf("strings.quote", overload("strings_quote", [STRING], STRING, quoted)),
  functionOf(
    "join",
    member("list_join", [TEXTS], STRING, join),
    member("list_join_string", [TEXTS, STRING], STRING, join),
  ),
];

export const stringLibrary: Library = { functions };
