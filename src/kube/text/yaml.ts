/**
 * JSON values as YAML, in the form that go-yaml gives them: sorted keys, lists not indented, texts
 * of several lines as blocks, long lines folded. The API server and controller-gen write this form,
 * so a project that comes from Go sees only differences of content.
 *
 * @see https://github.com/yaml/go-yaml/tree/v2
 */
import { isNumeric } from "./go-number.ts";
import { isSimpleKey, number, text } from "./yaml-scalar.ts";

/** The text of an object or a list, with a line break at its end. */
export function toYaml(value: object): string {
  if (isEmpty(value)) return empty(value).slice(1);
  // Pieces, joined once: joining at every level would copy the text as often as it is nested.
  const pieces: string[] = [];
  writeLines(value, 0, pieces);
  return pieces.join("");
}

/** A value after `key:`: with the line break or space before it. */
function writeValue(value: unknown, indent: number, column: number, pieces: string[]): void {
  if (!isStructure(value)) {
    pieces.push(" ", scalar(value, indent, column), "\n");
  } else if (isEmpty(value)) {
    pieces.push(empty(value));
  } else {
    // go-yaml does not indent lists.
    const inner = Array.isArray(value) ? indent - 2 : indent;
    pieces.push("\n", " ".repeat(inner));
    writeLines(value, inner, pieces);
  }
}

/** The lines of a map or list that is not empty; the caller has indented the first. */
function writeLines(value: object, indent: number, pieces: string[]): void {
  const pad = " ".repeat(indent);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      pieces.push(index === 0 ? "-" : `${pad}-`);
      writeItem(item, indent + 2, pieces);
    }
    return;
  }
  const entries = entriesOf(value).sort(([a], [b]) => compareKeys(a, b));
  for (const [index, [key, item]] of entries.entries()) {
    if (index > 0) pieces.push(pad);
    if (isSimpleKey(key)) {
      const name = text(key, "key");
      pieces.push(name, ":");
      writeValue(item, indent + 2, indent + name.length + 2, pieces);
    } else {
      pieces.push("? ", text(key, { indent: indent + 2, column: indent + 2 }), "\n", pad, ":");
      writeItem(item, indent + 2, pieces);
    }
  }
}

/** An item of a list: a map begins on the line of its dash. */
function writeItem(item: unknown, indent: number, pieces: string[]): void {
  if (isStructure(item) && !isEmpty(item)) {
    pieces.push(" ");
    writeLines(item, indent, pieces);
  } else {
    writeValue(item, indent, indent, pieces);
  }
}

function scalar(value: unknown, indent: number, column: number): string {
  if (typeof value === "string") return text(value, { indent, column });
  return isNumeric(value) ? number(value) : JSON.stringify(value ?? null);
}

const empty = (value: object): string => (Array.isArray(value) ? " []\n" : " {}\n");

const entriesOf = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, item]) => item !== undefined);

const isEmpty = (value: object): boolean =>
  Array.isArray(value) ? value.length === 0 : entriesOf(value).length === 0;

const isStructure = (value: unknown): value is object =>
  typeof value === "object" && value !== null;

const ONLY_LETTERS = /^[A-Za-z]*$/;
const isDigit = (character = ""): boolean => /^\p{Nd}$/u.test(character);
const isLetter = (character: string): boolean => /^\p{L}$/u.test(character);

/** The order of go-yaml: runs of digits by value, everything else before letters. */
function compareKeys(a: string, b: string): number {
  if (ONLY_LETTERS.test(a) && ONLY_LETTERS.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  const [x, y] = [Array.from(a), Array.from(b)];
  const length = Math.min(x.length, y.length);
  let index = 0;
  while (index < length && x[index] === y[index]) index++;
  if (index === length) return x.length - y.length;
  const [left = "", right = ""] = [x[index], y[index]];
  const [al, bl] = [isLetter(left), isLetter(right)];
  const byCode = (left.codePointAt(0) ?? 0) - (right.codePointAt(0) ?? 0);
  if (al && bl) return byCode;
  if (al || bl) return bl ? -1 : 1;
  const lead = left === "0" || right === "0" ? numberBefore(x, index) : 0;
  const [n, m] = [runFrom(x, index, lead), runFrom(y, index, lead)];
  return n.value - m.value || n.length - m.length || byCode;
}

/** 1 when a digit other than 0 comes before `index` in the same run: zeros count then. */
function numberBefore(characters: readonly string[], index: number): number {
  for (let before = index - 1; before >= 0 && isDigit(characters[before]); before--) {
    if (characters[before] !== "0") return 1;
  }
  return 0;
}

function runFrom(
  characters: readonly string[],
  index: number,
  lead: number,
): { value: number; length: number } {
  let value = lead;
  let end = index;
  while (isDigit(characters[end])) {
    value = value * 10 + (characters[end]?.codePointAt(0) ?? 0) - 0x30;
    end++;
  }
  return { value, length: end - index };
}
