/** Types as data: the second argument of `With<T, { maxLength: 63 }>`. */
import { ts } from "../../load.ts";
import { evaluate, notConstant } from "../code/evaluate.ts";
import type { Module } from "../code/module.ts";
import type { Reader, Trail } from "../code/reader.ts";

/** The JSON value that a type of literals describes; `notConstant` where it describes more than one. */
export function valueOfType(
  reader: Reader,
  node: ts.TypeNode,
  module: Module,
  trail: Trail = [],
): unknown {
  if (ts.isParenthesizedTypeNode(node)) return valueOfType(reader, node.type, module, trail);
  if (ts.isLiteralTypeNode(node)) return evaluate(reader, module, node.literal);
  if (ts.isTypeQueryNode(node) && ts.isIdentifier(node.exprName)) {
    return evaluate(reader, module, node.exprName);
  }
  if (ts.isTupleTypeNode(node)) {
    const items = node.elements.map((element) =>
      valueOfType(reader, ts.isNamedTupleMember(element) ? element.type : element, module, trail),
    );
    return items.includes(notConstant) ? notConstant : items;
  }
  if (ts.isTypeLiteralNode(node)) return recordOf(reader, node, module, trail);
  if (ts.isTypeReferenceNode(node)) return referenced(reader, node, module, trail);
  return notConstant;
}

function recordOf(reader: Reader, node: ts.TypeLiteralNode, module: Module, trail: Trail): unknown {
  const entries: [string, unknown][] = [];
  for (const member of node.members) {
    if (!ts.isPropertySignature(member) || !member.type) return notConstant;
    const { name: written } = member;
    const name = ts.isComputedPropertyName(written) ? written.expression : written;
    if (!ts.isIdentifier(name) && !ts.isStringLiteralLike(name) && !ts.isNumericLiteral(name)) {
      return notConstant;
    }
    const value = valueOfType(reader, member.type, module, trail);
    if (value === notConstant) return notConstant;
    entries.push([name.text, value]);
  }
  return Object.fromEntries(entries);
}

/** A type argument, an alias of keywords, or a member of an enum. */
function referenced(
  reader: Reader,
  node: ts.TypeReferenceNode,
  module: Module,
  trail: Trail,
): unknown {
  if (ts.isQualifiedName(node.typeName)) {
    const { left, right } = node.typeName;
    if (!ts.isIdentifier(left)) return notConstant;
    const values = evaluate(reader, module, left);
    return typeof values === "object" && values !== null
      ? (values as Record<string, unknown>)[right.text]
      : notConstant;
  }
  const found = reader.modules.resolve(module, node.typeName.text);
  if (found?.is !== "declaration" || !ts.isTypeAliasDeclaration(found.node)) return notConstant;
  // A value that is made of itself is not known.
  if (trail.includes(found.node)) return notConstant;
  return valueOfType(reader, found.node.type, found.module, [...trail, found.node]);
}

/** The JSON value that a computed type of literals describes; `notConstant` where it describes more than one. */
export function literalValue(checker: ts.TypeChecker, type: ts.Type): unknown {
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  const { flags } = type;
  if (flags & ts.TypeFlags.BooleanLiteral) return checker.typeToString(type) === "true";
  if (flags & ts.TypeFlags.Null) return null;
  if (!(flags & ts.TypeFlags.Object) || checker.isArrayType(type)) return notConstant;
  if (checker.isTupleType(type)) {
    const items = checker.getTypeArguments(type as ts.TypeReference);
    const values = items.map((item) => literalValue(checker, item));
    return values.includes(notConstant) ? notConstant : values;
  }
  const entries = checker
    .getPropertiesOfType(type)
    .map((field) => [field.name, literalValue(checker, checker.getTypeOfSymbol(field))] as const);
  return entries.some(([, value]) => value === notConstant)
    ? notConstant
    : Object.fromEntries(entries);
}
