/**
 * The tokens of CEL.
 *
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax
 */
import type { CelIssue } from "../issues.ts";
import { codePointCount } from "../values.ts";

/**
 * The kinds of tokens, in the order in which messages list them: symbols and keywords by their
 * text, else classes.
 */
export const TOKEN_ORDER = [
  "EOF",
  "==",
  "!=",
  "in",
  "<",
  "<=",
  ">=",
  ">",
  "&&",
  "||",
  "[",
  "]",
  "{",
  "}",
  "(",
  ")",
  ".",
  ",",
  "-",
  "!",
  "?",
  ":",
  "+",
  "*",
  "/",
  "%",
  "true",
  "false",
  "null",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
  "ESC_IDENTIFIER",
] as const;

export type TokenKind = (typeof TOKEN_ORDER)[number];

/** A token; `at` counts code points. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

const ESCAPE =
  "\\\\(?:[abfnrtv\"'\\\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})";
const STRING = [
  `"""(?:${ESCAPE}|[^\\\\])*?"""`,
  `'''(?:${ESCAPE}|[^\\\\])*?'''`,
  `"(?:${ESCAPE}|[^\\\\"\\n\\r])*"`,
  `'(?:${ESCAPE}|[^\\\\'\\n\\r])*'`,
  `[rR]"""[^]*?"""`,
  `[rR]'''[^]*?'''`,
  `[rR]"[^"\\n\\r]*"`,
  `[rR]'[^'\\n\\r]*'`,
];

type Rule = readonly [kind: TokenKind | "symbol" | "word" | "hidden", pattern: RegExp];

const sticky = (source: string): RegExp => new RegExp(source, "uy");

/** Of several matching rules, the one with the longest text is taken, then the first. */
const RULES: readonly Rule[] = [
  ["hidden", sticky("[\\t \\r\\n\\f]+")],
  ["hidden", sticky("//[^\\n]*")],
  ["symbol", sticky("==|!=|<=|>=|&&|\\|\\||[<>\\[\\]{}().,\\-!?:+*/%]")],
  ["NUM_FLOAT", sticky("[0-9]+\\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+")],
  ["NUM_FLOAT", sticky("\\.[0-9]+(?:[eE][+-]?[0-9]+)?")],
  ["NUM_INT", sticky("0x[0-9a-fA-F]+|[0-9]+")],
  ["NUM_UINT", sticky("0x[0-9a-fA-F]+[uU]|[0-9]+[uU]")],
  ...STRING.map((source): Rule => ["STRING", sticky(source)]),
  ...STRING.map((source): Rule => ["BYTES", sticky(`[bB](?:${source})`)]),
  ["word", sticky("[a-zA-Z_][a-zA-Z0-9_]*")],
  ["ESC_IDENTIFIER", sticky("`[a-zA-Z0-9_./ -]+`")],
];

const KEYWORDS: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

/** The tokens of a source, including `EOF`, and the mistakes. */
export function tokenize(source: string): {
  readonly tokens: Token[];
  readonly issues: CelIssue[];
} {
  const tokens: Token[] = [];
  const issues: CelIssue[] = [];
  let index = 0;
  let at = 0;
  const advance = (text: string): void => {
    index += text.length;
    at += codePointCount(text);
  };
  while (index < source.length) {
    let kind: Rule[0] | undefined;
    let text = "";
    for (const [rule, pattern] of RULES) {
      pattern.lastIndex = index;
      const found = pattern.exec(source)?.[0];
      if (found !== undefined && found.length > text.length) [kind, text] = [rule, found];
    }
    if (kind === undefined) {
      const bad = unreadable(source, index);
      issues.push({
        offset: at,
        message: `Syntax error: token recognition error at: '${show(bad)}'`,
      });
      advance(bad);
    } else {
      if (kind !== "hidden") tokens.push({ kind: kindOf(kind, text), text, at });
      advance(text);
    }
  }
  tokens.push({ kind: "EOF", text: "<EOF>", at });
  return { tokens, issues };
}

function kindOf(kind: Exclude<Rule[0], "hidden">, text: string): TokenKind {
  if (kind === "symbol") return text as TokenKind;
  if (kind === "word") return KEYWORDS.has(text) ? (text as TokenKind) : "IDENTIFIER";
  return kind;
}

/** Beginnings of tokens, which are read before the token turns out to be invalid. */
const BEGINNINGS: readonly RegExp[] = [
  sticky(`[bB]?"(?:${ESCAPE}|[^\\\\"\\n\\r])*(?:\\\\(?:[xXuU][0-9a-fA-F]*|[0-3][0-7]?)?)?`),
  sticky(`[bB]?'(?:${ESCAPE}|[^\\\\'\\n\\r])*(?:\\\\(?:[xXuU][0-9a-fA-F]*|[0-3][0-7]?)?)?`),
  sticky('[bB]?[rR]"[^"\\n\\r]*'),
  sticky("[bB]?[rR]'[^'\\n\\r]*"),
  sticky("`[a-zA-Z0-9_./ -]*"),
  sticky("[=&|]"),
];

/**
 * The characters that are dropped with the one at `index`: the beginning of a token and the
 * character that broke it.
 */
function unreadable(source: string, index: number): string {
  let begun = "";
  for (const pattern of BEGINNINGS) {
    pattern.lastIndex = index;
    const found = pattern.exec(source)?.[0] ?? "";
    if (found.length > begun.length) begun = found;
  }
  const next = (from: number): string => {
    const code = source.codePointAt(from);
    return code === undefined ? "" : String.fromCodePoint(code);
  };
  if (begun === "") return next(index);
  return begun + next(index + begun.length);
}

/** The text in a message, with white space spelt out. */
const show = (text: string): string =>
  text.replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
