/**
 * JSON values as YAML, in the form that controller-gen writes (that of go-yaml): sorted keys, lists not
 * indented, texts of several lines as blocks, long lines folded. A project that comes from Go sees no
 * difference but that of content.
 *
 * @module
 */

/** A YAML document, from its `---` on. */
export function toYaml(value: object): string {
  return `---\n${block(value, 0).replace(/^\n/, "")}`;
}

/** A value after `key:` or `-`, or at the top: with the line break or space before it. */
function block(value: unknown, indent: number): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return " []\n";
    const pad = " ".repeat(indent);
    return `\n${value.map((item) => `${pad}-${listItem(item, indent + 2)}`).join("")}`;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => compareKeys(a, b));
    if (entries.length === 0) return " {}\n";
    const pad = " ".repeat(indent);
    return `\n${entries
      .map(([key, item]) => {
        const name = scalar(key, 0, 0);
        const inner = Array.isArray(item) ? indent : indent + 2;
        const text = isStructure(item)
          ? block(item, inner)
          : ` ${scalar(item, indent + 2, indent + name.length + 2)}\n`;
        return `${pad}${name}:${text}`;
      })
      .join("")}`;
  }
  return ` ${scalar(value, indent, indent)}\n`;
}

/** An item of a list: a map begins on the line of its dash. */
function listItem(item: unknown, indent: number): string {
  if (!isStructure(item)) return ` ${scalar(item, indent, indent)}\n`;
  return block(item, indent).replace(/^\n */, " ");
}

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
  let folded = "";
  let at = column;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? "";
    const alone = character === " " && text[index - 1] !== " " && text[index + 1] !== " ";
    if (alone && at > FOLD_AFTER && index > 0 && index < text.length - 1) {
      folded += `\n${" ".repeat(indent)}`;
      at = indent;
    } else {
      folded += character;
      at++;
    }
  }
  return folded;
}

/** The order of go-yaml: runs of digits by value, punctuation and digits before letters. */
function compareKeys(a: string, b: string): number {
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
