/**
 * Types to schemas.
 *
 * One function per form of type. A form that has no schema is an error with a way out; reading goes on
 * with a placeholder, so that one run shows every mistake.
 *
 * @module
 */
import type { Json } from "../../kube/object.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { ts } from "../load.ts";
import type { Position, PropertyModel, TypeModel } from "../model.ts";
import { didYouMean } from "../nearest-name.ts";
import { applyMarks } from "./apply-marks.ts";
import { descriptionOf } from "./documentation.ts";
import { leaf, narrow } from "./keywords.ts";
import { literalsOf } from "./literals.ts";
import { type MembersModel, readMembers } from "./members.ts";
import { marksOf } from "./marks.ts";
import type { Declaration, Module } from "./module.ts";
import {
  type Reader,
  type Scope,
  type Trail,
  type TypeArgument,
  complain,
  topScope,
} from "./reader.ts";
import { NUMBER_NAMES, builtIns, scalars } from "./scalars.ts";

const UNIONS_OF_ONE = new Set<ts.SyntaxKind>([
  ts.SyntaxKind.NullKeyword,
  ts.SyntaxKind.UndefinedKeyword,
]);

/** The schema of a type. `undefined` in a union is left out: whether a field is required is its own matter. */
export function readType(reader: Reader, node: ts.TypeNode, scope: Scope, trail: Trail): TypeModel {
  const at = reader.modules.at(scope.module, node);
  if (ts.isParenthesizedTypeNode(node)) return readType(reader, node.type, scope, trail);
  if (ts.isArrayTypeNode(node)) return list(reader, node.elementType, scope, trail, at);
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
  if (ts.isTypeReferenceNode(node)) return reference(reader, node, scope, trail, at);
  if (ts.isTemplateLiteralTypeNode(node)) return leaf({ type: "string" }, at);
  if (ts.isMappedTypeNode(node)) return mapped(reader, node, scope, trail, at);
  if (ts.isIndexedAccessTypeNode(node)) {
    const member = memberType(reader, node, scope, trail);
    if (member) return member;
  }
  const values = literalsOf(reader, node, scope);
  if (values) return enumeration(values, scope.module, trail, at);
  return keyword(reader, node, scope, at);
}

/** A type without a schema: noted, and passed over. */
function unsupported(
  reader: Reader,
  module: Module,
  node: ts.Node,
  code: string,
  message: string,
  fix: string,
): TypeModel {
  complain(reader, module, node, code, message, fix);
  return leaf({ "x-kubernetes-preserve-unknown-fields": true }, reader.modules.at(module, node));
}

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

function list(
  reader: Reader,
  element: ts.TypeNode,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel {
  return { ...leaf({ type: "array" }, at), items: readType(reader, element, scope, trail) };
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
  const type = list(reader, first, scope, trail, at);
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
  return nullable ? narrow(type, { nullable: true }, at) : type;
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
  if (only && parts.length === 1) return readType(reader, only, scope, trail);
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
  return unsupported(
    reader,
    scope.module,
    node,
    "union-without-schema",
    "A field has one type in a CRD; this union has several.",
    "Use an object with one optional field for each, and @ExactlyOneOf on its class.",
  );
}

/** `number` or `string` for a type that is written as one; anything else for others. */
function primitive(node: ts.TypeNode): string {
  if (node.kind === ts.SyntaxKind.NumberKeyword) return "number";
  if (node.kind === ts.SyntaxKind.StringKeyword) return "string";
  if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) {
    const { type } = scalars.get(node.typeName.text) ?? {};
    return type === "integer" ? "number" : (type ?? "object");
  }
  return "object";
}

/** Kubernetes enforces few of its own enumerations in schemas; one of a condition's it does. */
const ENFORCED = "Condition";

function enumeration(
  values: readonly Json[],
  module: Module,
  trail: Trail,
  at: Position,
): TypeModel {
  const unique = [...new Set(values)];
  const open = module.builtIn && trail.at(-1)?.name?.getText() !== ENFORCED;
  const only: Schema = open ? {} : { enum: unique };
  if (unique.every((value) => typeof value === "string"))
    return leaf({ type: "string", ...only }, at);
  if (unique.every((value) => typeof value === "boolean")) {
    return leaf({ type: "boolean", ...(unique.length === 1 ? only : {}) }, at);
  }
  const whole = unique.every((value) => Number.isInteger(value));
  return leaf({ type: whole ? "integer" : "number", ...only }, at);
}

/** Several types in one: fields of the later ones win. */
export function merge(types: readonly TypeModel[], at: Position): TypeModel {
  const properties = new Map<string, PropertyModel>();
  let type: TypeModel = leaf({ type: "object" }, at);
  for (const part of types) {
    for (const property of part.properties ?? []) properties.set(property.name, property);
    type = narrow(type, part.schema, at);
    if (part.values) type = { ...type, values: part.values };
  }
  return { ...type, ...(properties.size > 0 ? { properties: [...properties.values()] } : {}) };
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
  const values = readType(reader, node.type, scope, trail);
  const names = literalsOf(reader, constraint, scope);
  if (!names) return { ...leaf({ type: "object" }, at), values };
  const required = node.questionToken === undefined;
  return {
    ...leaf({ type: "object" }, at),
    properties: names.map((name) => ({ name: String(name), required, type: values })),
  };
}

/** `Deployment["spec"]`: the type of a field. */
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
  const object = readType(reader, node.objectType, scope, trail);
  return object.properties?.find((property) => property.name === name)?.type;
}

function reference(
  reader: Reader,
  node: ts.TypeReferenceNode,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel {
  const values = ts.isQualifiedName(node.typeName) ? literalsOf(reader, node, scope) : undefined;
  if (values) return enumeration(values, scope.module, trail, at);
  const name = node.typeName.getText(scope.module.file);
  const argument = scope.parameters.get(name);
  if (argument) return readType(reader, argument.node, argument.scope, trail);
  const found = ts.isQualifiedName(node.typeName)
    ? qualified(reader, node.typeName, scope)
    : reader.modules.resolve(scope.module, name);
  if (found?.is === "tsop") {
    const scalar = scalars.get(found.name);
    if (scalar) return leaf({ ...scalar }, at);
  }
  if (found?.is === "declaration") {
    return declared(reader, node, found.node, found.module, scope, trail);
  }
  const utility = found ? undefined : utilityType(reader, node, name, scope, trail, at);
  if (utility) return utility;
  const names = [...scope.module.declarations.keys(), ...scope.module.imports.keys()];
  return unsupported(
    reader,
    scope.module,
    node,
    "unknown-type",
    `There is no type ${name} with a schema.`,
    scalars.has(name)
      ? `Add ${name} to the import from "tsop".`
      : didYouMean(name, [...names, ...scalars.keys()], "Declare it, or import it."),
  );
}

function qualified(
  reader: Reader,
  { left, right }: ts.QualifiedName,
  scope: Scope,
): ReturnType<Reader["modules"]["resolve"]> {
  if (!ts.isIdentifier(left)) return undefined;
  const namespace = reader.modules.resolve(scope.module, left.text);
  return namespace?.is === "namespace"
    ? reader.modules.resolveIn(namespace, right.text)
    : undefined;
}

function declared(
  reader: Reader,
  node: ts.TypeReferenceNode | ts.ExpressionWithTypeArguments,
  declaration: Declaration,
  module: Module,
  scope: Scope,
  trail: Trail,
): TypeModel {
  const at = reader.modules.at(scope.module, node);
  const name = declaration.name?.getText(module.file) ?? "";
  const special = module.builtIn ? builtIns.get(name) : undefined;
  if (special) return leaf(withDescription(special, descriptionOf(declaration)), at);
  if (trail.includes(declaration)) {
    const cycle = [...trail.slice(trail.indexOf(declaration)), declaration]
      .map((step) => step.name?.getText() ?? "")
      .join(" -> ");
    return unsupported(
      reader,
      scope.module,
      node,
      "recursive-type",
      `${cycle}: a schema cannot contain itself.`,
      "Put @PreserveUnknownFields() with the type `unknown` on the field, or write out as many levels as you need.",
    );
  }
  const inner = bind(declaration, module, node.typeArguments, scope);
  const deeper = [...trail, declaration];
  if (ts.isTypeAliasDeclaration(declaration)) {
    const type = readType(reader, declaration.type, inner, deeper);
    return described(reader, type, declaration, module);
  }
  if (ts.isEnumDeclaration(declaration)) {
    const values = literalsOf(reader, node as ts.TypeReferenceNode, scope) ?? [];
    return described(reader, enumeration(values, module, trail, at), declaration, module);
  }
  if (ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)) {
    return readObject(reader, declaration, inner, deeper);
  }
  return unsupported(
    reader,
    scope.module,
    node,
    "unknown-type",
    `${name} is a value, not a type.`,
    `Write typeof ${name}, or the type itself.`,
  );
}

/** The schema of a class or an interface, with what it inherits. */
export function readObject(
  reader: Reader,
  declaration: ts.ClassDeclaration | ts.InterfaceDeclaration,
  scope: Scope,
  trail: Trail,
): TypeModel {
  const at = reader.modules.at(scope.module, declaration.name ?? declaration);
  const inherited = (declaration.heritageClauses ?? [])
    .filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    .flatMap(({ types }) => [...types])
    .map((base) => readBase(reader, base, scope, trail));
  const members = readMembers(reader, declaration, scope, trail);
  const own = objectOf({ ...members, settableOnce: [] }, at);
  const bases = inherited.map((base) => {
    const { description: _, title: __, ...schema } = base.schema;
    return { ...base, schema };
  });
  const type = bases.length === 0 ? own : merge([...bases, own], at);
  return onceSet(described(reader, type, declaration, scope.module), members.settableOnce);
}

function objectOf({ settableOnce, ...children }: MembersModel, at: Position): TypeModel {
  return onceSet({ ...leaf({ type: "object" }, at), ...children }, settableOnce);
}

/** A rule on a field runs only where the field is; that it may not go away is a rule of its object. */
function onceSet(type: TypeModel, fields: readonly string[]): TypeModel {
  const rules = fields.map((field) => ({
    rule: `!has(oldSelf.${field}) || has(self.${field})`,
    message: `field ${field} is immutable once set`,
  }));
  return rules.length === 0 ? type : narrow(type, { "x-kubernetes-validations": rules }, type.at);
}

function readBase(
  reader: Reader,
  base: ts.ExpressionWithTypeArguments,
  scope: Scope,
  trail: Trail,
): TypeModel {
  const found = ts.isIdentifier(base.expression)
    ? reader.modules.resolve(scope.module, base.expression.text)
    : undefined;
  if (found?.is === "declaration") {
    return declared(reader, base, found.node, found.module, scope, trail);
  }
  return unsupported(
    reader,
    scope.module,
    base,
    "unknown-type",
    `There is no type ${base.expression.getText(scope.module.file)} to extend.`,
    "Declare it, or import it.",
  );
}

/** A type with the description and the markers of its declaration. */
function described(
  reader: Reader,
  type: TypeModel,
  declaration: Declaration,
  module: Module,
): TypeModel {
  const schema = withDescription(type.schema, descriptionOf(declaration));
  return applyMarks(reader, { ...type, schema }, marksOf(reader, module, declaration)).type;
}

const withDescription = (schema: Schema, description: string | undefined): Schema =>
  description === undefined ? schema : { ...schema, description };

/** The scope inside a declaration: its type parameters stand for the arguments, or for their defaults. */
function bind(
  declaration: Declaration,
  module: Module,
  typeArguments: readonly ts.TypeNode[] | undefined,
  scope: Scope,
): Scope {
  const top = topScope(module);
  if (!("typeParameters" in declaration)) return top;
  const parameters = new Map<string, TypeArgument>();
  declaration.typeParameters?.forEach(({ name, default: fallback }, index) => {
    const given = typeArguments?.[index];
    if (given) parameters.set(name.text, { node: given, scope });
    else if (fallback) parameters.set(name.text, { node: fallback, scope: top });
  });
  return { module, parameters };
}

/** The types of TypeScript's own library that have a schema. */
function utilityType(
  reader: Reader,
  node: ts.TypeReferenceNode,
  name: string,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel | undefined {
  const [first, second] = node.typeArguments ?? [];
  const read = (part: ts.TypeNode): TypeModel => readType(reader, part, scope, trail);
  if (name === "Date") return leaf({ ...scalars.get("Time") }, at);
  if (name === "Uint8Array") return leaf({ ...scalars.get("Base64") }, at);
  if (!first) return undefined;
  switch (name) {
    case "Array":
    case "ReadonlyArray":
      return list(reader, first, scope, trail, at);
    case "Set":
    case "ReadonlySet":
      return narrow(list(reader, first, scope, trail, at), { "x-kubernetes-list-type": "set" }, at);
    case "Readonly":
      return read(first);
    case "NonNullable": {
      const type = read(first);
      const { nullable: _, ...schema } = type.schema;
      return { ...type, schema };
    }
    case "Partial":
    case "Required":
      return withRequired(read(first), name === "Required");
    default:
      return second && twoArguments(reader, name, first, second, scope, trail, at);
  }
}

function twoArguments(
  reader: Reader,
  name: string,
  first: ts.TypeNode,
  second: ts.TypeNode,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel | undefined {
  if (name === "Record" || name === "Map" || name === "ReadonlyMap") {
    return recordOf(reader, first, second, scope, trail, at);
  }
  const names = new Set((literalsOf(reader, second, scope) ?? []).map(String));
  if (name !== "Pick" && name !== "Omit") {
    const values = literalsOf(reader, first, scope)?.filter(
      (value) => names.has(String(value)) === (name === "Extract"),
    );
    const known = name === "Exclude" || name === "Extract";
    return known && values ? enumeration(values, scope.module, trail, at) : undefined;
  }
  const type = readType(reader, first, scope, trail);
  return {
    ...type,
    properties: (type.properties ?? []).filter(
      (property) => names.has(property.name) === (name === "Pick"),
    ),
  };
}

function recordOf(
  reader: Reader,
  key: ts.TypeNode,
  value: ts.TypeNode,
  scope: Scope,
  trail: Trail,
  at: Position,
): TypeModel {
  const names = literalsOf(reader, key, scope);
  if (names && !scope.module.builtIn) {
    const type = readType(reader, value, scope, trail);
    const properties = names.map((name) => ({ name: String(name), required: true, type }));
    return { ...leaf({ type: "object" }, at), properties };
  }
  const keys = names ? undefined : readType(reader, key, scope, trail);
  if (keys && keys.schema.type !== "string") {
    return unsupported(
      reader,
      scope.module,
      key,
      "key-needs-string",
      "The keys of a record are strings in JSON.",
      "Use Record<string, ...>.",
    );
  }
  if (value.kind === ts.SyntaxKind.UnknownKeyword) {
    return leaf({ type: "object", "x-kubernetes-preserve-unknown-fields": true }, at);
  }
  return { ...leaf({ type: "object" }, at), values: readType(reader, value, scope, trail) };
}

function withRequired(type: TypeModel, required: boolean): TypeModel {
  return {
    ...type,
    properties: (type.properties ?? []).map((property) => ({ ...property, required })),
  };
}
