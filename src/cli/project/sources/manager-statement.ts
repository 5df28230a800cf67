/** Statements that give an export to the manager: a call, or a webhook that is added. */
import { SyntaxKind, type ExpressionStatement, type Node } from "../../vendor/source-editor.ts";

/** The two forms of the statement. */
export type StatementForm = "call" | "webhook";

/** The statement of a form, for an exported name and the name of the manager's variable. */
export const MANAGER_STATEMENTS: Readonly<
  Record<StatementForm, (name: string, manager: string) => string>
> = {
  call: (name, manager) => `${name}(${manager});`,
  webhook: (name, manager) => `${manager}.webhooks.add(new ${name}());`,
};

/** A statement of a file, read. */
export interface ManagerStatement {
  readonly form: StatementForm;
  /** The node that names the export. */
  readonly named: Node;
  /** Whether it has the text that a command writes, the names of variables aside. */
  readonly isOurs: boolean;
}

/** Reads a statement; `undefined` when it is another one, or part of a condition. */
export function managerStatement(statement: ExpressionStatement): ManagerStatement | undefined {
  const call = statement.getExpressionIfKind(SyntaxKind.CallExpression);
  const isAlone =
    statement.getParentIfKind(SyntaxKind.SourceFile) ?? statement.getParentIfKind(SyntaxKind.Block);
  if (!call || !isAlone) return undefined;
  const called = call.getExpression();
  const [argument, ...others] = call.getArguments();
  if (called.isKind(SyntaxKind.Identifier)) {
    const isOurs = argument?.isKind(SyntaxKind.Identifier) === true && others.length === 0;
    return { form: "call", named: called, isOurs };
  }
  const made = argument?.asKind(SyntaxKind.NewExpression);
  if (!made || !/\.webhooks\s*\.add$/.test(called.getText())) return undefined;
  const named = made.getExpression();
  const isOurs = others.length === 0 && made.getText() === `new ${named.getText()}()`;
  return { form: "webhook", named, isOurs };
}
