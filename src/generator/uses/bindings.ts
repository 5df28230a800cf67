/** The values of names inside of functions: variables, parameters, and parts of both. */
import { ts } from "../load.ts";

/** The part of a path for any item of a list, or any value of a record. */
export const EACH: unique symbol = Symbol("each");

/**
 * The path from a value to a part of it: `["client"]` is its property, `[EACH]` any of its items.
 */
export type Path = readonly (string | typeof EACH)[];

/** The declaration of a name, and which part of what is declared has it. */
interface Binding {
  readonly node: ts.VariableDeclaration | ts.ParameterDeclaration;
  readonly path: Path;
}

/** The declaration that is in force at a name: the nearest one around it in its file. */
export function findBinding(name: ts.Identifier): Binding | undefined {
  for (let node: ts.Node = name; ; node = node.parent) {
    const found = declarationsIn(node).map((declaration) => bindingIn(declaration, name.text));
    const binding = found.find((one) => one !== undefined);
    if (binding) return binding;
    if (ts.isSourceFile(node)) return undefined;
  }
}

/** The declarations that a node makes for what is inside of it. */
function declarationsIn(
  node: ts.Node,
): readonly (ts.VariableDeclaration | ts.ParameterDeclaration)[] {
  if (ts.isFunctionLike(node)) return node.parameters;
  if (ts.isForOfStatement(node) || ts.isForStatement(node) || ts.isForInStatement(node)) {
    const { initializer } = node;
    return initializer && ts.isVariableDeclarationList(initializer) ? initializer.declarations : [];
  }
  const statements =
    ts.isBlock(node) || ts.isSourceFile(node) || ts.isModuleBlock(node)
      ? node.statements
      : ts.isCaseBlock(node)
        ? node.clauses.flatMap((clause) => [...clause.statements])
        : [];
  return statements.flatMap((statement) =>
    ts.isVariableStatement(statement) ? [...statement.declarationList.declarations] : [],
  );
}

function bindingIn(
  node: ts.VariableDeclaration | ts.ParameterDeclaration,
  text: string,
): Binding | undefined {
  const path = pathTo(node.name, text);
  return path && { node, path };
}

/** The path of a name in a pattern such as `{ client, kinds: [first] }`. */
function pathTo(name: ts.BindingName, text: string): Path | undefined {
  if (ts.isIdentifier(name)) return name.text === text ? [] : undefined;
  for (const [index, element] of name.elements.entries()) {
    if (ts.isOmittedExpression(element)) continue;
    const below = pathTo(element.name, text);
    if (!below) continue;
    if (element.dotDotDotToken) return below;
    if (ts.isArrayBindingPattern(name)) return [String(index), ...below];
    const property = element.propertyName ?? element.name;
    return [property.getText().replace(/^["']|["']$/g, ""), ...below];
  }
  return undefined;
}

/** An expression without what does not change its value: parentheses, assertions, `await`. */
export function plain(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isTypeAssertionExpression(node) ||
    ts.isAwaitExpression(node)
    ? plain(node.expression)
    : node;
}

/** The class around a node, whose `this` is in force there. */
export function classAround(node: ts.Node): ts.ClassLikeDeclaration | undefined {
  for (let at = node; !ts.isSourceFile(at); at = at.parent) if (ts.isClassLike(at)) return at;
  return undefined;
}

/**
 * The type and the values of a class's field: as it is declared, and as the constructor sets it.
 */
export function fieldOf(
  node: ts.ClassLikeDeclaration,
  name: string,
): { readonly type?: ts.TypeNode | undefined; readonly values: readonly ts.Expression[] } {
  const values: ts.Expression[] = [];
  let type: ts.TypeNode | undefined;
  for (const member of node.members) {
    if (ts.isPropertyDeclaration(member) && member.name.getText() === name) {
      ({ type } = member);
      if (member.initializer) values.push(member.initializer);
    }
    if (!ts.isConstructorDeclaration(member)) continue;
    const property = member.parameters.find(
      (parameter) =>
        ts.isParameterPropertyDeclaration(parameter, member) && isNamed(parameter, name),
    );
    if (property) {
      type ??= property.type;
      if (ts.isIdentifier(property.name)) values.push(property.name);
    }
    for (const statement of member.body?.statements ?? []) {
      const value = assignedTo(statement, name);
      if (value) values.push(value);
    }
  }
  return { type, values };
}

const isNamed = ({ name }: ts.ParameterDeclaration, text: string): boolean =>
  ts.isIdentifier(name) && name.text === text;

/** The value of `this.name = value`. */
function assignedTo(statement: ts.Statement, name: string): ts.Expression | undefined {
  if (!ts.isExpressionStatement(statement)) return undefined;
  const { expression } = statement;
  if (
    !ts.isBinaryExpression(expression) ||
    expression.operatorToken.kind !== ts.SyntaxKind.EqualsToken
  ) {
    return undefined;
  }
  const { left, right } = expression;
  const isField =
    ts.isPropertyAccessExpression(left) &&
    left.expression.kind === ts.SyntaxKind.ThisKeyword &&
    left.name.text === name;
  return isField ? right : undefined;
}

/** The name of a property that an expression asks for: `.name`, `["name"]`, or any where it is not known. */
export function propertyStep(
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
): string | typeof EACH {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  const { argumentExpression: key } = node;
  return ts.isStringLiteralLike(key) || ts.isNumericLiteral(key) ? key.text : EACH;
}
