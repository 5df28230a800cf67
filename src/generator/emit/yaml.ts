/**
 * JSON values as YAML, in the form that controller-gen writes (that of go-yaml): sorted keys, lists not
 * indented, texts of several lines as blocks, long lines folded. A project that comes from Go sees no
 * difference but that of content.
 *
 * @module
 */

/** A YAML document, from its `---` on. */
export function toYaml(value: object): string {
  // Pieces, joined once: joining at every level would copy the text as often as it is nested.
  const pieces = ["---\n"];
  if (isEmpty(value)) pieces.push(empty(value));
  else writeLines(value, 0, pieces);
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
    const name = scalar(key, 0, 0);
    pieces.push(index === 0 ? name : pad + name, ":");
    writeValue(item, indent + 2, indent + name.length + 2, pieces);
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

const empty = (value: object): string => (Array.isArray(value) ? " []\n" : " {}\n");

const entriesOf = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, item]) => item !== undefined);

const isEmpty = (value: object): boolean =>
  Array.isArray(value) ? value.length === 0 : entriesOf(value).length === 0;

const isStructure = (value: unknown): value is object =>
  typeof value === "object" && value !== null;

/** What YAML 1.1 would read as something else than a string. */
const OTHER_TYPE =
  /^(?:|~|null|true|false|yes|no|on|off|y|n|[-+]?(?:0b[01_]+|0x[\da-f_]+|0o?[0-7_]+|\d[\d_]*(?:\.[\d_]*)?(?:e[-+]?\d+)?|\.\d[\d_]*(?:e[-+]?\d+)?|\.inf)|\.nan|\d{4}-\d\d?-\d\d?(?:[t ].*)?|[-+]?\d+(?::[0-5]?\d)+(?:\.\d*)?|<<|=)$/i;

function scalar(value: unknown, indent: number, column: number): string {
  if (typeof value !== "string") return JSON.stringify(value);
  if (OTHER_TYPE.test(value)) return JSON.stringify(value);
  if (hasUnprintable(value)) return JSON.stringify(value);
  if (value.includes("\n")) return literal(value, indent);
  const plain = isPlain(value) ? value : `'${value.replaceAll("'", "''")}'`;
  return fold(plain, indent, column);
}

function hasUnprintable(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return /[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f\ufeff\ufffe\uffff]/.test(text);
}

/** Whether a text needs no quotes: it neither begins nor contains what YAML gives a meaning to. */
function isPlain(text: string): boolean {
  return (
    !/^[\s&*!|>%@`"'#,[\]{}]/.test(text) &&
    !/^[-?:](?:\s|$)/.test(text) &&
    !/:(?:\s|$)|\s#|\s$|\t/.test(text) &&
    !/^(?:---|\.\.\.)/.test(text)
  );
}

function literal(text: string, indent: number): string {
  // A first line that begins with a space would be taken for the indentation.
  const hint = /^[ \n]/.test(text) ? "2" : "";
  const trailing = /\n*$/.exec(text)?.[0].length ?? 0;
  const chomp = trailing === 0 ? "-" : trailing === 1 ? "" : "+";
  const pad = " ".repeat(indent);
  const lines = (chomp === "" || chomp === "+" ? text.slice(0, -1) : text).split("\n");
  return `|${hint}${chomp}\n${lines.map((line) => (line === "" ? "" : pad + line)).join("\n")}`;
}

const FOLD_AFTER = 80;

/** Breaks at the first single space after column 80, as libyaml does. */
function fold(text: string, indent: number, column: number): string {
  // The break before text[at] is at column + at - start.
  let folded = "";
  let start = 0;
  let from = FOLD_AFTER + 1 - column;
  while (true) {
    const space = text.indexOf(" ", Math.max(from, start + 1));
    if (space === -1 || space >= text.length - 1) return folded + text.slice(start);
    if (text[space - 1] === " " || text[space + 1] === " ") {
      from = space + 1;
      continue;
    }
    folded += `${text.slice(start, space)}\n${" ".repeat(indent)}`;
    start = space + 1;
    from = start + FOLD_AFTER + 1 - indent;
  }
}

const ONLY_LETTERS = /^[A-Za-z]*$/;

/** The order of go-yaml: runs of digits by value, punctuation and digits before letters. */
function compareKeys(a: string, b: string): number {
  if (ONLY_LETTERS.test(a) && ONLY_LETTERS.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  const isDigit = (character: string): boolean => character >= "0" && character <= "9";
  const isLetter = (character: string): boolean => /\p{L}/u.test(character);
  const [x, y] = [Array.from(a), Array.from(b)];
  let digits = false;
  for (let index = 0; index < x.length && index < y.length; index++) {
    const [left = "", right = ""] = [x[index], y[index]];
    if (left === right) {
      digits = isDigit(left);
      continue;
    }
    const [al, bl] = [isLetter(left), isLetter(right)];
    if (al && bl) return left < right ? -1 : 1;
    if (al || bl) return digits === al ? -1 : 1;
    const [n, m] = [leadingNumber(x, index), leadingNumber(y, index)];
    if (n !== m) return n - m;
    return left < right ? -1 : 1;
  }
  return x.length - y.length;
}

function leadingNumber(characters: readonly string[], index: number): number {
  const digits = /^\d*/.exec(characters.slice(index).join(""))?.[0] ?? "";
  return digits === "" ? 0 : Number(digits);
}
