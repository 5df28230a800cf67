/** Types by name: what the user declared or imported, the scalars of tsop, the built-in types. */
import type { Schema } from "../../../kube/schema/structural.ts";
import { ts } from "../../load.ts";
import type { Position, TypeModel } from "../../model.ts";
import { without } from "../../schema-keywords.ts";
import { descriptionOf } from "../code/documentation.ts";
import { enumValues } from "../code/evaluate.ts";
import { leaf } from "../code/keywords.ts";
import type { Declaration, Module } from "../code/module.ts";
import { count, type Found, type Reader, type Trail } from "../code/reader.ts";
import { marksOf } from "../marks/marks.ts";
import { applyMarks } from "./apply-marks.ts";
import { constrainedType } from "./constrained-type.ts";
import { intersection } from "./intersection.ts";
import { LIBRARY_VALUES, libraryFix } from "./library-values.ts";
import { areOfOneType, type Literal, literalsOf } from "./literals.ts";
import { objectOf, onceSet, readMembers } from "./members.ts";
import { builtIns, isMetadata, metadataFields, scalars } from "./scalars.ts";
import { enumeration, listOf, settled, unsupported } from "./type-forms.ts";
import { contradicting, foreign, recursive, wayToType, whyNotEnum } from "./type-mistakes.ts";

/** The schema of a type by its name. */
export function readReference(
  reader: Reader,
  node: ts.TypeReferenceNode,
  module: Module,
  trail: Trail,
  at: Position,
): TypeModel {
  const name = node.typeName.getText(module.file);
  const isQualified = ts.isQualifiedName(node.typeName);
  const found = isQualified
    ? qualified(reader, node.typeName, module)
    : reader.modules.resolve(module, name);
  if (isQualified || (!found && /^(?:Exclude|Extract)$/.test(name))) {
    const values = literalsOf(reader, node, module);
    if (values && areOfOneType(values)) return enumeration(values, module, trail, at);
  }
  if (found?.is === "tsop") {
    const scalar = scalars.get(found.name);
    if (scalar) return leaf({ ...scalar }, at);
    const constrained = constrainedType(reader, node, found.name, module, trail);
    if (constrained) return constrained;
  }
  if (found?.is === "declaration") {
    if (!isGeneric(found.node)) {
      return readDeclared(reader, { ...found, trail, from: node, in: module });
    }
    const type = reader.readChecked(reader, node, module, trail);
    // A class or an interface is described where it is computed.
    return ts.isTypeAliasDeclaration(found.node) && !type.unread
      ? described(reader, type, found.node, found.module)
      : type;
  }
  const isOwn = found !== undefined || isQualified;
  const global = name.replace(/^globalThis\./, "");
  if (LIBRARY_VALUES.has(global) && (!isOwn || global !== name)) {
    return unsupported(
      reader,
      { module, node },
      "not-plain-json",
      `${name} is not plain JSON.`,
      libraryFix(global),
    );
  }
  const [first, second] = node.typeArguments ?? [];
  if (!isOwn && first && /^(?:Readonly)?Array$/.test(name)) {
    return listOf(reader, first, module, trail, at);
  }
  if (!isOwn && second && name === "Record" && first?.kind === ts.SyntaxKind.StringKeyword) {
    return recordOf(reader, second, module, trail, at);
  }
  // A namespace's member, or a type of the library: the checker knows whether there is one.
  if (isQualified || LIBRARY.has(name)) return reader.readChecked(reader, node, module, trail);
  return unsupported(
    reader,
    { module, node },
    "unknown-type",
    `There is no type ${name} with a schema.`,
    wayToType(reader, name, module),
  );
}

/** `Record<string, V>`. */
function recordOf(
  reader: Reader,
  value: ts.TypeNode,
  module: Module,
  trail: Trail,
  at: Position,
): TypeModel {
  if (value.kind === ts.SyntaxKind.UnknownKeyword) {
    return leaf({ type: "object", "x-kubernetes-preserve-unknown-fields": true }, at);
  }
  // An object without fields.
  if (value.kind === ts.SyntaxKind.NeverKeyword) return leaf({ type: "object" }, at);
  const values = settled(reader.readType(reader, value, module, trail));
  return { ...leaf({ type: "object" }, at), values };
}

const isGeneric = (node: Declaration): boolean =>
  "typeParameters" in node && node.typeParameters !== undefined;

/** Types of TypeScript's own library that compute others. */
const LIBRARY = new Set(
  (
    "Awaited ReturnType Parameters ConstructorParameters InstanceType NoInfer Exclude Extract Pick Omit Record " +
    "Partial Required Readonly NonNullable Uppercase Lowercase Capitalize Uncapitalize"
  ).split(" "),
);

function qualified(
  reader: Reader,
  { left, right }: ts.QualifiedName,
  module: Module,
): ReturnType<Reader["modules"]["resolve"]> {
  return ts.isIdentifier(left)
    ? memberOfNamespace(reader, module, left.text, right.text)
    : undefined;
}

function memberOfNamespace(
  reader: Reader,
  module: Module,
  left: string,
  right: string,
): ReturnType<Reader["modules"]["resolve"]> {
  const namespace = reader.modules.resolve(module, left);
  return namespace?.is === "namespace" ? reader.modules.resolveIn(namespace, right) : undefined;
}

/** Reads a declaration without type parameters. */
export function readDeclared(reader: Reader, found: Found): TypeModel {
  const { node, module, trail, from } = found;
  const name = node.name?.getText(module.file) ?? "";
  const at = reader.modules.at(found.in, from);
  if (module.builtIn && isMetadata(name)) {
    return { ...leaf({ type: "object" }, at), properties: metadataFields(at), isMetadata: true };
  }
  const special = module.builtIn ? builtIns.get(name) : undefined;
  if (special) return leaf(special, at);
  if (trail.includes(node)) return recursive(reader, from, found.in, node, trail);
  const known = module.builtIn ? reader.modules.builtInModels.get(node) : undefined;
  if (known) {
    count(reader, known.size);
    return known.type;
  }
  const before = reader.size.types;
  const type = foreign(reader, found, (inner) =>
    declaredType(inner, { ...found, trail: [...trail, node] }, at),
  );
  // A type that could not be read has to be reported wherever it is used.
  if (module.builtIn && !reader.findings.hasErrors()) {
    reader.modules.builtInModels.set(node, { type, size: reader.size.types - before });
  }
  return type;
}

function declaredType(
  reader: Reader,
  { node, module, trail, ...use }: Found,
  at: Position,
): TypeModel {
  const place = { module: use.in, node: use.from };
  const name = node.name?.getText(module.file) ?? "";
  if (ts.isTypeAliasDeclaration(node)) {
    const type = reader.readType(reader, node.type, module, trail);
    return described(reader, type, node, module);
  }
  if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) {
    return readObject(reader, node, module, trail);
  }
  if (!ts.isEnumDeclaration(node)) {
    return unsupported(
      reader,
      place,
      "unknown-type",
      `${name} is a value, not a type.`,
      `Write typeof ${name}, or the type itself.`,
    );
  }
  const values = [...enumValues(reader, module, node).values()];
  if (values.some((value) => typeof value === "symbol")) {
    return unsupported(
      reader,
      place,
      "enum-not-constant",
      `Not all values of the enum ${name} are known before the program runs${whyNotEnum(reader, module, node)}.`,
      "Give each member a literal or a constant.",
    );
  }
  if (!areOfOneType(values as Literal[])) {
    return unsupported(
      reader,
      place,
      "enum-of-several-types",
      `The enum ${name} has texts and numbers; a field can have only one type in a CRD.`,
      "Make two enums of it, or give all members texts.",
    );
  }
  const type = enumeration(values as Literal[], module, trail, at);
  return described(reader, type, node, module);
}

function readObject(
  reader: Reader,
  declaration: ts.ClassDeclaration | ts.InterfaceDeclaration,
  module: Module,
  trail: Trail,
): TypeModel {
  const at = reader.modules.at(module, declaration.name ?? declaration);
  const name = declaration.name?.text ?? "";
  const parts = [declaration, ...(module.merged.get(name) ?? [])];
  const bases = parts
    .flatMap(({ heritageClauses = [] }) => [...heritageClauses])
    .filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    .flatMap(({ types }) => [...types])
    .map((base) => readBase(reader, base, module, trail))
    .map((base) => ({ ...base, schema: without(base.schema, "description", "title") }));
  const inherited = bases.flatMap(({ properties = [] }) => properties);
  const members = parts.map((part) => readMembers(reader, part, module, trail, { inherited }));
  const own = members.map((part) => objectOf({ ...part, settableOnce: [] }, at));
  const names = new Set(own.flatMap(({ properties = [] }) => properties.map((one) => one.name)));
  const both = intersection([...bases.map((base) => withoutFields(base, names)), ...own], at);
  const type = "path" in both ? contradicting(reader, declaration, module, both) : { ...both, at };
  return onceSet(
    described(reader, type, declaration, module),
    members.flatMap(({ settableOnce }) => settableOnce),
  );
}

/** The base of a type, without the fields that the type declares itself. */
function withoutFields(base: TypeModel, names: ReadonlySet<string>): TypeModel {
  const { properties, ...rest } = base;
  return properties
    ? { ...rest, properties: properties.filter(({ name }) => !names.has(name)) }
    : rest;
}

function readBase(
  reader: Reader,
  base: ts.ExpressionWithTypeArguments,
  module: Module,
  trail: Trail,
): TypeModel {
  const { expression } = base;
  const name = ts.isIdentifier(expression) ? expression.text : undefined;
  const found =
    name !== undefined
      ? reader.modules.resolve(module, name)
      : ts.isPropertyAccessExpression(expression) && ts.isIdentifier(expression.expression)
        ? memberOfNamespace(reader, module, expression.expression.text, expression.name.text)
        : undefined;
  if (found?.is === "declaration" && isTypeDeclaration(found.node)) {
    return isGeneric(found.node)
      ? reader.readChecked(reader, base, module, trail)
      : readDeclared(reader, { ...found, trail, from: base, in: module });
  }
  if (name !== undefined && !found && LIBRARY_VALUES.has(name)) {
    return unsupported(
      reader,
      { module, node: base },
      "not-plain-json",
      `${name} is not plain JSON.`,
      libraryFix(name),
    );
  }
  const isLibrary =
    name !== undefined && !found && (LIBRARY.has(name) || /^(?:Readonly)?Array$/.test(name));
  if (isLibrary || found?.is === "declaration" || name === undefined) {
    return reader.readChecked(reader, base, module, trail);
  }
  return unsupported(
    reader,
    { module, node: base },
    "unknown-type",
    `There is no type ${expression.getText(module.file)} to extend.`,
    "Declare it, or import it.",
  );
}

const isTypeDeclaration = (node: Declaration): boolean =>
  ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);

/** The type with the description and the markers of its declaration. */
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
