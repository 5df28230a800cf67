/**
 * Turns types into schemas.
 *
 * The meaning of a type is what TypeScript's checker says of it (checked-type.ts). Asking it costs a second, so that
 * forms on which both agree, whatever is in them, are read as they are written: names, lists, objects, unions.
 * A form that has no schema is an error with a way out; reading goes on with a placeholder, so that one run shows
 * every mistake.
 */
import { ts } from "../../load.ts";
import type { Position, TypeModel } from "../../model.ts";
import { leaf, narrow } from "../code/keywords.ts";
import type { Module } from "../code/module.ts";
import { count, type Reader, type Trail } from "../code/reader.ts";
import { areOfOneType, literalsOf } from "./literals.ts";
import { objectOf, readMembers } from "./members.ts";
import { readReference } from "./named-type.ts";
import { NUMBER_NAMES } from "./scalars.ts";
import { enumeration, listOf, unsupported } from "./type-forms.ts";
import { unionOf } from "./union.ts";

/** Reads a type; a type that TypeScript has to compute is asked of its checker. */
export function readType(
  reader: Reader,
  node: ts.TypeNode,
  module: Module,
  trail: Trail,
): TypeModel {
  const at = reader.modules.at(module, node);
  count(reader);
  if (ts.isParenthesizedTypeNode(node)) return readType(reader, node.type, module, trail);
  if (ts.isArrayTypeNode(node)) return listOf(reader, node.elementType, module, trail, at);
  if (ts.isUnionTypeNode(node)) return union(reader, node, module, trail, at);
  if (ts.isTypeLiteralNode(node)) {
    const type = objectOf(readMembers(reader, node, module, trail), at);
    return node.members.length === 0 ? { ...type, isBare: true } : type;
  }
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword) {
    return readType(reader, node.type, module, trail);
  }
  if (ts.isTypeReferenceNode(node)) return readReference(reader, node, module, trail, at);
  const values = literalsOf(reader, node, module);
  if (values && areOfOneType(values)) return enumeration(values, module, trail, at);
  if (COMPUTED.has(node.kind)) return reader.readChecked(reader, node, module, trail);
  return keyword(reader, node, module, at);
}

/** Forms of types that the checker is asked for. */
const COMPUTED = new Set<ts.SyntaxKind>([
  ts.SyntaxKind.ConditionalType,
  ts.SyntaxKind.ImportType,
  ts.SyntaxKind.IndexedAccessType,
  ts.SyntaxKind.IntersectionType,
  ts.SyntaxKind.MappedType,
  ts.SyntaxKind.TemplateLiteralType,
  ts.SyntaxKind.TupleType,
  ts.SyntaxKind.TypeOperator,
  ts.SyntaxKind.TypeQuery,
]);

function keyword(reader: Reader, node: ts.TypeNode, module: Module, at: Position): TypeModel {
  switch (node.kind) {
    case ts.SyntaxKind.StringKeyword:
      return leaf({ type: "string" }, at);
    case ts.SyntaxKind.BooleanKeyword:
      return leaf({ type: "boolean" }, at);
    case ts.SyntaxKind.ObjectKeyword:
      return { ...leaf({ type: "object" }, at), isBare: true };
    case ts.SyntaxKind.UnknownKeyword:
      return leaf({}, at);
    case ts.SyntaxKind.AnyKeyword:
      return unsupported(
        reader,
        { module, node },
        "type-any",
        "`any` has no schema.",
        "Write the type, or `unknown` with @PreserveUnknownFields().",
      );
    case ts.SyntaxKind.NumberKeyword:
      return unsupported(
        reader,
        { module, node },
        "number-needs-format",
        "`number` does not specify the number format for Kubernetes.",
        `Write ${NUMBER_NAMES}, imported from "tsop".`,
      );
    default: {
      const shown = node.getText(module.file);
      return unsupported(
        reader,
        { module, node },
        "type-without-schema",
        `\`${shown.length > 60 ? `${shown.slice(0, 57)}...` : shown}\` cannot be written as a schema.`,
        "Write the type out as a class, an interface, a list, a record or a union of literals.",
      );
    }
  }
}

function union(
  reader: Reader,
  node: ts.UnionTypeNode,
  module: Module,
  trail: Trail,
  at: Position,
): TypeModel {
  const isNull = (part: ts.TypeNode): boolean =>
    ts.isLiteralTypeNode(part) && part.literal.kind === ts.SyntaxKind.NullKeyword;
  const isUndefined = ({ kind }: ts.TypeNode): boolean => kind === ts.SyntaxKind.UndefinedKeyword;
  const parts = node.types.filter((part) => !isNull(part) && !isUndefined(part));
  const type = membersOf(reader, node, parts, module, trail);
  const nullable: TypeModel = node.types.some(isNull)
    ? { ...narrow(type, { nullable: true }, at), orNull: true }
    : type;
  return node.types.some(isUndefined) ? { ...nullable, maybeUndefined: true } : nullable;
}

function membersOf(
  reader: Reader,
  node: ts.UnionTypeNode,
  parts: readonly ts.TypeNode[],
  module: Module,
  trail: Trail,
): TypeModel {
  const at = reader.modules.at(module, node);
  const values = parts.map((part) => literalsOf(reader, part, module));
  const all = values.flatMap((value) => value ?? []);
  if (parts.length > 1 && areOfOneType(all) && !values.includes(undefined)) {
    return enumeration(all, module, trail, at);
  }
  // Beside a text a number needs no format: the two are an int-or-string.
  const isEither = parts.some(({ kind }) => kind === ts.SyntaxKind.StringKeyword);
  const members = parts.map((part) =>
    isEither && part.kind === ts.SyntaxKind.NumberKeyword
      ? leaf({ type: "integer" }, at)
      : reader.readType(reader, part, module, trail),
  );
  return (
    unionOf(members, at) ??
    unsupported(
      reader,
      { module, node },
      "union-without-schema",
      "A field has one type in a CRD; this union has several that nothing tells apart.",
      'Give each object a tag, `{ type: "a"; ... } | { type: "b"; ... }`, or its own field.',
    )
  );
}
