/** Types that stand for a fixed set of values: literals, unions of them, enums, keys. */
import { ts } from "../../load.ts";
import { enumValues, evaluate } from "../code/evaluate.ts";
import type { Module } from "../code/module.ts";
import type { Reader } from "../code/reader.ts";

/** A value that a type can stand for. */
export type Literal = string | number | boolean;

/** Whether the values are of one type, as those of a schema have to be. */
export const areOfOneType = (values: readonly Literal[]): boolean =>
  new Set(values.map((value) => typeof value)).size === 1;

/** The values that a type stands for, in source order; `undefined` when it is not such a type. */
export function literalsOf(
  reader: Reader,
  node: ts.TypeNode,
  module: Module,
): Literal[] | undefined {
  if (ts.isParenthesizedTypeNode(node)) return literalsOf(reader, node.type, module);
  if (ts.isLiteralTypeNode(node)) return literal(reader, node, module);
  if (ts.isUnionTypeNode(node)) {
    const parts = node.types.map((part) => literalsOf(reader, part, module));
    const all = parts.flatMap((part) => part ?? []);
    return parts.includes(undefined) ? undefined : [...new Set(all)];
  }
  if (ts.isIndexedAccessTypeNode(node)) return elements(reader, node, module);
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.KeyOfKeyword) {
    return keys(reader, node.type, module);
  }
  if (ts.isTypeReferenceNode(node)) return referenced(reader, node, module);
  return ts.isTemplateLiteralTypeNode(node) ? templateTexts(reader, node, module) : undefined;
}

function literal(reader: Reader, node: ts.LiteralTypeNode, module: Module): Literal[] | undefined {
  if (node.literal.kind === ts.SyntaxKind.NullKeyword) return undefined;
  const value = evaluate(reader, module, node.literal);
  return typeof value === "symbol" ? undefined : [value as Literal];
}

/**
 * The values of `(typeof MODES)[number]`: the items of a constant list, or the values of a constant
 * object.
 */
function elements(
  reader: Reader,
  { objectType, indexType }: ts.IndexedAccessTypeNode,
  module: Module,
): Literal[] | undefined {
  const value = constantOf(reader, objectType, module, isConstant);
  if (typeof value !== "object" || value === null) return undefined;
  const isAll = indexType.kind === ts.SyntaxKind.NumberKeyword && Array.isArray(value);
  const names = isAll ? Object.keys(value) : literalsOf(reader, indexType, module)?.map(String);
  const items = names?.map((name) =>
    Object.hasOwn(value, name) && name !== "length"
      ? (value as Record<string, unknown>)[name]
      : undefined,
  );
  return items?.every(isLiteral) ? items : undefined;
}

const isLiteral = (value: unknown): value is Literal =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** The values of `keyof typeof MODES`: the names of a constant object. */
function keys(reader: Reader, node: ts.TypeNode, module: Module): Literal[] | undefined {
  const value = constantOf(reader, node, module, isWrittenOut);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.keys(value)
    : undefined;
}

/** The value of `typeof MODES`, where `MODES` is an enum or a constant of which the type says as much as the value. */
function constantOf(
  reader: Reader,
  node: ts.TypeNode,
  module: Module,
  saysAll: (initial: ts.Expression) => boolean,
): unknown {
  if (ts.isParenthesizedTypeNode(node)) return constantOf(reader, node.type, module, saysAll);
  if (!ts.isTypeQueryNode(node) || !ts.isIdentifier(node.exprName)) return undefined;
  const found = reader.modules.resolveValue(module, node.exprName.text);
  if (found?.is !== "declaration") return undefined;
  const { node: declaration } = found;
  if (!ts.isEnumDeclaration(declaration)) {
    if (!ts.isVariableDeclaration(declaration) || declaration.type) return undefined;
    if (!declaration.initializer || !saysAll(declaration.initializer)) return undefined;
  }
  const value = evaluate(reader, module, node.exprName);
  return typeof value === "symbol" ? undefined : value;
}

/** Whether it is `[...] as const`: without it TypeScript takes its items for any texts. */
function isConstant(node: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(node) || ts.isSatisfiesExpression(node)) {
    return isConstant(node.expression);
  }
  return (
    (ts.isAsExpression(node) || ts.isTypeAssertionExpression(node)) &&
    ts.isConstTypeReference(node.type)
  );
}

/** An object whose names stand in it. */
function isWrittenOut(node: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(node) || ts.isSatisfiesExpression(node)) {
    return isWrittenOut(node.expression);
  }
  return isConstant(node) || ts.isObjectLiteralExpression(node);
}

/** The texts that a template makes of literals, if they are not too many to be listed. */
function templateTexts(
  reader: Reader,
  node: ts.TemplateLiteralTypeNode,
  module: Module,
): string[] | undefined {
  let texts = [node.head.text];
  for (const { type, literal } of node.templateSpans) {
    const isBoolean = type.kind === ts.SyntaxKind.BooleanKeyword;
    const values = isBoolean ? [false, true] : literalsOf(reader, type, module);
    if (!values || values.length * texts.length > MOST_TEXTS) return undefined;
    texts = texts.flatMap((text) => values.map((value) => `${text}${value}${literal.text}`));
  }
  return texts;
}

const MOST_TEXTS = 1000;

function referenced(
  reader: Reader,
  node: ts.TypeReferenceNode,
  module: Module,
): Literal[] | undefined {
  if (ts.isQualifiedName(node.typeName)) {
    const { left, right } = node.typeName;
    const found = ts.isIdentifier(left) && reader.modules.resolve(module, left.text);
    if (!found || found.is !== "declaration" || !ts.isEnumDeclaration(found.node)) return undefined;
    const value = enumValues(reader, found.module, found.node).get(right.text);
    return value === undefined || typeof value === "symbol" ? undefined : [value as Literal];
  }
  const name = node.typeName.text;
  const [first, second] = node.typeArguments ?? [];
  if ((name === "Exclude" || name === "Extract") && first && second) {
    const values = literalsOf(reader, first, module);
    const others = literalsOf(reader, second, module);
    const isOwn = reader.modules.resolve(module, name) !== undefined;
    if (!values || !others || isOwn || values.length === 0) return undefined;
    return values.filter((value) => others.includes(value) === (name === "Extract"));
  }
  const found = reader.modules.resolve(module, name);
  if (found?.is !== "declaration") return undefined;
  if (ts.isEnumDeclaration(found.node)) {
    const values = [...enumValues(reader, found.module, found.node).values()];
    return values.some((value) => typeof value === "symbol") ? undefined : (values as Literal[]);
  }
  // A generic alias is read where its arguments are known; markers on an alias are read there too.
  return ts.isTypeAliasDeclaration(found.node) && !found.node.typeParameters
    ? aliased(reader, found.node, found.module)
    : undefined;
}

/** The values of an alias; none while they are being found, for one that refers to itself. */
function aliased(
  reader: Reader,
  node: ts.TypeAliasDeclaration,
  module: Module,
): Literal[] | undefined {
  const { constants } = reader.modules;
  if (!constants.has(node)) {
    constants.set(node, undefined);
    constants.set(node, literalsOf(reader, node.type, module));
  }
  return constants.get(node) as Literal[] | undefined;
}
