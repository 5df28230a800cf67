/** Types as data: the second argument of `With<T, { maxLength: 63 }>`. */
import { ts } from "../../load.ts";
import { evaluate, notConstant } from "../code/evaluate.ts";
import { type Reader, type Scope, topScope, type Trail } from "../code/reader.ts";

/** The JSON value that a type of literals describes; `notConstant` where it describes more than one. */
export function valueOfType(
  reader: Reader,
  node: ts.TypeNode,
  scope: Scope,
  trail: Trail = [],
): unknown {
  if (ts.isParenthesizedTypeNode(node)) return valueOfType(reader, node.type, scope, trail);
  if (ts.isLiteralTypeNode(node)) return evaluate(reader, scope.module, node.literal);
  if (ts.isTypeQueryNode(node) && ts.isIdentifier(node.exprName)) {
    return evaluate(reader, scope.module, node.exprName);
  }
  if (ts.isTupleTypeNode(node)) {
    const items = node.elements.map((element) =>
      valueOfType(reader, ts.isNamedTupleMember(element) ? element.type : element, scope, trail),
    );
    return items.includes(notConstant) ? notConstant : items;
  }
  if (ts.isTypeLiteralNode(node)) return recordOf(reader, node, scope, trail);
  if (ts.isTypeReferenceNode(node)) return referenced(reader, node, scope, trail);
  return notConstant;
}

function recordOf(reader: Reader, node: ts.TypeLiteralNode, scope: Scope, trail: Trail): unknown {
  const entries: [string, unknown][] = [];
  for (const member of node.members) {
    if (!ts.isPropertySignature(member) || !member.type) return notConstant;
    const { name } = member;
    if (!ts.isIdentifier(name) && !ts.isStringLiteralLike(name) && !ts.isNumericLiteral(name)) {
      return notConstant;
    }
    const value = valueOfType(reader, member.type, scope, trail);
    if (value === notConstant) return notConstant;
    entries.push([name.text, value]);
  }
  return Object.fromEntries(entries);
}

/** A type argument, an alias of keywords, or a member of an enum. */
function referenced(
  reader: Reader,
  node: ts.TypeReferenceNode,
  scope: Scope,
  trail: Trail,
): unknown {
  if (ts.isQualifiedName(node.typeName)) {
    const { left, right } = node.typeName;
    if (!ts.isIdentifier(left)) return notConstant;
    const values = evaluate(reader, scope.module, left);
    return typeof values === "object" && values !== null
      ? (values as Record<string, unknown>)[right.text]
      : notConstant;
  }
  const argument = scope.parameters.get(node.typeName.text);
  if (argument) return valueOfType(reader, argument.node, argument.scope, trail);
  const found = reader.modules.resolve(scope.module, node.typeName.text);
  if (found?.is !== "declaration" || !ts.isTypeAliasDeclaration(found.node)) return notConstant;
  // A value that is made of itself is not known.
  if (trail.includes(found.node)) return notConstant;
  return valueOfType(reader, found.node.type, topScope(found.module), [...trail, found.node]);
}
