/** The nesting of a file's code. Everything that reads it calls itself for each level. */
import { ts } from "../../load.ts";

/** The most levels. Code of people has fifty, a sum of a thousand texts a thousand. */
const MOST_LEVELS = 1000;

/** The first node that is nested deeper than `MOST_LEVELS`. */
export function findTooDeep(file: ts.SourceFile): ts.Node | undefined {
  let level: ts.Node[] = [file];
  for (let depth = 0; depth < MOST_LEVELS && level.length > 0; depth++) {
    const next: ts.Node[] = [];
    for (const node of level) {
      ts.forEachChild(node, (child) => {
        next.push(child);
      });
    }
    level = next;
  }
  return level[0];
}

/** More open brackets than code of people has. */
const MANY_BRACKETS = 100;

/**
 * The place in a text whose end the parser did not reach: its deepest bracket, or the statement
 * with most words.
 */
export function mostNested(text: string): { line: number; column: number } {
  const scanner = ts.createScanner(
    ts.ScriptTarget.ES2022,
    true,
    ts.LanguageVariant.Standard,
    text,
    // A character that is not a token is not a bracket either.
    () => undefined,
  );
  const deepest = { depth: 0, at: 0 };
  const longest = { words: 0, at: 0 };
  let [depth, words, start] = [0, 0, 0];
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    if (OPENING.has(kind)) depth += 1;
    if (CLOSING.has(kind)) depth -= 1;
    if (depth > deepest.depth) Object.assign(deepest, { depth, at: scanner.getTokenStart() });
    if (words === 0) start = scanner.getTokenStart();
    words = ENDING.has(kind) ? 0 : words + 1;
    if (words > longest.words) Object.assign(longest, { words, at: start });
  }
  const { at } = deepest.depth > MANY_BRACKETS ? deepest : longest;
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const OPENING: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.OpenParenToken,
  ts.SyntaxKind.OpenBracketToken,
  ts.SyntaxKind.OpenBraceToken,
  ts.SyntaxKind.LessThanToken,
]);
const CLOSING: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.CloseParenToken,
  ts.SyntaxKind.CloseBracketToken,
  ts.SyntaxKind.CloseBraceToken,
  ts.SyntaxKind.GreaterThanToken,
]);
const ENDING: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.SemicolonToken,
  ts.SyntaxKind.OpenBraceToken,
  ts.SyntaxKind.CloseBraceToken,
]);
