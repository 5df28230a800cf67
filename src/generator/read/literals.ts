/**
 * Types that stand for a fixed set of values: literals, unions of them, enums, keys.
 *
 * @module
 */
import { ts } from "../load.ts";
import { enumValues, evaluate } from "./evaluate.ts";
import type { Declaration, Module } from "./module.ts";
import { type Reader, type Scope, topScope } from "./reader.ts";

/** A value that a type can stand for. */
export type Literal = string | number | boolean;

/** The values that a type stands for, in source order; `undefined` when it is not such a type. */
export function literalsOf(reader: Reader, node: ts.TypeNode, scope: Scope): Literal[] | undefined {
  if (ts.isParenthesizedTypeNode(node)) return literalsOf(reader, node.type, scope);
  if (ts.isLiteralTypeNode(node)) return literal(reader, node, scope);
  if (ts.isUnionTypeNode(node)) {
    const parts = node.types.map((part) => literalsOf(reader, part, scope));
    const all = parts.flatMap((part) => part ?? []);
    return parts.includes(undefined) ? undefined : [...new Set(all)];
  }
  if (ts.isIndexedAccessTypeNode(node)) return elements(reader, node, scope);
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.KeyOfKeyword) {
    return keys(reader, node.type, scope);
  }
  if (ts.isTypeReferenceNode(node)) return referenced(reader, node, scope);
  return undefined;
}

/** The values of a type without null: `NonNullable<"a" | "b" | null>`. */
export function nonNullLiterals(
  reader: Reader,
  node: ts.TypeNode,
  scope: Scope,
  seen: readonly Declaration[] = [],
): Literal[] | undefined {
  if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) {
    const found = reader.modules.resolve(scope.module, node.typeName.text);
    if (found?.is !== "declaration" || !ts.isTypeAliasDeclaration(found.node)) return undefined;
    if (seen.includes(found.node)) return undefined;
    const { type } = found.node;
    return nonNullLiterals(reader, type, topScope(found.module), [...seen, found.node]);
  }
  if (!ts.isUnionTypeNode(node)) return undefined;
  const parts = node.types.filter(
    (part) =>
      part.kind !== ts.SyntaxKind.UndefinedKeyword &&
      !(ts.isLiteralTypeNode(part) && part.literal.kind === ts.SyntaxKind.NullKeyword),
  );
  const values = parts.map((part) => literalsOf(reader, part, scope));
  return values.includes(undefined) ? undefined : values.flatMap((value) => value ?? []);
}

function literal(reader: Reader, node: ts.LiteralTypeNode, scope: Scope): Literal[] | undefined {
  if (node.literal.kind === ts.SyntaxKind.NullKeyword) return undefined;
  const value = evaluate(reader, scope.module, node.literal);
  return typeof value === "symbol" ? undefined : [value as Literal];
}

/** `(typeof MODES)[number]`: the items of a constant list. */
function elements(
  reader: Reader,
  node: ts.IndexedAccessTypeNode,
  scope: Scope,
): Literal[] | undefined {
  const value = constantOf(reader, node.objectType, scope);
  if (Array.isArray(value)) return value as Literal[];
  if (typeof value !== "object" || value === null) return undefined;
  const names = literalsOf(reader, node.indexType, scope);
  return names?.map((name) => (value as Record<string, Literal>)[String(name)] ?? "");
}

/** `keyof typeof MODES`: the names of a constant object. */
function keys(reader: Reader, node: ts.TypeNode, scope: Scope): Literal[] | undefined {
  const value = constantOf(reader, node, scope);
  return typeof value === "object" && value !== null ? Object.keys(value) : undefined;
}

function constantOf(reader: Reader, node: ts.TypeNode, scope: Scope): unknown {
  if (ts.isParenthesizedTypeNode(node)) return constantOf(reader, node.type, scope);
  if (!ts.isTypeQueryNode(node) || !ts.isIdentifier(node.exprName)) return undefined;
  const value = evaluate(reader, scope.module, node.exprName);
  return typeof value === "symbol" ? undefined : value;
}

function referenced(
  reader: Reader,
  node: ts.TypeReferenceNode,
  scope: Scope,
): Literal[] | undefined {
  if (ts.isQualifiedName(node.typeName)) {
    const { left, right } = node.typeName;
    const found = ts.isIdentifier(left) && reader.modules.resolve(scope.module, left.text);
    if (!found || found.is !== "declaration" || !ts.isEnumDeclaration(found.node)) return undefined;
    const value = enumValues(reader, found.module, found.node).get(right.text);
    return value === undefined || typeof value === "symbol" ? undefined : [value as Literal];
  }
  const name = node.typeName.text;
  const argument = scope.parameters.get(name);
  if (argument) return literalsOf(reader, argument.node, argument.scope);
  const [first, second] = node.typeArguments ?? [];
  if ((name === "Exclude" || name === "Extract") && first && second) {
    const values = literalsOf(reader, first, scope);
    const others = new Set(literalsOf(reader, second, scope));
    return values?.filter((value) => others.has(value) === (name === "Extract"));
  }
  const found = reader.modules.resolve(scope.module, name);
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

/** The values of an alias; none while they are being found, for one that is made of itself. */
function aliased(
  reader: Reader,
  node: ts.TypeAliasDeclaration,
  module: Module,
): Literal[] | undefined {
  const { constants } = reader.modules;
  if (!constants.has(node)) {
    constants.set(node, undefined);
    constants.set(node, literalsOf(reader, node.type, topScope(module)));
  }
  return constants.get(node) as Literal[] | undefined;
}
