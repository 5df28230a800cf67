/**
 * The kind of the object in a variable, without a type check: from its annotation, or from the call that it
 * came from.
 *
 * @module
 */
import { ts } from "../load.ts";
import type { Module } from "./module.ts";
import type { Reader } from "./reader.ts";
import { type TokenModel, tokenOf, tokenOfType } from "./token.ts";

/** Calls whose result is an object of the kind of their first argument, or a list of such. */
const RETURNS_OBJECT = new Set(["get", "find", "create", "update", "patch", "apply"]);
const RETURNS_LIST = new Set(["list", "listAll"]);

/** The kind of an expression's object, where its declaration says it. */
export function objectKind(
  reader: Reader,
  module: Module,
  node: ts.Expression,
): TokenModel | undefined {
  if (ts.isIdentifier(node)) {
    const declaration = findDeclaration(node);
    return declaration && kindOfDeclaration(reader, module, declaration);
  }
  if (ts.isObjectLiteralExpression(node)) {
    // `{ ...web, status }`
    const spread = node.properties.find(ts.isSpreadAssignment);
    return spread && objectKind(reader, module, spread.expression);
  }
  if (ts.isCallExpression(node)) return kindOfCall(reader, module, node);
  if (
    ts.isAwaitExpression(node) ||
    ts.isParenthesizedExpression(node) ||
    ts.isNonNullExpression(node)
  ) {
    return objectKind(reader, module, node.expression);
  }
  return ts.isAsExpression(node) ? tokenOfType(reader, module, node.type) : undefined;
}

function kindOfDeclaration(
  reader: Reader,
  module: Module,
  node: ts.VariableDeclaration | ts.ParameterDeclaration,
): TokenModel | undefined {
  if (node.type) return kindOfType(reader, module, node.type);
  if (node.initializer) return objectKind(reader, module, node.initializer);
  const loop = node.parent.parent;
  return ts.isForOfStatement(loop) ? kindOfItems(reader, module, loop.expression) : undefined;
}

/** `MyWeb`, or `MyWeb | undefined`. */
function kindOfType(reader: Reader, module: Module, node: ts.TypeNode): TokenModel | undefined {
  if (!ts.isUnionTypeNode(node)) return tokenOfType(reader, module, node);
  const kinds = node.types.flatMap((part) => tokenOfType(reader, module, part) ?? []);
  return kinds.length === 1 ? kinds[0] : undefined;
}

function kindOfCall(
  reader: Reader,
  module: Module,
  node: ts.CallExpression,
): TokenModel | undefined {
  const name = ts.isPropertyAccessExpression(node.expression)
    ? node.expression.name.text
    : ts.isIdentifier(node.expression)
      ? node.expression.text
      : "";
  const [first, second] = node.arguments;
  if (RETURNS_OBJECT.has(name)) return first && tokenOf(reader, module, first);
  if (name === "addFinalizer" || name === "removeFinalizer") {
    return second && tokenOf(reader, module, second);
  }
  // Copies: structuredClone(web), mutableCopy(web).
  return node.arguments.length === 1 && first ? objectKind(reader, module, first) : undefined;
}

function kindOfItems(reader: Reader, module: Module, node: ts.Expression): TokenModel | undefined {
  if (ts.isAwaitExpression(node) || ts.isParenthesizedExpression(node)) {
    return kindOfItems(reader, module, node.expression);
  }
  if (ts.isIdentifier(node)) {
    const declaration = findDeclaration(node);
    if (!declaration) return undefined;
    const { type, initializer } = declaration;
    if (type) {
      return ts.isArrayTypeNode(type) ? tokenOfType(reader, module, type.elementType) : undefined;
    }
    return initializer && kindOfItems(reader, module, initializer);
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) {
    return undefined;
  }
  const [first] = node.arguments;
  return first && RETURNS_LIST.has(node.expression.name.text)
    ? tokenOf(reader, module, first)
    : undefined;
}

/** The variable or parameter that a name stands for: the nearest one around it. */
function findDeclaration(
  name: ts.Identifier,
): ts.VariableDeclaration | ts.ParameterDeclaration | undefined {
  for (let node: ts.Node = name; !ts.isSourceFile(node); node = node.parent) {
    if (ts.isFunctionLike(node)) {
      const parameter = node.parameters.find((candidate) => isNamed(candidate.name, name.text));
      if (parameter) return parameter;
    }
    if (ts.isForOfStatement(node) && ts.isVariableDeclarationList(node.initializer)) {
      const [item] = node.initializer.declarations;
      if (item && isNamed(item.name, name.text)) return item;
    }
    if (!ts.isBlock(node.parent) && !ts.isSourceFile(node.parent)) continue;
    for (const statement of node.parent.statements) {
      if (!ts.isVariableStatement(statement)) continue;
      const declared = statement.declarationList.declarations.find((candidate) =>
        isNamed(candidate.name, name.text),
      );
      if (declared) return declared;
    }
  }
  return undefined;
}

const isNamed = (name: ts.BindingName, text: string): boolean =>
  ts.isIdentifier(name) && name.text === text;
