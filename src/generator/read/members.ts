/**
 * The fields of a class, an interface or an object type.
 *
 * @module
 */
import type { Json } from "../../kube/object.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { ts } from "../load.ts";
import type { PropertyModel, TypeModel } from "../model.ts";
import { applyMarks } from "./apply-marks.ts";
import { descriptionOf } from "./documentation.ts";
import { evaluate, notConstant } from "./evaluate.ts";
import { leaf, narrow } from "./keywords.ts";
import { marksOf } from "./marks.ts";
import type { Module } from "./module.ts";
import { type Reader, type Scope, type Trail, complain } from "./reader.ts";
import { NUMBER_NAMES } from "./scalars.ts";

type Members = ts.ClassDeclaration | ts.InterfaceDeclaration | ts.TypeLiteralNode;
type Field = ts.PropertyDeclaration | ts.PropertySignature;

const HIDDEN = new Set<ts.SyntaxKind>([
  ts.SyntaxKind.PrivateKeyword,
  ts.SyntaxKind.ProtectedKeyword,
  ts.SyntaxKind.StaticKeyword,
]);

/** What stands between a type's braces. */
export interface MembersModel extends Pick<TypeModel, "properties" | "values"> {
  /** Fields that are optional and immutable: once set, they stay. */
  readonly settableOnce: readonly string[];
}

/** The fields, or the values of an index signature. Methods, accessors, static and private members are code. */
export function readMembers(
  reader: Reader,
  node: Members,
  scope: Scope,
  trail: Trail,
): MembersModel {
  const properties: PropertyModel[] = [];
  const settableOnce: string[] = [];
  let values: TypeModel | undefined;
  for (const member of node.members) {
    if (ts.isIndexSignatureDeclaration(member)) {
      values = reader.readType(reader, member.type, scope, trail);
    } else if (ts.isPropertyDeclaration(member) || ts.isPropertySignature(member)) {
      const field = readField(reader, member, scope, trail);
      if (!field) continue;
      properties.push(field.property);
      if (field.immutable && !field.property.required) settableOnce.push(field.property.name);
    }
  }
  if (values && properties.length > 0) {
    complain(
      reader,
      scope.module,
      node,
      "fields-and-index",
      "A schema has either named fields or any fields, not both.",
      "Remove the index signature, and put @PreserveUnknownFields() on the class to keep other fields.",
    );
    values = undefined;
  }
  return {
    ...(properties.length > 0 ? { properties } : {}),
    ...(values ? { values } : {}),
    settableOnce,
  };
}

/** One field, with its markers; `undefined` for one that is no part of the schema. */
export function readField(
  reader: Reader,
  member: Field,
  scope: Scope,
  trail: Trail,
): { property: PropertyModel; immutable: boolean } | undefined {
  const { module } = scope;
  const modifiers = ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : [];
  if (modifiers.some(({ kind }) => HIDDEN.has(kind)) || ts.isPrivateIdentifier(member.name)) {
    return undefined;
  }
  const name = nameOf(reader, module, member.name);
  if (name === undefined) return undefined;
  const marks = marksOf(reader, module, member);
  if (marks.some(({ definition, values }) => definition.effect(...values).ignored))
    return undefined;

  const initial = ts.isPropertyDeclaration(member) ? member.initializer : undefined;
  const replaced = marks.some(({ definition, values }) => definition.effect(...values).replaces);
  let type = replaced
    ? leaf({}, reader.modules.at(module, member))
    : member.type
      ? reader.readType(reader, member.type, scope, trail)
      : inferred(reader, module, member, initial);
  const description = descriptionOf(member);
  if (description !== undefined) type = narrow(type, { description }, type.at);
  const fallback = initial && defaultOf(reader, module, initial);
  if (fallback !== undefined) {
    type = narrow(type, { default: fallback }, reader.modules.at(module, initial ?? member));
  }
  const applied = applyMarks(reader, type, marks);
  const shaped = hasShape(applied.type.schema);
  if (!shaped) complainOfShape(reader, module, member, name);
  const maybeAbsent =
    member.questionToken !== undefined || initial !== undefined || allowsUndefined(member.type);
  const required = applied.required ?? !maybeAbsent;
  const shown = applied.immutable
    ? narrow(
        applied.type,
        {
          "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "field is immutable" }],
        },
        applied.type.at,
      )
    : applied.type;
  const model: TypeModel = shaped ? shown : { ...shown, unread: true };
  return { property: { name, required, type: model }, immutable: applied.immutable };
}

function nameOf(reader: Reader, module: Module, name: ts.PropertyName): string | undefined {
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) {
    return name.text;
  }
  complain(
    reader,
    module,
    name,
    "computed-name",
    "The name of a field is fixed in a schema.",
    "Write the name itself.",
  );
  return undefined;
}

function allowsUndefined(node: ts.TypeNode | undefined): boolean {
  return (
    node !== undefined &&
    ts.isUnionTypeNode(node) &&
    node.types.some(({ kind }) => kind === ts.SyntaxKind.UndefinedKeyword)
  );
}

function defaultOf(reader: Reader, module: Module, initial: ts.Expression): Json | undefined {
  const value = evaluate(reader, module, initial);
  if (value === undefined) return undefined;
  if (value !== notConstant) return value as Json;
  complain(
    reader,
    module,
    initial,
    "default-not-constant",
    `The initialiser \`${initial.getText(module.file)}\` is the default of the field, and not known before the program runs.`,
    "Use a constant, or remove it and write the field with `?` or `!`.",
  );
  return undefined;
}

/** The type of a field without an annotation: that of its initialiser. */
function inferred(
  reader: Reader,
  module: Module,
  member: Field,
  initial: ts.Expression | undefined,
): TypeModel {
  const at = reader.modules.at(module, member);
  const value = initial && evaluate(reader, module, initial);
  if (typeof value === "string") return leaf({ type: "string" }, at);
  if (typeof value === "boolean") return leaf({ type: "boolean" }, at);
  const isNumber = typeof value === "number";
  complain(
    reader,
    module,
    member,
    isNumber ? "number-needs-format" : "type-missing",
    `The field ${member.name.getText(module.file)} has no type.`,
    isNumber ? `Write ${NUMBER_NAMES}, imported from "tsop".` : "Write its type.",
  );
  return { ...leaf({ "x-kubernetes-preserve-unknown-fields": true }, at), unread: true };
}

/** A field of `unknown` takes anything, which has to be said. */
function hasShape(schema: Schema): boolean {
  return (
    schema.type !== undefined ||
    schema["x-kubernetes-preserve-unknown-fields"] === true ||
    schema["x-kubernetes-int-or-string"] === true
  );
}

function complainOfShape(reader: Reader, module: Module, member: Field, name: string): void {
  complain(
    reader,
    module,
    member,
    "type-unknown",
    `The field ${name} has no schema.`,
    "Write its type, or put @PreserveUnknownFields() on it to keep whatever it holds.",
  );
}
