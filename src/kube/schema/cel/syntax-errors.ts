/**
 * What to say of a text that is not CEL.
 *
 * @module
 */
import type { CelIssue } from "./issues.ts";
import type { Token } from "./lexer.ts";

/** The syntax errors among tokens that are known to have some. */
export function syntaxIssues(tokens: readonly Token[]): CelIssue[] {
  const at = tokens.at(-1)?.at ?? 0;
  return [{ offset: at, message: "Syntax error: mismatched input" }];
}
