/**
 * Mistakes in an expression, shown with their line, as cel-go shows them.
 *
 * @see https://pkg.go.dev/github.com/google/cel-go/common#Error
 */

/** A mistake; `offset` counts code points from the start of the source. */
export interface CelIssue {
  /** `undefined` for a mistake of the expression as a whole. */
  readonly offset: number | undefined;
  readonly message: string;
}

const MAX_ISSUES = 100;
const MAX_SNIPPET = 16_384;

/** The position of a mistake without a place. */
const NOWHERE: Position = { line: -2, column: -1 };

/** The position of a mistake in an empty source. */
const BEFORE_ALL: Position = { line: 0, column: -1 };

interface Position {
  readonly line: number;
  readonly column: number;
}

/** The issues as one text, in the order of their positions. */
export function formatIssues(source: string, issues: readonly CelIssue[]): string {
  const lines = source.split("\n").map((line) => Array.from(line));
  const position = (offset: number | undefined): Position => {
    if (offset === undefined) return NOWHERE;
    if (source === "") return BEFORE_ALL;
    let rest = offset;
    for (const [line, characters] of lines.entries()) {
      if (rest <= characters.length || line === lines.length - 1) return { line, column: rest };
      rest -= characters.length + 1;
    }
    return { line: 0, column: offset };
  };
  const placed = issues
    .slice(0, MAX_ISSUES)
    .map(({ offset, message }) => ({ at: position(offset), message }))
    .sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column);
  const texts = placed.map(({ at, message }) => formatIssue(lines[at.line] ?? [], at, message));
  if (issues.length > MAX_ISSUES) {
    texts.push(`${issues.length - MAX_ISSUES} more errors were truncated`);
  }
  return texts.join("\n");
}

function formatIssue(line: readonly string[], at: Position, message: string): string {
  const head = `ERROR: <input>:${at.line + 1}:${at.column + 1}: ${message}`;
  if (at.column < 0 || line.length > MAX_SNIPPET) return head;
  const shown = line.join("").replaceAll("\t", " ");
  const isWide = (character: string): boolean => character > "\u007f";
  const dots = line
    .slice(0, at.column)
    .map((character) => (isWide(character) ? "\uff0e" : "."))
    .join("");
  const caret = isWide(line[at.column] ?? "") ? "\uff3e" : "^";
  return `${head}\n | ${shown}\n | ${dots}${caret}`;
}
