/**
 * The reserved words and the operators of CEL.
 *
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax
 */
import type { TokenKind } from "./lexer.ts";

/** Names that a variable cannot have. */
export const RESERVED: ReadonlySet<string> = new Set([
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

/** Operators that compare, with the names of their functions. */
export const RELATIONS: Readonly<Partial<Record<TokenKind, string>>> = {
  "<": "_<_",
  "<=": "_<=_",
  ">=": "_>=_",
  ">": "_>_",
  "==": "_==_",
  "!=": "_!=_",
  in: "@in",
};
/** Operators of products. */
export const FACTORS: Readonly<Partial<Record<TokenKind, string>>> = {
  "*": "_*_",
  "/": "_/_",
  "%": "_%_",
};
/** Operators of sums. */
export const TERMS: Readonly<Partial<Record<TokenKind, string>>> = { "+": "_+_", "-": "_-_" };
