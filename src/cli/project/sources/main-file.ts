/**
 * `src/main.ts` of the user, edited through its syntax tree: calls, imports and settings, each only where
 * it is missing. A project of this tsop needs no edit; one of an earlier tsop, or one wired by hand, may.
 */
import {
  Project,
  SyntaxKind,
  type CallExpression,
  type ImportDeclaration,
  type ObjectLiteralExpression,
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
import { MANAGER_STATEMENTS, type StatementForm } from "./manager-statement.ts";

/** An export of the project that the manager is given, such as `setUpAll`. */
export interface SetUp {
  readonly setUp: string;
  /** The module that exports it, such as `./controllers/index.ts`. */
  readonly from: string;
  /** The form of the statement; `call` when absent. */
  readonly form?: StatementForm;
}

/** The exports of `tsop` for the server of webhooks. */
const FLAGS = "webhookFlags";
const OPTIONS = "webhookOptions";

/**
 * The text with a call of the function before the manager starts; the same text when it is called already.
 *
 * @throws TsopError `main-not-understood` when there is no place for the call, with the lines to add
 */
export function withSetUp(text: string, { setUp, from, form = "call" }: SetUp): string {
  const file = openSource(text);
  if (usesName(file, setUp)) return withImport(file, setUp, from);
  const statement = MANAGER_STATEMENTS[form];
  const start = findStart(file);
  if (!start) {
    throw notUnderstood(
      "src/main.ts",
      `does not call \`manager.start(...)\`, so tsop cannot add ${setUp}`,
      [`import { ${setUp} } from "${from}";`, statement(setUp, "manager")],
    );
  }
  const added = callBefore(file, start, statement(setUp, start.manager));
  return withImport(openSource(spliced(text, [added])), setUp, from);
}

/**
 * The text with the flags and the options of the server of webhooks; the same text when it has options of its own.
 *
 * @param namePrefix - the prefix of the names of the project's objects in the deployment
 * @param others - lines that have to be added with them, for the error
 * @throws TsopError `main-not-understood` when there is no place for them, with the lines to add
 */
export function withServer(
  text: string,
  namePrefix: string,
  others: readonly string[] = [],
): string {
  const file = openSource(text);
  const create = findCall(file, "createManager");
  const options = create && objectOf(create);
  if (options && /\bwebhook(?:s|Options)\b/.test(options.getText())) return text;
  const noPlace = (what: string): Error =>
    notUnderstood("src/main.ts", `${what}, so tsop cannot add the webhook server`, [
      `webhooks: { port: 9443, certificate: { selfManaged: { namePrefix: "${namePrefix}" } } }`,
      ...others,
    ]);
  if (!options) throw noPlace("has no `createManager({ ... })`");
  const read = findCall(file, "readFlags");
  const flags = read && objectOf(read);
  const variable = read?.getParentIfKind(SyntaxKind.VariableDeclaration)?.getNameNode().getText();
  if (!flags || variable === undefined || !/^\w+$/.test(variable)) {
    throw noPlace("has no `const flags = readFlags({ ... })`");
  }
  const served = `...${OPTIONS}(${variable}, { namePrefix: "${namePrefix}" })`;
  const edited = spliced(text, [
    ...addedTo(propertiesOf(flags), [[`...${FLAGS}`]]),
    ...addedTo(propertiesOf(options), [[served]]),
  ]);
  return [FLAGS, OPTIONS].reduce((now, name) => withImport(openSource(now), name, "tsop"), edited);
}

/** Whether the code uses a name outside of imports: the manager is given it already, perhaps in another way. */
export const usesName = (file: SourceFile, name: string): boolean =>
  file
    .getDescendantsOfKind(SyntaxKind.Identifier)
    .some(
      (one) => one.getText() === name && !one.getFirstAncestorByKind(SyntaxKind.ImportDeclaration),
    );

const findCall = (file: SourceFile, name: string): CallExpression | undefined =>
  callsIn(file).find((found) => found.getExpression().getText() === name);

/** The object that a call is given. */
const objectOf = (call: CallExpression): ObjectLiteralExpression | undefined =>
  call.getArguments()[0]?.asKind(SyntaxKind.ObjectLiteralExpression);

/** The properties of a literal, as a list in the text. */
export function propertiesOf(literal: ObjectLiteralExpression): CommaList {
  return {
    text: literal.getSourceFile().getFullText(),
    start: literal.getStart(),
    end: literal.getEnd(),
    elements: literal.getProperties().map((one) => ({ start: one.getStart(), end: one.getEnd() })),
  };
}

/** The syntax tree of the file. */
export function openSource(text: string): SourceFile {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  return project.createSourceFile("main.ts", text);
}

/** All calls in the file. */
const callsIn = (file: SourceFile): CallExpression[] =>
  file.getDescendantsOfKind(SyntaxKind.CallExpression);

/** The statement that starts the manager. */
interface StartCall {
  readonly statement: Statement;
  /** The name of the manager's variable. */
  readonly manager: string;
}

/** The first call of `.start` of a variable; `undefined` without one. */
function findStart(file: SourceFile): StartCall | undefined {
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
function callBefore(file: SourceFile, { statement }: StartCall, call: string): Splice {
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
function namedImportsOf(declared: ImportDeclaration): CommaList | undefined {
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
 * The error for a file that has no place for an addition.
 *
 * @param lines - the lines that the user has to add
 */
export function notUnderstood(path: string, why: string, lines: readonly string[]): TsopError {
  const shown = lines.map((line) => `\`${line}\``).join(" and ");
  return new TsopError(
    "main-not-understood",
    `${path} ${why}.`,
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
