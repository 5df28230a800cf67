/**
 * From the text of an expression to its tree. Macros are expanded here.
 *
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax
 * @module
 */
import type { Expr, MapEntry, StructField } from "./expression.ts";
import type { CelIssue } from "./issues.ts";
import { type Token, type TokenKind, tokenize } from "./lexer.ts";
import { readNumber, readString } from "./literals.ts";
import { type Macro, MacroError } from "./macros.ts";
import { syntaxIssues } from "./syntax-errors.ts";
import { type CelValue, codePointCount } from "./values.ts";

const MAX_CODE_POINTS = 100_000;
const MAX_DEPTH = 250;

const RESERVED: ReadonlySet<string> = new Set([
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
]);

const RELATIONS: Readonly<Partial<Record<TokenKind, string>>> = {
  "<": "_<_",
  "<=": "_<=_",
  ">=": "_>=_",
  ">": "_>_",
  "==": "_==_",
  "!=": "_!=_",
  in: "@in",
};
const FACTORS: Readonly<Partial<Record<TokenKind, string>>> = {
  "*": "_*_",
  "/": "_/_",
  "%": "_%_",
};
const TERMS: Readonly<Partial<Record<TokenKind, string>>> = { "+": "_+_", "-": "_-_" };

/** Thrown where the text stops being CEL; what to say about it is found out separately. */
class NotCel extends Error {}

/** An expression nested too deeply. */
class TooDeep extends Error {}

/** A tree, or what is wrong with the text. */
export type Parsed = { readonly expr: Expr } | { readonly issues: readonly CelIssue[] };

/** Reads an expression. */
export function parse(source: string, macros: readonly Macro[]): Parsed {
  const size = codePointCount(source);
  if (size > MAX_CODE_POINTS) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${MAX_CODE_POINTS}`;
    return { issues: [{ offset: 0, message }] };
  }
  const { tokens, issues } = tokenize(source);
  const parser = new Parser(tokens, macros);
  try {
    const expr = parser.whole();
    const all = [...issues, ...parser.issues];
    return all.length > 0 ? { issues: all } : { expr };
  } catch (error) {
    if (error instanceof TooDeep) {
      const message = `expression recursion limit exceeded: ${MAX_DEPTH}`;
      return { issues: [...issues, { offset: 0, message }] };
    }
    if (!(error instanceof NotCel)) throw error;
    return { issues: [...issues, ...parser.issues, ...syntaxIssues(tokens)] };
  }
}

class Parser {
  readonly issues: CelIssue[] = [];
  readonly #tokens: readonly Token[];
  readonly #macros = new Map<string, Macro>();
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], macros: readonly Macro[]) {
    this.#tokens = tokens;
    for (const macro of macros) {
      this.#macros.set(macroKey(macro.name, macro.argCount, macro.receiver), macro);
    }
  }

  whole(): Expr {
    const expr = this.#expr();
    this.#expect("EOF");
    return expr;
  }

  get #token(): Token {
    const token = this.#tokens[Math.min(this.#next, this.#tokens.length - 1)];
    if (!token) throw new NotCel();
    return token;
  }

  #take(): Token {
    const token = this.#token;
    this.#next++;
    return token;
  }

  #accept(kind: TokenKind): Token | undefined {
    return this.#token.kind === kind ? this.#take() : undefined;
  }

  #expect(kind: TokenKind): Token {
    if (this.#token.kind !== kind) throw new NotCel();
    return this.#take();
  }

  #report(at: number, message: string): Expr {
    this.issues.push({ offset: at, message });
    return { kind: "literal", at, value: null };
  }

  #expr(): Expr {
    if (++this.#depth > MAX_DEPTH) throw new TooDeep();
    const condition = this.#logic("||");
    let expr = condition;
    const question = this.#accept("?");
    if (question) {
      const yes = this.#logic("||");
      this.#expect(":");
      const no = this.#expr();
      expr = call("_?_:_", question.at, [condition, yes, no]);
    }
    this.#depth--;
    return expr;
  }

  /** A chain of one logical operator becomes a balanced tree, as deep as it has to be. */
  #logic(operator: "||" | "&&"): Expr {
    const below = (): Expr => (operator === "||" ? this.#logic("&&") : this.#relation());
    const terms = [below()];
    const operators: number[] = [];
    for (let token = this.#accept(operator); token; token = this.#accept(operator)) {
      operators.push(token.at);
      terms.push(below());
    }
    return balanced(`_${operator}_`, terms, operators, 0, operators.length - 1);
  }

  #binary(operators: Readonly<Partial<Record<TokenKind, string>>>, below: () => Expr): Expr {
    let left = below();
    for (;;) {
      const name = operators[this.#token.kind];
      if (name === undefined) return left;
      const { at } = this.#take();
      left = call(name, at, [left, below()]);
    }
  }

  #relation(): Expr {
    return this.#binary(RELATIONS, () =>
      this.#binary(TERMS, () => this.#binary(FACTORS, () => this.#unary())),
    );
  }

  #unary(): Expr {
    for (const [sign, name] of [
      ["!", "!_"],
      ["-", "-_"],
    ] as const) {
      const { kind, at } = this.#token;
      if (kind !== sign) continue;
      const isNumber = ["NUM_INT", "NUM_FLOAT"].includes(
        this.#tokens[this.#next + 1]?.kind ?? "EOF",
      );
      if (sign === "-" && isNumber) continue;
      let count = 0;
      while (this.#accept(sign)) count++;
      const operand = this.#member();
      return count % 2 === 0 ? operand : call(name, at, [operand]);
    }
    return this.#member();
  }

  #member(): Expr {
    let expr = this.#primary();
    for (;;) {
      const dot = this.#accept(".");
      if (dot) {
        expr = this.#selection(expr, dot);
        continue;
      }
      const bracket = this.#accept("[");
      if (!bracket) return expr;
      const optional = this.#accept("?");
      const index = this.#expr();
      this.#expect("]");
      expr = call(optional ? "_[?_]" : "_[_]", bracket.at, [expr, index]);
    }
  }

  #selection(operand: Expr, dot: Token): Expr {
    const optional = this.#accept("?");
    const token = this.#token;
    if (token.kind === "ESC_IDENTIFIER") {
      this.#take();
      return this.#report(token.at, "unsupported syntax: '`'");
    }
    const field = this.#expect("IDENTIFIER").text;
    if (optional) {
      const name: Expr = { kind: "literal", at: token.at, value: field };
      return call("_?._", dot.at, [operand, name]);
    }
    const open = this.#accept("(");
    if (!open) return { kind: "select", at: dot.at, operand, field, test: false };
    return this.#callOrMacro(field, open.at, operand, this.#args());
  }

  #args(): Expr[] {
    const args: Expr[] = [];
    if (this.#accept(")")) return args;
    do args.push(this.#expr());
    while (this.#accept(","));
    this.#expect(")");
    return args;
  }

  #callOrMacro(name: string, at: number, target: Expr | undefined, args: Expr[]): Expr {
    const macro = this.#macros.get(macroKey(name, args.length, target !== undefined));
    if (macro) {
      try {
        return macro.expand(at, args, target);
      } catch (error) {
        if (!(error instanceof MacroError)) throw error;
        return this.#report(error.at, error.message);
      }
    }
    return { kind: "call", at, name, target, args };
  }

  #primary(): Expr {
    const token = this.#token;
    switch (token.kind) {
      case "(": {
        this.#take();
        const expr = this.#expr();
        this.#expect(")");
        return expr;
      }
      case "[":
        return this.#list(this.#take().at);
      case "{":
        return this.#map(this.#take().at);
      case ".":
      case "IDENTIFIER":
        return this.#named();
      default:
        return this.#literal();
    }
  }

  /** A variable, a call or a message. */
  #named(): Expr {
    const start = this.#next;
    const dot = this.#accept(".");
    const name = this.#expect("IDENTIFIER");
    const message = this.#messageName(start);
    if (message) return message;
    const open = this.#accept("(");
    const full = dot ? `.${name.text}` : name.text;
    const args = open && this.#args();
    if (RESERVED.has(name.text)) {
      return this.#report(dot?.at ?? name.at, `reserved identifier: ${name.text}`);
    }
    if (open) return this.#callOrMacro(full, open.at, undefined, args ?? []);
    return { kind: "ident", at: name.at, name: full };
  }

  /** `a.b.C{...}`, when that is what stands there. */
  #messageName(start: number): Expr | undefined {
    let end = this.#next;
    const kindAt = (index: number): TokenKind => this.#tokens[index]?.kind ?? "EOF";
    while (kindAt(end) === "." && kindAt(end + 1) === "IDENTIFIER") end += 2;
    if (kindAt(end) !== "{") return undefined;
    const name = this.#tokens
      .slice(start, end)
      .map(({ text }) => text)
      .join("");
    this.#next = end;
    const { at } = this.#take();
    const fields: StructField[] = [];
    while (this.#token.kind !== "}" && this.#token.kind !== ",") {
      const optional = this.#accept("?") !== undefined;
      const field = this.#expect("IDENTIFIER").text;
      const colon = this.#expect(":");
      fields.push({ at: colon.at, name: field, value: this.#expr(), optional });
      if (this.#tokens[this.#next + 1]?.kind === "}" || !this.#accept(",")) break;
    }
    this.#accept(",");
    this.#expect("}");
    return { kind: "struct", at, name, fields };
  }

  #list(at: number): Expr {
    const items: { value: Expr; optional: boolean }[] = [];
    while (this.#token.kind !== "]" && this.#token.kind !== ",") {
      const optional = this.#accept("?") !== undefined;
      items.push({ value: this.#expr(), optional });
      if (this.#tokens[this.#next + 1]?.kind === "]" || !this.#accept(",")) break;
    }
    this.#accept(",");
    this.#expect("]");
    return { kind: "list", at, items };
  }

  #map(at: number): Expr {
    const entries: MapEntry[] = [];
    while (this.#token.kind !== "}" && this.#token.kind !== ",") {
      const optional = this.#accept("?") !== undefined;
      const key = this.#expr();
      const colon = this.#expect(":");
      entries.push({ at: colon.at, key, value: this.#expr(), optional });
      if (this.#tokens[this.#next + 1]?.kind === "}" || !this.#accept(",")) break;
    }
    this.#accept(",");
    this.#expect("}");
    return { kind: "map", at, entries };
  }

  #literal(): Expr {
    const { at } = this.#token;
    const sign = this.#accept("-") ? "-" : "";
    const { kind, text } = this.#take();
    const literal = (value: CelValue): Expr => ({ kind: "literal", at, value });
    switch (kind) {
      case "NUM_INT":
      case "NUM_UINT":
      case "NUM_FLOAT": {
        const value = readNumber(kind, sign + text);
        if (value !== undefined) return literal(value);
        const name = { NUM_INT: "int", NUM_UINT: "uint", NUM_FLOAT: "double" }[kind];
        return this.#report(at, `invalid ${name} literal`);
      }
      case "STRING":
      case "BYTES": {
        const value = readString(kind, text);
        return value instanceof Error ? this.#report(at, value.message) : literal(value);
      }
      case "true":
      case "false":
        return literal(kind === "true");
      case "null":
        return literal(null);
      default:
        throw new NotCel();
    }
  }
}

const macroKey = (name: string, argCount: number, receiver: boolean): string =>
  `${name}:${argCount}:${String(receiver)}`;

const call = (name: string, at: number, args: readonly Expr[]): Expr => ({
  kind: "call",
  at,
  name,
  target: undefined,
  args,
});

function balanced(
  name: string,
  terms: readonly Expr[],
  operators: readonly number[],
  low: number,
  high: number,
): Expr {
  if (high < low) return terms[low] as Expr;
  const middle = Math.floor((low + high + 1) / 2);
  const left = balanced(name, terms, operators, low, middle - 1);
  const right = balanced(name, terms, operators, middle + 1, high);
  return call(name, operators[middle] ?? 0, [left, right]);
}
