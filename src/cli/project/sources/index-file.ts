/**
 * `src/controllers/index.ts` and `src/webhooks/index.ts`: each has one function, which `src/main.ts` calls with the
 * manager. They are edited through their syntax trees, so that lines of the user stay.
 */
import {
  SyntaxKind,
  type Block,
  type FunctionDeclaration,
  type SourceFile,
} from "../../vendor/source-editor.ts";
import {
  inserted,
  isFirstOfLine,
  lineEnd,
  lineStart,
  restIsComment,
  spliced,
  type Splice,
} from "./comma-list.ts";
import { notUnderstood, openSource, usesName, withImport } from "./main-file.ts";
import { MANAGER_STATEMENTS, type StatementForm } from "./manager-statement.ts";

/** The sorts of exports that the manager is given. */
export type IndexSort = "controllers" | "webhooks";

/** A file with the function that gives the manager all exports of a sort. */
export interface Index {
  readonly sort: IndexSort;
  /** The usual path in the project. */
  readonly path: string;
  /** The function. */
  readonly setUp: string;
  /** The form of the statements in it. */
  readonly form: StatementForm;
}

/** Both files. */
export const INDEXES: readonly Index[] = [
  {
    sort: "controllers",
    path: "src/controllers/index.ts",
    setUp: "setUpAll",
    form: "call",
  },
  {
    sort: "webhooks",
    path: "src/webhooks/index.ts",
    setUp: "addWebhooks",
    form: "webhook",
  },
];

/** The declaration of a function without statements: an unused parameter would be a mistake for linters. */
const emptyDeclaration = (setUp: string): string =>
  `export const ${setUp}: (manager: Manager) => void = () => undefined;`;

/** An export of a module that the manager is given. */
export interface Exported {
  readonly name: string;
  /** The module, as the file imports it. */
  readonly from: string;
}

/**
 * The text with a line for the export; the same text when it uses the name already.
 *
 * @param path - of the file, for the error
 * @throws TsopError `main-not-understood` when the function is not found, with the lines to add
 */
export function withEntry(
  index: Index,
  path: string,
  text: string,
  { name, from }: Exported,
): string {
  const file = openSource(text);
  if (usesName(file, name)) return text;
  const line = (manager: string): string => MANAGER_STATEMENTS[index.form](name, manager);
  const edited = withLine(file, index.setUp, line);
  if (edited === undefined) {
    throw notUnderstood(
      path,
      `has no function ${index.setUp}(manager), so tsop cannot add ${name}`,
      [`import { ${name} } from "${from}";`, line("manager")],
    );
  }
  return withImport(openSource(edited), name, from);
}

function withLine(
  file: SourceFile,
  setUp: string,
  line: (manager: string) => string,
): string | undefined {
  const text = file.getFullText();
  const empty = file.getVariableStatement((one) => isEmpty(one.getText(), setUp));
  if (empty) {
    const full = `export function ${setUp}(manager: Manager): void {\n  ${line("manager")}\n}`;
    return spliced(text, [{ start: empty.getStart(), end: empty.getEnd(), with: full }]);
  }
  const found = bodyOf(file, setUp);
  return found && spliced(text, [lineAtEnd(text, found.body, line(found.manager))]);
}

/** Whether the declared function has no statements, however it is laid out. */
const isEmpty = (declaration: string, setUp: string): boolean =>
  new RegExp(`^export const ${setUp}\\b[^]*=\\s*\\(\\)\\s*=>\\s*(?:undefined|\\{\\s*\\});?$`).test(
    declaration,
  );

/** The function's body, and the name of the manager in it. */
function bodyOf(
  file: SourceFile,
  setUp: string,
): { readonly body: Block; readonly manager: string } | undefined {
  const called =
    file.getFunction(setUp) ??
    file.getVariableDeclaration(setUp)?.getInitializerIfKind(SyntaxKind.ArrowFunction);
  const body = called?.getBody()?.asKind(SyntaxKind.Block);
  const manager = called?.getParameters()[0]?.getName();
  return body && manager !== undefined ? { body, manager } : undefined;
}

function lineAtEnd(text: string, body: Block, line: string): Splice {
  const last = body.getStatements().at(-1);
  if (last) {
    const end = restIsComment(text, last.getEnd()) ? lineEnd(text, last.getEnd()) : last.getEnd();
    const indent = text.slice(lineStart(text, last.getStart()), last.getStart());
    return inserted(end, indent.trim() === "" ? `\n${indent}${line}` : ` ${line}`);
  }
  const brace = body.getEnd() - 1;
  if (!isFirstOfLine(text, brace)) return inserted(brace, `\n  ${line}\n`);
  return inserted(lineStart(text, brace), `  ${line}\n`);
}

/** The text with the short declaration where the function has become empty; the same text otherwise. */
export function withoutEmptyBody({ setUp }: Index, text: string): string {
  const declared: FunctionDeclaration | undefined = openSource(text).getFunction(setUp);
  const body = declared?.getBody()?.getText().slice(1, -1) ?? "";
  if (!declared || body.trim() !== "") return text;
  const span = { start: declared.getStart(), end: declared.getEnd() };
  return spliced(text, [{ ...span, with: emptyDeclaration(setUp) }]);
}

/** Whether the function in the file of a project has no statements. */
export const isEmptyIndex = ({ setUp }: Index, text: string): boolean =>
  openSource(text).getVariableStatement((one) => isEmpty(one.getText(), setUp)) !== undefined;
