/**
 * ts-morph, behind one door: with it a command edits a source file of the user. A development
 * dependency like the rest of this folder; `npm run build` bundles it.
 */
export { Project, SyntaxKind } from "ts-morph";
export type {
  Block,
  CallExpression,
  ExpressionStatement,
  FunctionDeclaration,
  Identifier,
  ImportDeclaration,
  Node,
  ObjectLiteralExpression,
  SourceFile,
  Statement,
} from "ts-morph";
