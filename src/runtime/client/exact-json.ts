/**
 * JSON with whole numbers of 64 bits: those that a double cannot hold come out as `bigint` and go back as they were.
 * `JSON.parse` would round them, and the next update would store what was rounded.
 *
 * @module
 */

// The longest run of digits that always fits is that of 2^53, 16 digits.
const LONG_RUN = 16;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;
const SPACE = 0x20;
const START = Array.from("[:,", (character) => character.charCodeAt(0));
const END = Array.from("]},", (character) => character.charCodeAt(0));
// Marks a number among the strings, while it is on its way through JSON.parse or JSON.stringify.
const MARK = "\u0000int64:";
const MARKED = new RegExp(`"\\\\u0000int64:(-?\\d+)"`, "g");

/** What parses texts that are put together of `text` and some without long numbers as `parseExact` does. */
export function exactParserFor(text: string): (whole: string) => unknown {
  // Looked through before it is put together: V8 does not make one string of several until somebody reads it.
  return hasLongNumber(text) ? parseExact : (whole) => JSON.parse(whole) as unknown;
}

/** `JSON.parse`, exact for whole numbers of any size. @throws SyntaxError */
export function parseExact(text: string): unknown {
  if (!hasLongNumber(text)) return JSON.parse(text);
  let marks = 0;
  const marked = text.replace(STRING_OR_NUMBER, (token) => {
    if (token.startsWith('"') || Number.isSafeInteger(Number(token))) return token;
    marks++;
    return JSON.stringify(MARK + token);
  });
  if (marks === 0) return JSON.parse(text);
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  );
}

/** `JSON.stringify` that writes a `bigint` as the number that it is. */
export function stringifyExact(value: unknown): string {
  try {
    // Without a function to call for each field it takes a tenth of the time.
    return JSON.stringify(value);
  } catch (error) {
    // What it says to a `bigint`.
    if (!(error instanceof TypeError)) throw error;
  }
  let marks = 0;
  const text = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "bigint") return part;
    marks++;
    return `${MARK}${part}`;
  });
  return marks === 0 ? text : text.replace(MARKED, "$1");
}

/**
 * Whether 16 digits in a row stand where a number may; most stand in digests and identifiers. Each such run covers one
 * place in 16, so only those are looked at.
 */
function hasLongNumber(text: string): boolean {
  for (let at = LONG_RUN - 1; at < text.length; at += LONG_RUN) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let first = at;
    while (isDigit(text.charCodeAt(first - 1))) first--;
    while (isDigit(text.charCodeAt(at + 1))) at++;
    if (at - first + 1 < LONG_RUN) continue;
    const start = text[first - 1] === "-" ? first - 1 : first;
    if (endsValue(text.charCodeAt(at + 1)) && startsValue(text.charCodeAt(start - 1))) return true;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether a value may begin behind the character; not a number is the text's beginning. */
function startsValue(code: number): boolean {
  return Number.isNaN(code) || code <= SPACE || START.includes(code);
}

/** Whether a number may end before the character; not a number is the text's end. */
function endsValue(code: number): boolean {
  return Number.isNaN(code) || code <= SPACE || END.includes(code);
}
