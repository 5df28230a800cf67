/**
 * `src/main.ts` of the user, edited through its syntax tree: imports, calls and settings, each only where
 * it is missing. Whatever else the user wrote stays as it is.
 */
import {
  Project,
  SyntaxKind,
  type CallExpression,
  type ImportDeclaration,
  type SourceFile,
  type Statement,
} from "../../vendor/source-editor.ts";
import { TsopError } from "../../../errors.ts";
import {
  addedTo,
  inserted,
  lineEnd,
  restIsComment,
  spliced,
  type CommaList,
  type Splice,
} from "./comma-list.ts";

/** The call that hands a controller to the manager. */
export interface ControllerCall {
  /** The function, such as `setUpMyWeb`. */
  readonly setUp: string;
  /** The module that exports it, such as `./controllers/myweb-controller.ts`. */
  readonly from: string;
}

/**
 * The text of `src/main.ts` with the controller added; the same text when it is there.
 *
 * @throws TsopError `main-not-understood` when there is no place for the call, with the lines to add
 */
export function withController(text: string, call: ControllerCall): string {
  const file = openMain(text);
  const { setUp, from } = call;
  const isThere = callsIn(file).some((found) => found.getExpression().getText() === setUp);
  if (!isThere) {
    const start = findStart(file);
    if (!start) {
      throw notUnderstood("does not call `manager.start(...)`, so tsop cannot add the controller", [
        `import { ${setUp} } from "${from}";`,
        `${setUp}(manager);`,
      ]);
    }
    const added = callBefore(file, start, `${setUp}(${start.manager});`);
    return withImport(openMain(spliced(text, [added])), setUp, from);
  }
  return withImport(file, setUp, from);
}

/** The syntax tree of the file. */
export function openMain(text: string): SourceFile {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  return project.createSourceFile("main.ts", text);
}

/** All calls in the file. */
export const callsIn = (file: SourceFile): CallExpression[] =>
  file.getDescendantsOfKind(SyntaxKind.CallExpression);

/** The statement that starts the manager. */
export interface StartCall {
  readonly statement: Statement;
  /** The name of the manager's variable. */
  readonly manager: string;
}

/** The first call of `.start` of a variable; `undefined` without one. */
export function findStart(file: SourceFile): StartCall | undefined {
  const start = callsIn(file).find((found) => /^\w+\.start$/.test(found.getExpression().getText()));
  const statement = start?.getFirstAncestor(
    (node): node is Statement =>
      node.getParentIfKind(SyntaxKind.SourceFile) !== undefined ||
      node.getParentIfKind(SyntaxKind.Block) !== undefined,
  );
  if (!start || !statement) return undefined;
  const manager = start
    .getExpression()
    .getText()
    .replace(/\.start$/, "");
  return { statement, manager };
}

/** A statement before that of the start. */
export function callBefore(file: SourceFile, { statement }: StartCall, call: string): Splice {
  // Not insertStatements: it puts the call between a line and the comment at its end.
  const at = statement.getStart();
  return inserted(at, `${call}${separatorAt(file.getFullText(), at)}`);
}

/** The text that imports a name, unless it is imported from there already; a type with `type` before it. */
export function withImport(file: SourceFile, name: string, from: string): string {
  const text = file.getFullText();
  const imports = file.getImportDeclarations();
  const existing = imports.find(
    (declared) => declared.getModuleSpecifierValue() === from && !declared.isTypeOnly(),
  );
  const bare = name.replace(/^type /, "");
  const list = existing && namedImportsOf(existing);
  if (existing?.getNamedImports().some((named) => named.getName() === bare)) return text;
  if (list) return spliced(text, addedTo(list, [[name]]));
  const line = `import { ${name} } from "${from}";`;
  const last = imports.at(-1)?.getEnd();
  if (last === undefined) {
    const at = file.getStatements()[0]?.getStart() ?? text.length;
    return spliced(text, [inserted(at, `${line}\n`)]);
  }
  const at = restIsComment(text, last) ? lineEnd(text, last) : last;
  return spliced(text, [inserted(at, `\n${line}`)]);
}

/** The names that an import takes, as a list in the text; `undefined` for an import without braces. */
export function namedImportsOf(declared: ImportDeclaration): CommaList | undefined {
  const braces = declared.getImportClause()?.getNamedBindings()?.asKind(SyntaxKind.NamedImports);
  if (!braces) return undefined;
  return {
    text: declared.getSourceFile().getFullText(),
    start: braces.getStart(),
    end: braces.getEnd(),
    elements: braces.getElements().map((one) => ({ start: one.getStart(), end: one.getEnd() })),
  };
}

/**
 * The error for a file that has no place for what is to be added.
 *
 * @param lines - what the user is to add
 */
export function notUnderstood(why: string, lines: readonly string[]): TsopError {
  const shown = lines.map((line) => `\`${line}\``).join(" and ");
  return new TsopError(
    "main-not-understood",
    `src/main.ts ${why}.`,
    `Add ${shown} where your manager is, then run the command again; nothing was written.`,
  );
}

/**
 * The separator of statements here: a new line as far in as this one, or a blank where others share
 * the line.
 */
function separatorAt(text: string, at: number): string {
  const before = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return before.trim() === "" ? `\n${before}` : " ";
}
