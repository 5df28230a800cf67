/** JSON in one form, read by nothing of tsop: to compare a text with what became of it. */

const TOKEN = /[\t\n\r ]*(?:([[\]{},:])|("(?:[^"\\]|\\.)*")|([^\t\n\r ,\]}]+))/y;
const INTEGER = /^-?\d{1,100}$/;

/** The text with sorted fields, of two with one name the last, whole numbers in all digits, others as doubles. */
export function canonicalJson(text: string): string {
  const tokens = new Tokens(text);
  return valueOf(tokens, tokens.next());
}

class Tokens {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): string {
    TOKEN.lastIndex = this.#at;
    const found = TOKEN.exec(this.#text);
    if (!found) throw new SyntaxError(`no JSON at ${this.#at}`);
    this.#at = TOKEN.lastIndex;
    return found[1] ?? found[2] ?? found[3] ?? "";
  }
}

function valueOf(tokens: Tokens, first: string): string {
  if (first === "[") return itemsOf(tokens);
  if (first === "{") return fieldsOf(tokens);
  if (first.startsWith('"')) return JSON.stringify(JSON.parse(first));
  return /^[tfn]/.test(first) ? first : numberOf(first);
}

function itemsOf(tokens: Tokens): string {
  const items: string[] = [];
  for (let token = tokens.next(); token !== "]"; token = tokens.next()) {
    if (token !== ",") items.push(valueOf(tokens, token));
  }
  return `[${items.join(",")}]`;
}

function fieldsOf(tokens: Tokens): string {
  const fields = new Map<string, string>();
  for (let token = tokens.next(); token !== "}"; token = tokens.next()) {
    if (token === ",") continue;
    tokens.next();
    fields.set(JSON.stringify(JSON.parse(token)), valueOf(tokens, tokens.next()));
  }
  const sorted = [...fields].sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${sorted.map(([name, value]) => `${name}:${value}`).join(",")}}`;
}

function numberOf(token: string): string {
  return INTEGER.test(token) ? BigInt(token).toString() : String(Number(token));
}
