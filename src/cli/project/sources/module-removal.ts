/**
 * Removes the imports of modules and the statements that give the manager their exports, through the syntax tree.
 * Every other line stays; changes of the user in those lines are reported.
 */
import {
  SyntaxKind,
  type ExpressionStatement,
  type Identifier,
  type ImportDeclaration,
  type Node,
  type SourceFile,
} from "../../vendor/source-editor.ts";
import { isFirstOfLine, lineEnd, lineStart, removed, spliced, type Splice } from "./comma-list.ts";
import { openSource } from "./main-file.ts";
import { managerStatement } from "./manager-statement.ts";

/** The text without what it used of modules that go. */
export interface WithoutModules {
  readonly text: string;
  /** Lines that are deleted although the user changed them: `line: text`. */
  readonly changed: readonly string[];
  /** Lines that use the modules in a way of the user's own, and stay. */
  readonly foreign: readonly string[];
}

/** Takes out the imports of modules, and the statements that give the manager their exports. */
export function withoutModules(
  text: string,
  isGone: (specifier: string) => boolean,
): WithoutModules {
  const file = openSource(text);
  const splices: Splice[] = [];
  const changed: string[] = [];
  const foreign: string[] = [];
  for (const declared of file.getImportDeclarations()) {
    if (!isGone(declared.getModuleSpecifierValue())) continue;
    splices.push(importRemoved(text, declared));
    for (const name of namesOf(declared)) {
      for (const use of usesOf(file, name, declared)) {
        const line = `${use.getStartLineNumber()}: ${use.getText()}`;
        const wiring = wiringOf(use);
        if (!wiring) foreign.push(line);
        else {
          const { isOurs, splice } = statementRemoved(text, wiring.statement);
          splices.push(splice);
          if (!wiring.isOurs || !isOurs) {
            changed.push(`${wiring.statement.getStartLineNumber()}: ${wiring.statement.getText()}`);
          }
        }
      }
    }
  }
  return { text: spliced(text, splices), changed, foreign };
}

/**
 * Takes out the import and the statement that an earlier tsop wrote for an export.
 *
 * @returns `undefined` where the user changed one of them, or wrote a comment on it
 */
export function withoutOwnLines(
  text: string,
  name: string,
): { readonly text: string; readonly from: string } | undefined {
  const file = openSource(text);
  const declared = file
    .getImportDeclarations()
    .find((one) => one.getNamedImports().some((named) => named.getText() === name));
  const from = declared?.getModuleSpecifierValue();
  if (!declared || from?.startsWith(".") !== true || namesOf(declared).length !== 1)
    return undefined;
  const [use, ...others] = usesOf(file, name, declared);
  const wiring = use && wiringOf(use);
  if (!wiring?.isOurs || others.length > 0) return undefined;
  const isBare = (node: Node): boolean =>
    text.slice(lineStart(text, node.getStart()), lineEnd(text, node.getEnd())).trim() ===
      node.getText() && node.getLeadingCommentRanges().length === 0;
  if (!isBare(declared) || !isBare(wiring.statement)) return undefined;
  const { splice } = statementRemoved(text, wiring.statement);
  return { text: spliced(text, [importRemoved(text, declared), splice]), from };
}

/** The names that an import makes in its file. */
function namesOf(declared: ImportDeclaration): string[] {
  const named = declared
    .getNamedImports()
    .map((one) => one.getAliasNode()?.getText() ?? one.getName());
  const whole = [declared.getDefaultImport(), declared.getNamespaceImport()];
  return [...named, ...whole.flatMap((one) => (one ? [one.getText()] : []))];
}

function usesOf(file: SourceFile, name: string, declared: ImportDeclaration): Identifier[] {
  return file.getDescendantsOfKind(SyntaxKind.Identifier).filter((one) => {
    if (one.getText() !== name || one.getFirstAncestor((node) => node === declared)) return false;
    // The property of another object, `other.name`, is not this name.
    return one.getParentIfKind(SyntaxKind.PropertyAccessExpression)?.getNameNode() !== one;
  });
}

interface Wiring {
  readonly statement: ExpressionStatement;
  /** Whether it is as a command wrote it. */
  readonly isOurs: boolean;
}

/** The statement that gives the name to the manager; `undefined` for another use. */
function wiringOf(use: Identifier): Wiring | undefined {
  const statement = use.getFirstAncestorByKind(SyntaxKind.ExpressionStatement);
  const read = statement && managerStatement(statement);
  return statement && read?.named === use ? { statement, isOurs: read.isOurs } : undefined;
}

function statementRemoved(
  text: string,
  statement: ExpressionStatement,
): { splice: Splice; isOurs: boolean } {
  const [start, end] = [statement.getStart(), statement.getEnd()];
  const [before, after] = [lineStart(text, start), lineEnd(text, end)];
  const rest = text.slice(end, after);
  if (isFirstOfLine(text, start) && /^\s*(?:\/\/.*)?$/.test(rest)) {
    const splice = before === 0 ? removed(0, after + 1) : removed(before - 1, after);
    return { splice, isOurs: rest.trim() === "" };
  }
  const blanks = /^[ \t]*/.exec(rest)?.[0].length ?? 0;
  return { splice: removed(start, end + blanks), isOurs: true };
}

function importRemoved(text: string, declared: ImportDeclaration): Splice {
  const [start, end] = [declared.getStart(), declared.getEnd()];
  const [before, after] = [lineStart(text, start), lineEnd(text, end)];
  const isWholeLine = /^\s*(?:\/\/.*)?$/.test(text.slice(end, after));
  if (before === 0) return removed(start, isWholeLine ? after + 1 : end);
  return removed(isFirstOfLine(text, start) ? before - 1 : start, isWholeLine ? after : end);
}
