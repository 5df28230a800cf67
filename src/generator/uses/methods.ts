/** Reads calls: the method, its receiver, and the words of the call. */
import { ts } from "../load.ts";
import { type Path, findBinding, plain } from "./bindings.ts";

/** A method, and what it is called on. */
export interface Method {
  readonly name: string;
  readonly on: ts.Expression;
  readonly path: Path;
}

/** The method that a callee is: `client.get`, or a name for it. */
export function methodOf(callee: ts.Expression): Method | undefined {
  if (ts.isPropertyAccessExpression(callee)) {
    return { name: callee.name.text, on: callee.expression, path: [] };
  }
  if (ts.isElementAccessExpression(callee)) {
    const { argumentExpression: key } = callee;
    return ts.isStringLiteralLike(key)
      ? { name: key.text, on: callee.expression, path: [] }
      : undefined;
  }
  const binding = ts.isIdentifier(callee) ? findBinding(callee) : undefined;
  if (!binding?.node.initializer) return undefined;
  const name = binding.path.at(-1);
  // const { get } = client
  if (typeof name === "string") {
    return { name, on: binding.node.initializer, path: binding.path.slice(0, -1) };
  }
  const value = plain(binding.node.initializer);
  // const get = client.get.bind(client)
  const bound =
    ts.isCallExpression(value) && ts.isPropertyAccessExpression(value.expression)
      ? value.expression.name.text === "bind" && value.expression.expression
      : value;
  return bound && ts.isPropertyAccessExpression(bound) ? methodOf(bound) : undefined;
}

/** The name of a call in messages. */
export function lastName(node: ts.Expression): string {
  const at = plain(node);
  if (ts.isPropertyAccessExpression(at)) return at.name.text.replace(/^#/, "");
  if (ts.isIdentifier(at)) return at.text;
  return ts.isCallExpression(at) ? lastName(at.expression) : "client";
}

/** Whether a name is that of a function or a block, which hides that of the file. */
export function isLocal(node: ts.Expression): boolean {
  const binding = ts.isIdentifier(node) ? findBinding(node) : undefined;
  return binding !== undefined && (ts.isParameter(binding.node) || !isTopLevel(binding.node));
}

const isTopLevel = ({ parent }: ts.VariableDeclaration): boolean =>
  ts.isSourceFile(parent.parent.parent);

/** Operators that compare a name without handing it on. */
const COMPARES = new Set([
  ts.SyntaxKind.InstanceOfKeyword,
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
]);

/** Whether a name stands for a value that goes somewhere: not a declaration, a property, or what is asked for one. */
export function isValueOf(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return false;
  if (ts.isNewExpression(parent)) return parent.expression !== node;
  if (ts.isBinaryExpression(parent)) {
    return !COMPARES.has(parent.operatorToken.kind);
  }
  if (ts.isPropertyAssignment(parent) || ts.isVariableDeclaration(parent)) {
    return parent.initializer === node;
  }
  return !ts.isClassLike(parent) && !ts.isFunctionLike(parent) && !ts.isBindingElement(parent);
}

/** The owner that the options of a call name: `{ owner: web }`. */
export function ownerIn(options: ts.Expression | undefined): ts.Expression | undefined {
  if (!options || !ts.isObjectLiteralExpression(options)) return undefined;
  for (const property of options.properties) {
    if (property.name?.getText() !== "owner") continue;
    if (ts.isPropertyAssignment(property)) return property.initializer;
    if (ts.isShorthandPropertyAssignment(property)) return property.name;
  }
  return undefined;
}

/** Whether a call is given something under that name, at whatever depth. */
export function namesOption(call: ts.CallExpression, option: string): boolean {
  const names = (node: ts.Node): boolean =>
    ((ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) &&
      node.name.getText() === option) ||
    ts.forEachChild(node, names) === true;
  return call.arguments.some(names);
}

/** The kind that a controller is built for: the argument of `for()` before a call of its builder. */
export function builtFor(node: ts.Expression): ts.Expression | undefined {
  const at = plain(node);
  if (ts.isIdentifier(at)) {
    const { initializer } = findBinding(at)?.node ?? {};
    return initializer && builtFor(initializer);
  }
  if (!ts.isCallExpression(at) || !ts.isPropertyAccessExpression(at.expression)) return undefined;
  return at.expression.name.text === "for" ? at.arguments[0] : builtFor(at.expression.expression);
}

/** Whether a function may change the status of what it is given: its code says the word, or it is not seen here. */
export function mayChangeStatus(node: ts.Expression | undefined): boolean {
  if (!node) return false;
  const at = plain(node);
  if (!ts.isArrowFunction(at) && !ts.isFunctionExpression(at)) return true;
  return /\bstatus\b/.test(at.getText());
}
