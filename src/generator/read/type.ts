/**
 * Types to schemas.
 *
 * One function per form of type. A form that has no schema is an error with a way out; reading goes on
 * with a placeholder, so that one run shows every mistake.
 *
 * @module
 */
import { ts } from "../load.ts";
import type { Position, TypeModel } from "../model.ts";
import { checkedType } from "./checked-type.ts";
import { leaf, narrow } from "./keywords.ts";
import { literalsOf } from "./literals.ts";
import { objectOf, readReference } from "./named-type.ts";
import { readMembers } from "./members.ts";
import { objectUnion } from "./object-union.ts";
import type { Reader, Scope, Trail } from "./reader.ts";
import { without } from "../schema-keywords.ts";
import { NUMBER_NAMES, scalars } from "./scalars.ts";
import { patternOf } from "./template-type.ts";
import { enumeration, listOf, merge, unsupported } from "./shapes.ts";

const UNIONS_OF_ONE = new Set<ts.SyntaxKind>([
  ts.SyntaxKind.NullKeyword,
  ts.SyntaxKind.UndefinedKeyword,
]);

export function readType(reader: Reader, node: ts.TypeNode, scope: Scope, trail: Trail): TypeModel {
  const at = reader.modules.at(scope.module, node);
  if (ts.isParenthesizedTypeNode(node)) return readType(reader, node.type, scope, trail);
  if (ts.isArrayTypeNode(node)) return listOf(reader, node.elementType, scope, trail, at);
  if (ts.isTupleTypeNode(node)) return tuple(reader, node, scope, trail, at);
  if (ts.isUnionTypeNode(node)) return union(reader, node, scope, trail, at);
  if (ts.isIntersectionTypeNode(node)) {
    return merge(
      node.types.map((part) => readType(reader, part, scope, trail)),
      at,
    );
  }
  if (ts.isTypeLiteralNode(node)) {
    return objectOf(readMembers(reader, node, scope, trail), at);
  }
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword) {
    return readType(reader, node.type, scope, trail);
  }
  if (ts.isTypeReferenceNode(node)) return readReference(reader, node, scope, trail, at);
  if (ts.isTemplateLiteralTypeNode(node)) {
    const pattern = scope.module.builtIn ? undefined : patternOf(reader, node, scope);
    return leaf({ type: "string", ...(pattern === undefined ? {} : { pattern }) }, at);
  }
  if (ts.isMappedTypeNode(node)) return mapped(reader, node, scope, trail, at);
  if (ts.isIndexedAccessTypeNode(node)) {
    const member = memberType(reader, node, scope, trail);
    if (member) return member;
  }
  const values = literalsOf(reader, node, scope);
  if (values) return enumeration(values, scope.module, trail, at);
  if (COMPUTED.has(node.kind)) {
    const checked = checkedType(reader, node, scope, trail, at);
    if (checked) return checked;
  }
  return keyword(reader, node, scope, at);
}

/** Forms of types that the checker is asked for. */
const COMPUTED = new Set<ts.SyntaxKind>([
  ts.SyntaxKind.ConditionalType,
  ts.SyntaxKind.IndexedAccessType,
  ts.SyntaxKind.TypeQuery,
]);

function keyword(reader: Reader, node: ts.TypeNode, scope: Scope, at: Position): TypeModel {
  const { module } = scope;
  switch (node.kind) {
    case ts.SyntaxKind.StringKeyword:
      return leaf({ type: "string" }, at);
    case ts.SyntaxKind.BooleanKeyword:
      return leaf({ type: "boolean" }, at);
    case ts.SyntaxKind.ObjectKeyword:
      return leaf({ type: "object" }, at);
    case ts.SyntaxKind.UnknownKeyword:
      return leaf({}, at);
    case ts.SyntaxKind.AnyKeyword:
      return unsupported(
        reader,
        module,
        node,
        "type-any",
        "`any` has no schema.",
        "Write the type, or `unknown` with @PreserveUnknownFields().",
      );
    case ts.SyntaxKind.NumberKeyword:
      return unsupported(
        reader,
        module,
        node,
        "number-needs-format",
        "`number` does not say which numbers Kubernetes takes.",
        `Write ${NUMBER_NAMES}, imported from "tsop".`,
      );
    default: {
      const shown = node.getText(module.file);
      return unsupported(
        reader,
        module,
        node,
        "type-without-schema",
        `\`${shown.length > 60 ? `${shown.slice(0, 57)}...` : shown}\` cannot be written as a schema.`,
        "Write the type out as a class, an interface, a list, a record or a union of literals.",
      );
    }
  }
}

function tuple(
  reader: Reader,
  node: ts.TupleTypeNode,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel {
  const elements = node.elements.map((element) =>
    ts.isNamedTupleMember(element) ? element.type : element,
  );
  const [first] = elements;
  const same = elements.every(
    (element) => element.getText(scope.module.file) === first?.getText(scope.module.file),
  );
  if (!first || !same || ts.isRestTypeNode(first) || ts.isOptionalTypeNode(first)) {
    return unsupported(
      reader,
      scope.module,
      node,
      "tuple-of-different-types",
      "The items of a list have one schema; this tuple has several.",
      "Use an object with named fields.",
    );
  }
  const type = listOf(reader, first, scope, trail, at);
  return narrow(type, { minItems: elements.length, maxItems: elements.length }, at);
}

function union(
  reader: Reader,
  node: ts.UnionTypeNode,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel {
  const isNull = (part: ts.TypeNode): boolean =>
    ts.isLiteralTypeNode(part) && part.literal.kind === ts.SyntaxKind.NullKeyword;
  const parts = node.types.filter((part) => !isNull(part) && !UNIONS_OF_ONE.has(part.kind));
  const nullable = node.types.some(isNull);
  const type = unionOf(reader, node, parts, scope, trail, at);
  return nullable ? withNull(type, at) : type;
}

/**
 * The API server refuses null where there is an enumeration, even one that has null in it; a rule is not asked
 * about null.
 */
function withNull(type: TypeModel, at: Position): TypeModel {
  const { enum: values } = type.schema;
  if (!values) return narrow(type, { nullable: true }, at);
  const texts = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  const rule = {
    rule: `self in ${JSON.stringify(values)}`,
    message: `must be ${texts.join(", ")} or null`,
  };
  const longest = Math.max(...texts.map((text) => text.length));
  const bound = type.schema.type === "string" ? { maxLength: longest } : {};
  const open = { ...type, schema: without(type.schema, "enum") };
  return narrow(open, { nullable: true, ...bound, "x-kubernetes-validations": [rule] }, at);
}

function unionOf(
  reader: Reader,
  node: ts.UnionTypeNode,
  parts: readonly ts.TypeNode[],
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel {
  const [only] = parts;
  if (only && parts.length === 1) return reader.readType(reader, only, scope, trail);
  const values = parts.map((part) => literalsOf(reader, part, scope));
  if (!values.includes(undefined)) {
    return enumeration(
      values.flatMap((value) => value ?? []),
      scope.module,
      trail,
      at,
    );
  }
  const kinds = new Set(parts.map((part) => primitive(part)));
  if (kinds.size === 2 && kinds.has("number") && kinds.has("string")) {
    return leaf({ ...scalars.get("IntOrString") }, at);
  }
  const objects = kinds.size === 1 && kinds.has("object");
  const arms = objects ? parts.map((part) => reader.readType(reader, part, scope, trail)) : [];
  const merged = objects ? objectUnion(arms, at) : undefined;
  if (merged) return merged;
  return unsupported(
    reader,
    scope.module,
    node,
    "union-without-schema",
    "A field has one type in a CRD; this union has several that nothing tells apart.",
    'Give each object a tag, `{ type: "a"; ... } | { type: "b"; ... }`, or one field of its own.',
  );
}

function primitive(node: ts.TypeNode): string {
  if (node.kind === ts.SyntaxKind.NumberKeyword) return "number";
  if (node.kind === ts.SyntaxKind.StringKeyword) return "string";
  if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) {
    const { type } = scalars.get(node.typeName.text) ?? {};
    return type === "integer" ? "number" : (type ?? "object");
  }
  return "object";
}

function mapped(
  reader: Reader,
  node: ts.MappedTypeNode,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel {
  const { constraint } = node.typeParameter;
  if (!constraint || !node.type || node.nameType) return keyword(reader, node, scope, at);
  const { type: valueNode, questionToken } = node;
  const names = literalsOf(reader, constraint, scope);
  const source = names ? undefined : keyedObject(reader, constraint, scope, trail);
  const keys = names?.map((name) => ({ name: String(name), required: true })) ?? source?.properties;
  if (!keys) {
    return {
      ...leaf({ type: "object" }, at),
      values: reader.readType(reader, valueNode, scope, trail),
    };
  }
  const properties = keys.map(({ name, required }) => {
    const key = ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(name));
    const bound = new Map(scope.parameters).set(node.typeParameter.name.text, {
      node: key,
      scope,
      trail,
    });
    const type = reader.readType(reader, valueNode, { ...scope, parameters: bound }, trail);
    const stays = questionToken === undefined ? required : isMinus(questionToken);
    return { name, required: stays, type };
  });
  return { ...leaf({ type: "object" }, at), properties };
}

/** `-?` takes the question mark away. */
const isMinus = ({ kind }: ts.Node): boolean => kind === ts.SyntaxKind.MinusToken;

/** `keyof T`, where `T` is an object with named fields. */
function keyedObject(
  reader: Reader,
  constraint: ts.TypeNode,
  scope: Scope,
  trail: Trail,
): TypeModel | undefined {
  const isKeyOf =
    ts.isTypeOperatorNode(constraint) && constraint.operator === ts.SyntaxKind.KeyOfKeyword;
  return isKeyOf ? reader.readType(reader, constraint.type, scope, trail) : undefined;
}

function memberType(
  reader: Reader,
  node: ts.IndexedAccessTypeNode,
  scope: Scope,
  trail: Trail,
): TypeModel | undefined {
  const [name, ...more] = literalsOf(reader, node.indexType, scope) ?? [];
  if (typeof name !== "string" || more.length > 0 || ts.isTypeQueryNode(node.objectType)) {
    return undefined;
  }
  const object = reader.readType(reader, node.objectType, scope, trail);
  return object.properties?.find((property) => property.name === name)?.type;
}
