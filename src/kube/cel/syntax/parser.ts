/**
 * Parses the text of an expression into its tree. Macros are expanded here.
 *
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax
 */
import type { Expr, MapEntry, StructField } from "../expression.ts";
import type { CelIssue } from "../issues.ts";
import { type Token, type TokenKind, tokenize } from "./lexer.ts";
import { readNumber, readString } from "./literals.ts";
import { type Macro, MacroError } from "./macros.ts";
import { balanced, call } from "./operator-calls.ts";
import { recursionLimit, syntaxIssues } from "./syntax-errors.ts";
import { FACTORS, RELATIONS, RESERVED, TERMS } from "./words.ts";
import { type CelValue, codePointCount } from "../values.ts";

const MAX_CODE_POINTS = 100_000;
const MAX_DEPTH = 250;
const MAX_SYNTAX_ERRORS = 100;

/** Thrown where the text stops being CEL; the message is found separately. */
class NotCel extends Error {}

/** Thrown for an expression that is nested too deeply. */
class TooDeep extends Error {}

/** A tree, or the mistakes of the text. */
export type Parsed = { readonly expr: Expr } | { readonly issues: readonly CelIssue[] };

/** Reads an expression. */
export function parse(source: string, macros: readonly Macro[]): Parsed {
  const size = codePointCount(source);
  if (size > MAX_CODE_POINTS) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${MAX_CODE_POINTS}`;
    return { issues: [{ offset: undefined, message }] };
  }
  const { tokens, issues } = tokenize(source);
  const parser = new Parser(tokens, macros);
  try {
    const expr = parser.whole();
    const all = [...firstErrors(issues), ...parser.issues];
    return all.length > 0 ? { issues: all } : { expr };
  } catch (error) {
    if (error instanceof TooDeep) {
      return { issues: [...issues, { offset: undefined, message: recursionLimit(MAX_DEPTH) }] };
    }
    if (!(error instanceof NotCel)) throw error;
    const syntax = firstErrors([...issues, ...syntaxIssues(tokens, MAX_DEPTH)]);
    return { issues: [...syntax, ...parser.issues] };
  }
}

/** The first mistakes, and one more about the limit when there are more of them. */
function firstErrors(issues: readonly CelIssue[]): readonly CelIssue[] {
  if (issues.length <= MAX_SYNTAX_ERRORS) return issues;
  const message = `Syntax error: More than ${MAX_SYNTAX_ERRORS} syntax errors`;
  return [...issues.slice(0, MAX_SYNTAX_ERRORS), { offset: undefined, message }];
}

class Parser {
  readonly issues: CelIssue[] = [];
  readonly #tokens: readonly Token[];
  readonly #macros = new Map<string, Macro>();
  #next = 0;
  /** The depth of nested expressions, and of nested calculations. */
  #expressions = 0;
  #calculations = 0;
  /** The height of the tree of the node that was read last: operators, selections and the like. */
  #height = 0;

  constructor(tokens: readonly Token[], macros: readonly Macro[]) {
    this.#tokens = tokens;
    for (const macro of macros) {
      this.#macros.set(macroKey(macro.name, macro.argCount, macro.receiver), macro);
    }
  }

  whole(): Expr {
    const expr = this.#expr();
    this.#expect("EOF");
    if (this.#height > MAX_DEPTH) {
      this.issues.push({ offset: undefined, message: "max recursion depth exceeded" });
    }
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
    if (++this.#expressions > MAX_DEPTH) throw new TooDeep();
    const condition = this.#logic("||");
    let expr = condition;
    const question = this.#accept("?");
    if (question) {
      const [yes, no] = this.#inside(() => {
        const first = this.#logic("||");
        this.#expect(":");
        return [first, this.#part()] as const;
      });
      expr = call("_?_:_", question.at, [condition, yes, no]);
    }
    this.#expressions--;
    return expr;
  }

  /** Reads a part of the same node as the one before it: the height is the larger of both. */
  #higher<T>(read: () => T): T {
    const before = this.#height;
    const part = read();
    this.#height = Math.max(before, this.#height);
    return part;
  }

  /** Reads one of several expressions that stand side by side. */
  #part(): Expr {
    return this.#higher(() => this.#expr());
  }

  /** Reads the rest of a node whose first part was read last. */
  #inside<T>(read: () => T): T {
    const part = this.#higher(read);
    this.#height++;
    return part;
  }

  /** Reads an operand of a calculation: the grammar has it as a calculation of its own. */
  #calculation(read: () => Expr): Expr {
    if (++this.#calculations > MAX_DEPTH) throw new TooDeep();
    const expr = read();
    this.#calculations--;
    return expr;
  }

  /** A chain of one logical operator as a balanced tree, as shallow as possible. */
  #logic(operator: "||" | "&&"): Expr {
    const below = (): Expr => (operator === "||" ? this.#logic("&&") : this.#relation());
    const terms = [below()];
    const operators: number[] = [];
    for (let token = this.#accept(operator); token; token = this.#accept(operator)) {
      operators.push(token.at);
      terms.push(this.#higher(below));
    }
    return balanced(`_${operator}_`, terms, operators, 0, operators.length - 1);
  }

  #binary(operators: Readonly<Partial<Record<TokenKind, string>>>, below: () => Expr): Expr {
    let left = below();
    for (;;) {
      const name = operators[this.#token.kind];
      if (name === undefined) return left;
      const { at } = this.#take();
      const right = this.#inside(() =>
        operators === RELATIONS ? below() : this.#calculation(below),
      );
      left = call(name, at, [left, right]);
    }
  }

  #relation(): Expr {
    const terms = (): Expr => this.#binary(TERMS, () => this.#binary(FACTORS, () => this.#unary()));
    return this.#binary(RELATIONS, () => this.#calculation(terms));
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
        const operand = expr;
        expr = this.#inside(() => this.#selection(operand, dot));
        continue;
      }
      const bracket = this.#accept("[");
      if (!bracket) return expr;
      const optional = this.#accept("?");
      const index = this.#inside(() => this.#expr());
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
    do args.push(this.#part());
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
    this.#height = 0;
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

  /** The name in `a.b.C{...}`, when the text is a message. */
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
      fields.push({ at: colon.at, name: field, value: this.#part(), optional });
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
      items.push({ value: this.#part(), optional });
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
      const key = this.#part();
      const colon = this.#expect(":");
      entries.push({ at: colon.at, key, value: this.#part(), optional });
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
