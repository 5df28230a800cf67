/**
 * The error messages of go-yaml for invalid YAML.
 *
 * Common mistakes have the words of go-yaml; others have those of the parser used here. Lines are
 * counted as go-yaml does: the first one is not named, and its parser counts from 0 while its
 * scanner counts from 1.
 */
import { isUtf8 } from "node:buffer";
import type { CST, LineCounter, YAMLParseError } from "yaml";

/** The position of a mistake, and the parser's code and message for it. */
export type ParserMistake = Pick<YAMLParseError, "code" | "message" | "pos">;

export interface MistakenText {
  readonly text: string;
  readonly lines: LineCounter;
}

const CONTROL =
  // oxlint-disable-next-line no-control-regex -- it matches control characters
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** The message of go-yaml about invalid characters in a text; `undefined` when there are none. */
export function characterMistake(bytes: Buffer, text: string): string | undefined {
  const mistake = isUtf8(bytes) ? undefined : sequenceMistake(bytes);
  if (mistake !== undefined) return `yaml: ${mistake}`;
  return CONTROL.test(text) ? "yaml: control characters are not allowed" : undefined;
}

/** The smallest code point of a UTF-8 sequence, by its number of bytes. */
const SMALLEST: readonly number[] = [0, 0, 0x80, 0x800, 0x10000];

function sequenceMistake(bytes: Buffer): string | undefined {
  let width: number;
  for (let at = 0; at < bytes.length; at += width) {
    const first = bytes[at] ?? 0;
    if (first < 0x80) width = 1;
    else if (first >= 0xc0 && first < 0xe0) width = 2;
    else if (first >= 0xe0 && first < 0xf0) width = 3;
    else if (first >= 0xf0 && first < 0xf8) width = 4;
    else return "invalid leading UTF-8 octet";
    if (at + width > bytes.length) return "incomplete UTF-8 octet sequence";
    let value = width === 1 ? first : first & (0x7f >> width);
    for (const next of bytes.subarray(at + 1, at + width)) {
      if ((next & 0xc0) !== 0x80) return "invalid trailing UTF-8 octet";
      value = (value << 6) | (next & 0x3f);
    }
    if (value < (SMALLEST[width] ?? 0)) return "invalid length of a UTF-8 sequence";
    if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff)
      return "invalid Unicode character";
  }
  return undefined;
}

/**
 * Matches an escape in double quotes; half of a surrogate pair is captured as a whole, since YAML
 * allows whole characters only.
 */
const ESCAPE = /\\(u[dD][89a-fA-F][\da-fA-F]{2}|[^])/g;

/**
 * The message of go-yaml about escapes of a scalar that the parser accepts; `undefined` when they
 * are valid.
 */
export function escapeMistake(token: CST.Token, { lines }: MistakenText): string | undefined {
  if (token.type !== "double-quoted-scalar" || !token.source.includes("\\u")) return undefined;
  for (const { 1: escape = "", index } of token.source.matchAll(ESCAPE)) {
    if (escape.length === 1) continue;
    const { line } = lines.linePos(token.offset + index);
    return scannerMistake(line, "found invalid Unicode character escape code");
  }
  return undefined;
}

/** A mistake of the parser in the words of go-yaml. */
export function explainMistake(mistake: ParserMistake, where: MistakenText): string {
  const [position] = mistake.pos;
  const { line } = where.lines.linePos(position);
  switch (mistake.code) {
    case "TAB_AS_INDENT":
      return scannerMistake(
        line,
        isAfterWord(where.text.slice(0, position))
          ? "found a tab character that violates indentation"
          : "found character that cannot start any token",
      );
    case "BLOCK_AS_IMPLICIT_KEY":
    case "MULTILINE_IMPLICIT_KEY":
      return isNextKey(position, where) ? unfinishedKey(line) : misplacedColon(position, where);
    case "BAD_DIRECTIVE":
      return "yaml: found unknown directive name";
    case "BAD_DQ_ESCAPE":
      return scannerMistake(line, badEscape(mistake.message));
    case "BAD_SCALAR_START":
      return mistake.message.includes("reserved character") || mistake.message.includes("directive")
        ? scannerMistake(line, "found character that cannot start any token")
        : parserMistake(line, "did not find expected node content");
    case "MISSING_CHAR":
      if (mistake.message.startsWith("Missing closing")) {
        return scannerMistake(line, "found unexpected end of stream");
      }
      return mistake.message.startsWith("Implicit map keys")
        ? unfinishedKey(line)
        : unexpected(mistake, where);
    case "BAD_INDENT":
    case "UNEXPECTED_TOKEN":
      return unexpected(mistake, where);
    default:
      return scannerMistake(line, mistake.message.split("\n")[0]?.replace(/ at line.*$/, "") ?? "");
  }
}

/**
 * Whether the last character of a text, spaces aside, is neither an item's nor a value's indicator.
 */
const isAfterWord = (text: string): boolean => !["", "-", ":"].includes(text.trimEnd().slice(-1));

function scannerMistake(line: number, text: string): string {
  return line > 1 ? `yaml: line ${line}: ${text}` : `yaml: ${text}`;
}

function parserMistake(line: number, text: string): string {
  return line > 1 ? `yaml: line ${line - 1}: ${text}` : `yaml: ${text}`;
}

/** The mistake of a key without a colon, which shows on the next line. */
function unfinishedKey(line: number): string {
  return scannerMistake(line + 1, "could not find expected ':'");
}

/**
 * The mistake of a colon without a key: it is reported where the word ends, perhaps lines later.
 */
function misplacedColon(position: number, { text, lines }: MistakenText): string {
  const colon = text.slice(position).search(/:(\s|$)/);
  const { line } = lines.linePos(position + Math.max(colon, 0));
  return scannerMistake(line, "mapping values are not allowed in this context");
}

/** Whether the position is where the next key of its mapping must be. */
function isNextKey(position: number, { text }: MistakenText): boolean {
  const [own = "", ...above] = text.slice(0, position).split("\n").reverse();
  if (own.trim() !== "") return false;
  for (const line of above) {
    const indent = line.search(/[^\s-]/);
    if (indent >= 0 && indent <= own.length) return indent === own.length;
  }
  return false;
}

function badEscape(message: string): string {
  const [, mark = "", digits = ""] = /\\([xuU]?)([^\s]*)/.exec(message) ?? [];
  if (mark === "") return "found unknown escape character";
  const length = { x: 2, u: 4, U: 8 }[mark] ?? 0;
  return /^[\da-fA-F]+$/.test(digits) && digits.length === length
    ? "found invalid Unicode character escape code"
    : "did not find expected hexdecimal number";
}

function unexpected({ message, pos: [position] }: ParserMistake, where: MistakenText): string {
  const { text, lines } = where;
  const { line, col } = lines.linePos(position);
  if (message.startsWith("Block scalar header")) {
    return scannerMistake(line, "did not find expected comment or line break");
  }
  if (message.startsWith("Unexpected block-seq-ind")) {
    return scannerMistake(line, "block sequence entries are not allowed in this context");
  }
  if (message.startsWith("Unexpected scalar") && col === 1) return unfinishedKey(line);
  const before = text.slice(0, position).trimEnd().at(-1) ?? "";
  const bracket = openBracket(text.slice(0, position));
  if (bracket !== undefined) {
    const expected = "[{,:".includes(before) ? "node content" : `',' or '${bracket}'`;
    return parserMistake(lineOfToken(position, where), `did not find expected ${expected}`);
  }
  if (message.startsWith("Sequence item without")) {
    return parserMistake(line, "did not find expected '-' indicator");
  }
  return /flow-(seq|map)-end/.test(message) && ":-".includes(before)
    ? parserMistake(line, "did not find expected node content")
    : parserMistake(line, "did not find expected key");
}

/** The line of the next token; the end of a text counts as a line of its own. */
function lineOfToken(position: number, { text, lines }: MistakenText): number {
  if (text.slice(position).trim() !== "") return lines.linePos(position).line;
  return lines.linePos(text.length).line + (text.endsWith("\n") ? 0 : 1);
}

/**
 * The bracket that closes the innermost open one at the end of a text; `undefined` when none is
 * open.
 */
function openBracket(text: string): "]" | "}" | undefined {
  const open: ("]" | "}")[] = [];
  for (const [mark] of text.matchAll(/"(?:[^"\\]|\\[^])*"|'[^']*'|[[\]{}]/g)) {
    if (mark === "[") open.push("]");
    else if (mark === "{") open.push("}");
    else if (mark === "]" || mark === "}") open.pop();
  }
  return open.at(-1);
}
