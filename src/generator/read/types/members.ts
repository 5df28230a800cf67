/** The fields of a class, an interface or an object type. */
import type { Json } from "../../../kube/object.ts";
import type { Schema } from "../../../kube/schema/structural.ts";
import { ts } from "../../load.ts";
import type { Position, PropertyModel, TypeModel } from "../../model.ts";
import { without } from "../../schema-keywords.ts";
import { applyMarks } from "./apply-marks.ts";
import { brandOf } from "../code/brands.ts";
import { descriptionOf } from "../code/documentation.ts";
import { evaluate, notConstant } from "../code/evaluate.ts";
import { leaf, narrow } from "../code/keywords.ts";
import { marksOf } from "../marks/marks.ts";
import type { Module } from "../code/module.ts";
import { whyNotConstant } from "../code/not-constant.ts";
import { type Reader, type Trail, complain } from "../code/reader.ts";
import { NUMBER_NAMES } from "./scalars.ts";
import { settled } from "./type-forms.ts";
import { present } from "../../../present.ts";

type Members = ts.ClassDeclaration | ts.InterfaceDeclaration | ts.TypeLiteralNode;
type FieldNode = ts.PropertyDeclaration | ts.PropertySignature | ts.ParameterDeclaration;

const HIDDEN = new Set<ts.SyntaxKind>([
  ts.SyntaxKind.PrivateKeyword,
  ts.SyntaxKind.ProtectedKeyword,
  ts.SyntaxKind.StaticKeyword,
]);

/** The members between a type's braces. */
export interface MembersModel extends Pick<TypeModel, "properties" | "values"> {
  /** Fields that are optional and immutable: once set, they stay. */
  readonly settableOnce: readonly string[];
}

/** A field, and what its type's object has to know of it. */
export interface FieldModel {
  readonly property: PropertyModel;
  readonly immutable: boolean;
}

/** What is known of a field besides its declaration. */
export interface FieldOptions {
  /** The field that it overrides. */
  readonly base?: PropertyModel;
  /** Its type as the checker computed it. */
  readonly computed?: () => TypeModel;
}

/**
 * The fields, or the values of an index signature. Methods and accessors of a class, static and private members are
 * code.
 */
export function readMembers(
  reader: Reader,
  node: Members,
  module: Module,
  trail: Trail,
  { inherited = [] }: { readonly inherited?: readonly PropertyModel[] } = {},
): MembersModel {
  const properties: PropertyModel[] = [];
  const settableOnce: string[] = [];
  let values: TypeModel | undefined;
  for (const member of [...node.members].flatMap(withParameterProperties)) {
    if (ts.isIndexSignatureDeclaration(member)) {
      values = readIndex(reader, member, module, trail);
    } else if (isFieldDeclaration(member)) {
      const name = plainName(member.name);
      if (isAlwaysAbsent(member)) continue;
      const base = inherited.find((property) => property.name === name);
      const field = readField(reader, member, module, trail, present({ base }));
      if (!field) continue;
      properties.push(field.property);
      if (field.immutable && !field.property.required) settableOnce.push(field.property.name);
    } else if (!ts.isClassDeclaration(node)) {
      complainOfFunction(reader, module, member);
    }
  }
  if (values && properties.length > 0) {
    complain(
      reader,
      { module, node },
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

/** The members with the fields of parameters: `constructor(public name: string)` declares one. */
function withParameterProperties(
  member: ts.ClassElement | ts.TypeElement,
): (ts.ClassElement | ts.TypeElement | ts.ParameterDeclaration)[] {
  if (!ts.isConstructorDeclaration(member)) return [member];
  return member.parameters.filter((one) => ts.isParameterPropertyDeclaration(one, member));
}

/** Whether a field is never there: `name?: never`. */
const isAlwaysAbsent = ({ questionToken, type }: FieldNode): boolean =>
  questionToken !== undefined && type?.kind === ts.SyntaxKind.NeverKeyword;

/** Whether a declaration is that of a field: a property, or a parameter property. */
export function isFieldDeclaration(node: ts.Node): node is FieldNode {
  return ts.isPropertyDeclaration(node) || ts.isPropertySignature(node) || ts.isParameter(node);
}

/** Whether a member of a class is static, or not public. */
export function isHidden(node: ts.Node): boolean {
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  if (modifiers.some(({ kind }) => HIDDEN.has(kind))) return true;
  return ts.isPropertyDeclaration(node) && ts.isPrivateIdentifier(node.name);
}

function readIndex(
  reader: Reader,
  member: ts.IndexSignatureDeclaration,
  module: Module,
  trail: Trail,
): TypeModel | undefined {
  if (isHidden(member)) return undefined;
  const key = member.parameters[0]?.type;
  if (key && key.kind !== ts.SyntaxKind.StringKeyword) {
    const type = reader.modules.checkerFor(module).getTypeFromTypeNode(key);
    if (!(type.flags & ts.TypeFlags.String) || brandOf(type)) {
      complain(
        reader,
        { module, node: member },
        "key-needs-string",
        "The keys of a record are strings in JSON, and a schema cannot constrain them.",
        "Use Record<string, ...>.",
      );
    }
  }
  return settled(reader.readType(reader, member.type, module, trail));
}

function complainOfFunction(
  reader: Reader,
  module: Module,
  member: ts.ClassElement | ts.TypeElement,
): void {
  const name = member.name?.getText(module.file);
  complain(
    reader,
    { module, node: member },
    "type-without-schema",
    `${name === undefined ? "A call signature" : `The member ${name}`} is a function, which is not plain JSON.`,
    "Remove it, and write a function that takes the object.",
  );
}

/** Reads one field, with its markers; `undefined` for one that is not part of the schema. */
export function readField(
  reader: Reader,
  member: FieldNode,
  module: Module,
  trail: Trail,
  options: FieldOptions = {},
): FieldModel | undefined {
  const marks = marksOf(reader, module, member);
  const effects = marks.map(({ definition, values }) => definition.effect(...values));
  if (effects.some(({ ignored }) => ignored)) return undefined;
  if (isHidden(member)) {
    const [mark] = marks;
    if (mark) {
      reader.findings.error(
        mark.at,
        "marker-on-hidden-field",
        `${mark.shown} has no effect on ${member.name.getText(module.file)}, which is static or not public, and so not part of the schema.`,
        "Remove the marker, or make the field public.",
      );
    }
    return undefined;
  }
  const name = nameOf(reader, module, member.name);
  if (name === undefined) return undefined;

  const { base } = options;
  const initial = ts.isPropertySignature(member) ? undefined : member.initializer;
  const replaced = effects.some(({ replaces }) => replaces);
  let type = replaced
    ? leaf({}, reader.modules.at(module, member))
    : (options.computed?.() ?? fieldType(reader, member, { initial, base }, module, trail));
  const description = descriptionOf(member);
  if (description !== undefined) type = narrow(type, { description }, type.at);
  const fallback = initial && defaultOf(reader, module, initial);
  if (fallback !== undefined) {
    type = narrow(type, { default: fallback }, reader.modules.at(module, initial ?? member));
  }
  const applied = applyMarks(reader, type, marks);
  const shaped = applied.type.unread ?? hasShape(applied.type.schema);
  if (!shaped) complainOfShape(reader, module, member, name);
  const maybeAbsent =
    member.questionToken !== undefined ||
    initial !== undefined ||
    (applied.type.maybeUndefined ?? false);
  const asked = applied.required ?? (base && "asked" in base ? base.asked : undefined);
  const shown = applied.immutable
    ? narrow(
        applied.type,
        {
          "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "field is immutable" }],
        },
        applied.type.at,
      )
    : applied.type;
  const property: PropertyModel = {
    name,
    required: asked ?? !maybeAbsent,
    ...(member.questionToken ? { question: true } : {}),
    ...present({ asked }),
    type: shaped ? shown : { ...shown, unread: true },
  };
  return { property, immutable: applied.immutable };
}

/** The type of a field: what is written, what its initialiser makes of it, and what the field it overrides says. */
function fieldType(
  reader: Reader,
  member: FieldNode,
  { initial, base }: { initial: ts.Expression | undefined; base: PropertyModel | undefined },
  module: Module,
  trail: Trail,
): TypeModel {
  // An own field says anew whether it has a default.
  const before = base && { ...base.type, schema: without(base.type.schema, "default") };
  if (!member.type) {
    return before ?? inferred(reader, module, member, initial, trail);
  }
  const own = settled(reader.readType(reader, member.type, module, trail));
  if (!before || own.unread) return own;
  // As in TypeScript, the own type holds; markers and texts of the field that it overrides narrow it.
  const kept = Object.fromEntries(
    [...before.saidAt.keys()].flatMap((keyword) =>
      keyword === "nullable" || !(keyword in before.schema)
        ? []
        : [[keyword, before.schema[keyword as keyof Schema]]],
    ),
  ) as Schema;
  return narrow(own, kept, own.at);
}

const plainName = (name: ts.PropertyName | ts.BindingName): string | undefined =>
  ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)
    ? name.text
    : undefined;

function nameOf(
  reader: Reader,
  module: Module,
  name: ts.PropertyName | ts.BindingName,
): string | undefined {
  const plain = plainName(name);
  if (plain !== undefined) return plain;
  const value = ts.isComputedPropertyName(name) && evaluate(reader, module, name.expression);
  if (typeof value === "string" || typeof value === "number") return String(value);
  complain(
    reader,
    { module, node: name },
    "computed-name",
    "The name of a field is fixed in a schema.",
    "Write the name itself.",
  );
  return undefined;
}

function defaultOf(reader: Reader, module: Module, initial: ts.Expression): Json | undefined {
  const value = evaluate(reader, module, initial);
  if (value === undefined) return undefined;
  if (value !== notConstant) return value as Json;
  complain(
    reader,
    { module, node: initial },
    "default-not-constant",
    `The initialiser \`${initial.getText(module.file)}\` is the default of the field, but its value is known only at run time: ${whyNotConstant(reader, module, initial)}.`,
    "Use a constant, or remove it and write the field with `?` or `!`.",
  );
  return undefined;
}

/** The type of a field without an annotation: that of its initialiser. */
function inferred(
  reader: Reader,
  module: Module,
  member: FieldNode,
  initial: ts.Expression | undefined,
  trail: Trail,
): TypeModel {
  const at = reader.modules.at(module, member);
  if (initial && ts.isAsExpression(initial) && !ts.isConstTypeReference(initial.type)) {
    return settled(reader.readType(reader, initial.type, module, trail));
  }
  const isReadonly = ts.canHaveModifiers(member) && hasReadonly(member);
  if (initial && !isReadonly) {
    if (ts.isStringLiteralLike(initial)) return leaf({ type: "string" }, at);
    if (isBoolean(initial)) return leaf({ type: "boolean" }, at);
  }
  const value = initial && evaluate(reader, module, initial);
  const isNumber = typeof value === "number";
  // An initialiser that is not constant is reported as such.
  const known = initial !== undefined && value !== notConstant && value !== undefined;
  if (known && !isNumber && value !== null && !ts.isPropertySignature(member)) {
    return reader.readChecked(reader, member, module, trail);
  }
  if (value !== notConstant) {
    complain(
      reader,
      { module, node: member },
      isNumber ? "number-needs-format" : "type-missing",
      `The field ${member.name.getText(module.file)} has no type.`,
      isNumber ? `Write ${NUMBER_NAMES}, imported from "tsop".` : "Write its type.",
    );
  }
  return { ...leaf({ "x-kubernetes-preserve-unknown-fields": true }, at), unread: true };
}

const hasReadonly = (node: ts.HasModifiers): boolean =>
  ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword) ?? false;

const isBoolean = ({ kind }: ts.Expression): boolean =>
  kind === ts.SyntaxKind.TrueKeyword || kind === ts.SyntaxKind.FalseKeyword;

/** An object type of these members. */
export function objectOf({ settableOnce, ...children }: MembersModel, at: Position): TypeModel {
  return onceSet({ ...leaf({ type: "object" }, at), ...children }, settableOnce);
}

/** The type with fields that stay once they are set. */
export function onceSet(type: TypeModel, fields: readonly string[]): TypeModel {
  const rules = fields.map((field) => ({
    rule: `!has(oldSelf.${field}) || has(self.${field})`,
    message: `field ${field} is immutable once set`,
  }));
  return rules.length === 0 ? type : narrow(type, { "x-kubernetes-validations": rules }, type.at);
}

/** A field of `unknown` takes anything, which has to be said. */
function hasShape(schema: Schema): boolean {
  return (
    schema.type !== undefined ||
    schema["x-kubernetes-preserve-unknown-fields"] === true ||
    schema["x-kubernetes-int-or-string"] === true
  );
}

function complainOfShape(reader: Reader, module: Module, member: FieldNode, name: string): void {
  complain(
    reader,
    { module, node: member },
    "type-unknown",
    `The field ${name} has no schema.`,
    "Declare its type, or add @PreserveUnknownFields() to keep any content.",
  );
}
