/**
 * `src/main.ts` of the user, edited through its syntax tree: an import and a call, each only where
 * it is missing. Whatever else the user wrote stays as it is.
 *
 * @module
 */
import { Project, SyntaxKind, type SourceFile, type Statement } from "../vendor/source-editor.ts";
import { TsopError } from "../../errors.ts";

/** The call that hands a controller to the manager. */
export interface ControllerCall {
  /** The function, such as `setUpMyWeb`. */
  readonly setUp: string;
  /** Where it is imported from, such as `./controllers/myweb-controller.ts`. */
  readonly from: string;
}

/**
 * The text of `src/main.ts` with the controller added; the same text when it is there.
 *
 * @throws TsopError `main-not-understood` when there is no place for the call, with the lines to add
 */
export function withController(text: string, call: ControllerCall): string {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  const file = project.createSourceFile("main.ts", text);
  addCall(file, call);
  addImport(file, call);
  return file.getFullText();
}

function addImport(file: SourceFile, { setUp, from }: ControllerCall): void {
  const existing = file.getImportDeclaration(
    (declared) => declared.getModuleSpecifierValue() === from,
  );
  if (!existing) {
    file.addImportDeclaration({ moduleSpecifier: from, namedImports: [setUp] });
  } else if (!existing.getNamedImports().some((named) => named.getName() === setUp)) {
    existing.addNamedImport(setUp);
  }
}

function addCall(file: SourceFile, call: ControllerCall): void {
  const calls = file.getDescendantsOfKind(SyntaxKind.CallExpression);
  if (calls.some((found) => found.getExpression().getText() === call.setUp)) return;
  const start = calls.find((found) => /^\w+\.start$/.test(found.getExpression().getText()));
  const statement = start?.getFirstAncestor(
    (node): node is Statement =>
      node.getParentIfKind(SyntaxKind.SourceFile) !== undefined ||
      node.getParentIfKind(SyntaxKind.Block) !== undefined,
  );
  if (!start || !statement) {
    throw new TsopError(
      "main-not-understood",
      "src/main.ts has no call of `manager.start(...)`, so there is no place to add the controller.",
      `Add \`import { ${call.setUp} } from "${call.from}";\` and \`${call.setUp}(manager);\` where your manager is, then run the command again.`,
    );
  }
  const manager = start
    .getExpression()
    .getText()
    .replace(/\.start$/, "");
  // Not insertStatements: it puts the call between a line and the comment at its end.
  const at = statement.getStart();
  file.insertText(at, `${call.setUp}(${manager});${separatorAt(file.getFullText(), at)}`);
}

/** What separates statements here: a new line as far in as this one, or a blank where others share the line. */
function separatorAt(text: string, at: number): string {
  const before = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return before.trim() === "" ? `\n${before}` : " ";
}
