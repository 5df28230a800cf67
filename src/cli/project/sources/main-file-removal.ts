/**
 * Takes what commands added to the user's `src/main.ts` out again, through its syntax tree.
 * Whatever else the user wrote stays as it is; what the user changed in those lines is found, and
 * reported.
 */
import {
  SyntaxKind,
  type ExpressionStatement,
  type Identifier,
  type ImportDeclaration,
  type ObjectLiteralExpression,
  type SourceFile,
} from "../../vendor/source-editor.ts";
import {
  isFirstOfLine,
  lineEnd,
  lineStart,
  removed,
  removedFrom,
  spliced,
  type Splice,
} from "./comma-list.ts";
import { callsIn, namedImportsOf, openMain } from "./main-file.ts";
import {
  FLAGS,
  objectOf,
  OPTIONS,
  propertiesOf,
  spreadFlags,
  spreadOptions,
} from "./main-file-webhooks.ts";

/** The text without what it used of modules that go. */
export interface WithoutModules {
  readonly text: string;
  /** Lines that are deleted although the user changed them: `line: text`. */
  readonly changed: readonly string[];
  /** Lines that use the modules in a way of the user's own, and stay. */
  readonly foreign: readonly string[];
}

/** Takes out the imports of modules, and the calls that hand their exports to the manager. */
export function withoutModules(
  text: string,
  isGone: (specifier: string) => boolean,
): WithoutModules {
  const file = openMain(text);
  const splices: Splice[] = [];
  const changed: string[] = [];
  const foreign: string[] = [];
  for (const declared of file.getImportDeclarations()) {
    if (!isGone(declared.getModuleSpecifierValue())) continue;
    splices.push(importRemoved(text, declared));
    for (const name of namesOf(declared)) {
      for (const use of usesOf(file, name, declared)) {
        const line = `${use.getStartLineNumber()}: ${use.getText()}`;
        const wiring = wiringOf(use, name);
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
 * The text without the server of the webhooks, where it is as it was added.
 *
 * @returns `undefined` where the user made it something else
 */
export function withoutServer(text: string, namePrefix: string): string | undefined {
  const file = openMain(text);
  const calls = callsIn(file);
  const argumentOf = (name: string): ReturnType<typeof objectOf> => {
    const call = calls.find((found) => found.getExpression().getText() === name);
    return call && objectOf(call);
  };
  const [options, flags] = [argumentOf("createManager"), argumentOf("readFlags")];
  const variable = flags
    ?.getParent()
    .getParentIfKind(SyntaxKind.VariableDeclaration)
    ?.getNameNode()
    .getText();
  if (!options || !flags || variable === undefined) return undefined;
  const served = indexOf(options, spreadOptions(variable, namePrefix));
  const read = indexOf(flags, spreadFlags);
  if (served === -1 || read === -1) return undefined;
  const without = spliced(text, [
    ...removedFrom(propertiesOf(options), served),
    ...removedFrom(propertiesOf(flags), read),
  ]);
  return [FLAGS, OPTIONS].reduce(withoutImport, without);
}

/** The index of a property in an object; -1 where it is not there. */
function indexOf(object: ObjectLiteralExpression, code: string): number {
  return object.getProperties().findIndex((one) => isSameCode(one.getText(), code));
}

/** The text without a name that is imported from `tsop` and not used any more. */
function withoutImport(text: string, name: string): string {
  const file = openMain(text);
  const declared = file
    .getImportDeclarations()
    .find(
      (one) =>
        one.getModuleSpecifierValue() === "tsop" &&
        one.getNamedImports().some((named) => named.getName() === name),
    );
  const list = declared && namedImportsOf(declared);
  if (!declared || !list || usesOf(file, name, declared).length > 0) return text;
  if (list.elements.length === 1) return spliced(text, [importRemoved(text, declared)]);
  const index = declared.getNamedImports().findIndex((named) => named.getName() === name);
  return spliced(text, removedFrom(list, index));
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

/** The statement that hands something to the manager: `setUpX(manager)`, `manager.webhooks.add(new X())`. */
function wiringOf(use: Identifier, name: string): Wiring | undefined {
  const statement = use.getFirstAncestorByKind(SyntaxKind.ExpressionStatement);
  const call = statement?.getExpressionIfKind(SyntaxKind.CallExpression);
  if (!statement || !call) return undefined;
  const isAlone =
    statement.getParentIfKind(SyntaxKind.SourceFile) ?? statement.getParentIfKind(SyntaxKind.Block);
  if (!isAlone) return undefined;
  const [argument, ...others] = call.getArguments();
  if (call.getExpression() === use) {
    return {
      statement,
      isOurs: argument?.isKind(SyntaxKind.Identifier) === true && others.length === 0,
    };
  }
  const made = argument?.asKind(SyntaxKind.NewExpression);
  if (
    !/\.webhooks\s*\.add$/.test(call.getExpression().getText()) ||
    made?.getExpression() !== use
  ) {
    return undefined;
  }
  return { statement, isOurs: others.length === 0 && made.getText() === `new ${name}()` };
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

/** Whether two pieces of code differ in their layout alone. */
function isSameCode(one: string, other: string): boolean {
  const bare = (code: string): string =>
    code
      .replace(/\s+/g, "")
      .replace(/,(?=[}\])])/g, "")
      .replace(/;/g, "")
      .replaceAll("'", '"');
  return bare(one) === bare(other);
}
