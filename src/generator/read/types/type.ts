/**
 * Turns types into schemas.
 *
 * One function per form of type. A form that has no schema is an error with a way out; reading goes on
 * with a placeholder, so that one run shows every mistake.
 */
import { ts } from "../../load.ts";
import type { Position, PropertyModel, TypeModel } from "../../model.ts";
import { intersection } from "./intersection.ts";
import { leaf, narrow } from "../code/keywords.ts";
import { areOfOneType, literalsOf } from "./literals.ts";
import { orAsk, readReference } from "./named-type.ts";
import { objectOf, readMembers } from "./members.ts";
import { isPlainObject, readPicked } from "./picked.ts";
import { attempt, count, type Reader, type Scope, type Trail } from "../code/reader.ts";
import { NUMBER_NAMES } from "./scalars.ts";
import { patternOf } from "./template-type.ts";
import { enumeration, isBrandable, listOf, settled, unsupported } from "./type-forms.ts";
import { unionOf } from "./union.ts";

/** Reads a type; a type that TypeScript has to compute is asked of its checker. */
export function readType(reader: Reader, node: ts.TypeNode, scope: Scope, trail: Trail): TypeModel {
  const at = reader.modules.at(scope.module, node);
  count(reader);
  if (ts.isParenthesizedTypeNode(node)) return readType(reader, node.type, scope, trail);
  if (ts.isArrayTypeNode(node)) return listOf(reader, node.elementType, scope, trail, at);
  if (ts.isTupleTypeNode(node)) return tuple(reader, node, scope, trail, at);
  if (ts.isUnionTypeNode(node)) return union(reader, node, scope, trail, at);
  if (ts.isIntersectionTypeNode(node)) return intersected(reader, node, scope, trail, at);
  if (ts.isTypeLiteralNode(node)) {
    const type = objectOf(readMembers(reader, node, scope, trail), at);
    return node.members.length === 0 ? { ...type, isBare: true } : type;
  }
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword) {
    return readType(reader, node.type, scope, trail);
  }
  if (ts.isTypeReferenceNode(node)) return readReference(reader, node, scope, trail, at);
  if (ts.isTemplateLiteralTypeNode(node)) {
    if (scope.module.builtIn) return leaf({ type: "string" }, at);
    const texts = literalsOf(reader, node, scope);
    if (texts && texts.length > 0) return enumeration(texts, scope.module, trail, at);
    const pattern = patternOf(reader, node, scope);
    if (pattern === undefined) return reader.readChecked(reader, node, scope, trail);
    return leaf({ type: "string", pattern }, at);
  }
  if (ts.isMappedTypeNode(node)) return mapped(reader, node, scope, trail, at);
  const values = literalsOf(reader, node, scope);
  if (values && areOfOneType(values)) return enumeration(values, scope.module, trail, at);
  if (ts.isIndexedAccessTypeNode(node)) {
    const member = memberType(reader, node, scope, trail);
    if (member) return member;
  }
  if (COMPUTED.has(node.kind)) return reader.readChecked(reader, node, scope, trail);
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.KeyOfKeyword) {
    return reader.readChecked(reader, node, scope, trail);
  }
  return keyword(reader, node, scope, at);
}

/** Forms of types that the checker is asked for. */
const COMPUTED = new Set<ts.SyntaxKind>([
  ts.SyntaxKind.ConditionalType,
  ts.SyntaxKind.IndexedAccessType,
  ts.SyntaxKind.TypeQuery,
  ts.SyntaxKind.ImportType,
]);

function intersected(
  reader: Reader,
  node: ts.IntersectionTypeNode,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel {
  const parts = node.types.map((part) =>
    attempt(reader, (inner) => inner.readType(inner, part, scope, trail)),
  );
  // Beside a text or a number an object is a brand, whatever is in it.
  const isBranded = parts.some(({ result }) => !result.unread && isBrandable(result));
  // A member of an enum is not a text to TypeScript, though it is one in JSON.
  const listed = node.types.filter((_, index) => parts[index]?.result.schema.enum);
  if (listed.length > 1 && listed.some((part) => isEnum(reader, part, scope))) {
    return reader.readChecked(reader, node, scope, trail);
  }
  const kept = isBranded ? parts.filter(({ result }) => isBrandable(result)) : parts;
  for (const { findings } of kept) reader.findings.addAll(findings);
  const both = intersection(
    kept.map(({ result }) => result),
    at,
  );
  if (!("path" in both)) return withoutMixture(reader, node, scope, both);
  const where = both.path.length === 0 ? "" : `: ${both.path.join(".")}`;
  return unsupported(
    reader,
    { module: scope.module, node },
    "contradiction",
    `No value can satisfy both types${where} would have to be both ${both.first} and ${both.second}.`,
    "Leave the field out of one of them with Omit, or give both the same type.",
  );
}

function isEnum(reader: Reader, node: ts.TypeNode, scope: Scope): boolean {
  if (!ts.isTypeReferenceNode(node)) return false;
  const { typeName } = node;
  const name = ts.isIdentifier(typeName) ? typeName : typeName.left;
  const found = ts.isIdentifier(name) ? reader.modules.resolve(scope.module, name.text) : undefined;
  return found?.is === "declaration" && ts.isEnumDeclaration(found.node);
}

/** An object cannot have named fields and any others. */
function withoutMixture(
  reader: Reader,
  node: ts.TypeNode,
  scope: Scope,
  type: TypeModel,
): TypeModel {
  if (!type.values || !type.properties) return type;
  return unsupported(
    reader,
    { module: scope.module, node },
    "fields-and-index",
    "A schema has either named fields or any fields, not both.",
    "Leave out the record, and put @PreserveUnknownFields() on the field to keep other fields.",
  );
}

function keyword(reader: Reader, node: ts.TypeNode, scope: Scope, at: Position): TypeModel {
  const { module } = scope;
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

function tuple(
  reader: Reader,
  node: ts.TupleTypeNode,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel {
  const elements = node.elements.map((element) =>
    ts.isNamedTupleMember(element) && !element.dotDotDotToken && !element.questionToken
      ? element.type
      : element,
  );
  const [first] = elements;
  const same = elements.every(
    (element) => element.getText(scope.module.file) === first?.getText(scope.module.file),
  );
  const plain = elements.every(
    (element) =>
      !ts.isRestTypeNode(element) &&
      !ts.isOptionalTypeNode(element) &&
      !ts.isNamedTupleMember(element),
  );
  // Items that are optional, or written in several ways, may still be of one type.
  if (!first || !same || !plain) return reader.readChecked(reader, node, scope, trail);
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
  const isUndefined = ({ kind }: ts.TypeNode): boolean => kind === ts.SyntaxKind.UndefinedKeyword;
  const parts = node.types.filter((part) => !isNull(part) && !isUndefined(part));
  const type = membersOf(reader, node, parts, scope, trail);
  const nullable: TypeModel = node.types.some(isNull)
    ? { ...narrow(type, { nullable: true }, at), orNull: true }
    : type;
  return node.types.some(isUndefined) ? { ...nullable, maybeUndefined: true } : nullable;
}

function membersOf(
  reader: Reader,
  node: ts.UnionTypeNode,
  parts: readonly ts.TypeNode[],
  scope: Scope,
  trail: Trail,
): TypeModel {
  const at = reader.modules.at(scope.module, node);
  const values = parts.map((part) => literalsOf(reader, part, scope));
  const all = values.flatMap((value) => value ?? []);
  if (parts.length > 1 && areOfOneType(all) && !values.includes(undefined)) {
    return enumeration(all, scope.module, trail, at);
  }
  // Beside a text a number needs no format: the two are an int-or-string.
  const isEither = parts.some(({ kind }) => kind === ts.SyntaxKind.StringKeyword);
  const members = parts.map((part) =>
    isEither && part.kind === ts.SyntaxKind.NumberKeyword
      ? leaf({ type: "number" }, at)
      : reader.readType(reader, part, scope, trail),
  );
  return (
    unionOf(members, at) ??
    unsupported(
      reader,
      { module: scope.module, node },
      "union-without-schema",
      "A field has one type in a CRD; this union has several that nothing tells apart.",
      'Give each object a tag, `{ type: "a"; ... } | { type: "b"; ... }`, or its own field.',
    )
  );
}

function mapped(
  reader: Reader,
  node: ts.MappedTypeNode,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel {
  const { constraint } = node.typeParameter;
  const ask = (): TypeModel => reader.readChecked(reader, node, scope, trail);
  if (!constraint || !node.type || node.nameType) return ask();
  const { type: valueNode, questionToken } = node;
  const names = literalsOf(reader, constraint, scope);
  if (!names && constraint.kind === ts.SyntaxKind.StringKeyword) {
    const values = reader.readType(reader, valueNode, scope, trail);
    return { ...leaf({ type: "object" }, at), values: settled(values) };
  }
  // `[K in Keys]-?` may be that of a parameter, which knows whose keys they are.
  if (names && questionToken && isMinus(questionToken)) return ask();
  const source = names ? undefined : keyedObject(reader, constraint, scope, trail);
  if (source && !isPlainObject(source)) return ask();
  const keys =
    names?.map((name): KeyedField => ({ name: String(name), required: true })) ??
    source?.properties;
  if (!keys) return ask();
  const read = (inner: Reader): TypeModel => {
    const properties = keys.map((key) => {
      const text = ts.setTextRange(
        ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(key.name)),
        constraint,
      );
      const bound = new Map(scope.parameters).set(node.typeParameter.name.text, {
        node: text,
        scope,
        trail,
      });
      const type = inner.readType(inner, valueNode, { ...scope, parameters: bound }, trail);
      return mappedField(key, type, questionToken);
    });
    return { ...leaf({ type: "object" }, at), properties };
  };
  return orAsk(reader, node, scope, trail, { read });
}

type KeyedField = Omit<PropertyModel, "type">;

/** A field of a mapped type, which has the question mark of its key's field unless it says another. */
function mappedField(
  { name, required, question, asked }: KeyedField,
  type: TypeModel,
  token: ts.MappedTypeNode["questionToken"],
): PropertyModel {
  const said = asked === undefined ? {} : { asked };
  if (token && isMinus(token)) {
    const { maybeUndefined, ...rest } = type;
    const isAlways = maybeUndefined === undefined || question === true;
    const without = question ? rest : type;
    return {
      name,
      required: isAlways && type.schema.default === undefined,
      ...said,
      type: settled(without),
    };
  }
  if (token) return { name, required: false, question: true, ...said, type: settled(type) };
  const maybe = question ?? type.maybeUndefined;
  return {
    name,
    required: required && !maybe,
    ...(question ? { question } : {}),
    ...said,
    type: settled(type),
  };
}

/** Whether it is `-?`, which takes the question mark away. */
const isMinus = ({ kind }: ts.Node): boolean => kind === ts.SyntaxKind.MinusToken;

/** The object of `keyof T`, where `T` is an object with named fields. */
function keyedObject(
  reader: Reader,
  constraint: ts.TypeNode,
  scope: Scope,
  trail: Trail,
): TypeModel | undefined {
  const isKeyOf =
    ts.isTypeOperatorNode(constraint) && constraint.operator === ts.SyntaxKind.KeyOfKeyword;
  if (!isKeyOf) return undefined;
  const { result, findings } = attempt(reader, (inner) =>
    inner.readType(inner, constraint.type, scope, trail),
  );
  // Of an object without fields, or with fields that have no schema, the checker knows the keys.
  if (!result.properties || findings.hasErrors()) return undefined;
  reader.findings.addAll(findings);
  return result;
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
  const { result: object, findings } = attempt(reader, (inner) =>
    readPicked(inner, node.objectType, scope, trail, (field) => field === name),
  );
  const property = object.properties?.find((field) => field.name === name);
  if (!isPlainObject(object) || !property) return undefined;
  reader.findings.addAll(findings);
  return property.question ? { ...property.type, maybeUndefined: true } : property.type;
}
