/**
 * The part of the shell's language that simulated containers understand.
 *
 * @see https://pubs.opengroup.org/onlinepubs/9699919799/utilities/V3_chap02.html
 */

import { NotUnderstood } from "./not-understood.ts";

/** A piece of a word: its text, and whether variables in it are replaced. */
interface Piece {
  readonly text: string;
  readonly isLiteral: boolean;
}

export type Word = readonly Piece[];

interface Redirect {
  readonly isAppended: boolean;
  readonly isOfErrors: boolean;
  /** `undefined` for another stream of the process. */
  readonly file: Word | undefined;
}

export type Command =
  | {
      readonly kind: "simple";
      readonly words: readonly Word[];
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "loop";
      readonly condition: Script;
      readonly until: boolean;
      readonly body: Script;
    }
  | {
      readonly kind: "for";
      readonly name: string;
      readonly words: readonly Word[];
      readonly body: Script;
    }
  | {
      readonly kind: "if";
      readonly cases: readonly { readonly condition: Script; readonly body: Script }[];
      readonly otherwise: Script;
    }
  | { readonly kind: "group" | "subshell"; readonly body: Script };

interface Statement {
  readonly command: Command;
  /** The operator before it. */
  readonly joint: ";" | "&&" | "||";
  readonly isNegated: boolean;
  /** Whether `&` follows. */
  readonly inBackground: boolean;
}

export type Script = readonly Statement[];

type Token =
  | { readonly kind: "operator"; readonly text: string }
  | { readonly kind: "redirect"; readonly text: string }
  | { readonly kind: "word"; readonly word: Word };

const OPERATORS = ["&&", "||", ";;", ";", "&", "\n", "(", ")"];
const REDIRECT = /\d?(?:>>|>)&?/y;
const COMPOUND = new Set(["if", "while", "until", "for", "{", "case", "function"]);
const CLOSING = new Set(["then", "elif", "else", "fi", "do", "done", "}"]);

/** The statements of a script; `undefined` when it uses more of the language than is understood here. */
export function parseScript(text: string): Script | undefined {
  try {
    const parser = new Parser(tokensOf(text));
    const script = parser.script(new Set());
    return parser.isAtEnd ? script : undefined;
  } catch (thrown) {
    if (thrown instanceof NotUnderstood) return undefined;
    throw thrown;
  }
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === " " || character === "\t" || character === "\r") at += 1;
    else if (text.startsWith("\\\n", at)) at += 2;
    else if (character === "#") {
      const end = text.indexOf("\n", at);
      at = end === -1 ? text.length : end;
    } else {
      REDIRECT.lastIndex = at;
      const redirect = REDIRECT.exec(text)?.[0];
      const operator = OPERATORS.find((one) => text.startsWith(one, at));
      if (redirect !== undefined) {
        tokens.push({ kind: "redirect", text: redirect });
        at += redirect.length;
      } else if (operator !== undefined) {
        tokens.push({ kind: "operator", text: operator });
        at += operator.length;
      } else {
        const { word, end } = wordAt(text, at);
        tokens.push({ kind: "word", word });
        at = end;
      }
    }
  }
  return tokens;
}

function wordAt(text: string, start: number): { word: Word; end: number } {
  const word: Piece[] = [];
  let at = start;
  for (;;) {
    const character = text.charAt(at);
    if (character === "" || /[\s;&()<>|]/.test(character)) break;
    if (character === "`") throw new NotUnderstood();
    if (character === "'") {
      const end = text.indexOf("'", at + 1);
      if (end === -1) throw new NotUnderstood();
      word.push({ text: text.slice(at + 1, end), isLiteral: true });
      at = end + 1;
    } else if (character === '"') {
      const [quoted = ""] = /^"(?:[^"\\]|\\[\s\S])*"/.exec(text.slice(at)) ?? [];
      if (quoted === "" || quoted.includes("`") || quoted.includes("$(")) throw new NotUnderstood();
      const inner = quoted.slice(1, -1).replace(/\\([\\"$\n])/g, "$1");
      word.push({ text: inner, isLiteral: quoted.includes("\\$") });
      at += quoted.length;
    } else if (character === "\\") {
      word.push({ text: text.charAt(at + 1), isLiteral: true });
      at += 2;
    } else {
      const [plain = ""] = /^[^\s;&()<>|'"\\`]+/.exec(text.slice(at)) ?? [];
      word.push({ text: plain, isLiteral: false });
      at += plain.length;
      if (plain.endsWith("$") && text.charAt(at) === "(") throw new NotUnderstood();
    }
  }
  // A pipe or an input from a file.
  if (at === start) throw new NotUnderstood();
  return { word, end: at };
}

/** The text of an unquoted word, which may be one of the language. */
const keywordOf = (token: Token | undefined): string =>
  token?.kind === "word" && token.word.length === 1 && token.word[0]?.isLiteral === false
    ? token.word[0].text
    : "";

class Parser {
  #at = 0;
  readonly #tokens: readonly Token[];

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** Statements up to one of these words, or the end. */
  script(ends: ReadonlySet<string>): Script {
    const statements: Statement[] = [];
    let joint: Statement["joint"] = ";";
    for (;;) {
      if (joint === ";") this.#skip([";", "\n"]);
      else this.#skip(["\n"]);
      const token = this.#tokens[this.#at];
      if (!token || (token.kind === "operator" && token.text === ")")) break;
      if (ends.has(keywordOf(token))) break;
      const isNegated = keywordOf(token) === "!";
      if (isNegated) this.#at += 1;
      const command = this.#command();
      const next = this.#tokens[this.#at];
      const operator = next?.kind === "operator" ? next.text : "";
      const inBackground = operator === "&";
      statements.push({ command, joint, isNegated, inBackground });
      if (operator === "" || operator === ")") break;
      this.#at += 1;
      joint = operator === "&&" || operator === "||" ? operator : ";";
    }
    return statements;
  }

  #skip(operators: readonly string[]): void {
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token?.kind !== "operator" || !operators.includes(token.text)) return;
      this.#at += 1;
    }
  }

  #command(): Command {
    const token = this.#tokens[this.#at];
    const keyword = keywordOf(token);
    if (token?.kind === "operator") {
      if (token.text !== "(") throw new NotUnderstood();
      this.#at += 1;
      const body = this.script(new Set());
      const close = this.#tokens[this.#at];
      if (close?.kind !== "operator" || close.text !== ")") throw new NotUnderstood();
      this.#at += 1;
      return { kind: "subshell", body };
    }
    if (keyword === "while" || keyword === "until") {
      this.#at += 1;
      const condition = this.#upTo("do");
      return { kind: "loop", until: keyword === "until", condition, body: this.#upTo("done") };
    }
    if (keyword === "{") {
      this.#at += 1;
      return { kind: "group", body: this.#upTo("}") };
    }
    if (keyword === "if") return this.#conditional();
    if (keyword === "for") return this.#for();
    if (COMPOUND.has(keyword) || CLOSING.has(keyword)) throw new NotUnderstood();
    return this.#simple();
  }

  #upTo(end: string): Script {
    const script = this.script(new Set([end]));
    this.#expect(end);
    if (script.length === 0) throw new NotUnderstood();
    return script;
  }

  #expect(keyword: string): void {
    if (keywordOf(this.#tokens[this.#at]) !== keyword) throw new NotUnderstood();
    this.#at += 1;
  }

  #conditional(): Command {
    const cases: { condition: Script; body: Script }[] = [];
    this.#at += 1;
    for (;;) {
      const condition = this.#upTo("then");
      const body = this.script(new Set(["elif", "else", "fi"]));
      cases.push({ condition, body });
      const keyword = keywordOf(this.#tokens[this.#at]);
      this.#at += 1;
      if (keyword === "fi") return { kind: "if", cases, otherwise: [] };
      if (keyword === "else") return { kind: "if", cases, otherwise: this.#upTo("fi") };
      if (keyword !== "elif") throw new NotUnderstood();
    }
  }

  #for(): Command {
    this.#at += 1;
    const name = keywordOf(this.#tokens[this.#at]);
    this.#at += 1;
    this.#expect("in");
    const words: Word[] = [];
    for (let token = this.#tokens[this.#at]; token?.kind === "word";) {
      words.push(token.word);
      token = this.#tokens[++this.#at];
    }
    this.#skip([";", "\n"]);
    this.#expect("do");
    return { kind: "for", name, words, body: this.#upTo("done") };
  }

  #simple(): Command {
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token?.kind === "word") {
        words.push(token.word);
        this.#at += 1;
      } else if (token?.kind === "redirect") {
        const target = this.#tokens[this.#at + 1];
        if (target?.kind !== "word") throw new NotUnderstood();
        redirects.push({
          isAppended: token.text.includes(">>"),
          isOfErrors: token.text.startsWith("2"),
          file: token.text.endsWith("&") ? undefined : target.word,
        });
        this.#at += 2;
      } else break;
    }
    if (words.length === 0) throw new NotUnderstood();
    return { kind: "simple", words, redirects };
  }
}
