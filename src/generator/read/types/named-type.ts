/** Types by name: what the user declared or imported, the scalars of tsop, the built-in types. */
import type { Schema } from "../../../kube/schema/structural.ts";
import { ts } from "../../load.ts";
import type { Position, TypeModel } from "../../model.ts";
import { applyMarks } from "./apply-marks.ts";
import { NeedsArguments } from "./asked.ts";
import { constrainedType } from "./constrained-type.ts";
import { descriptionOf } from "../code/documentation.ts";
import { without } from "../../schema-keywords.ts";
import { intersection } from "./intersection.ts";
import { leaf } from "../code/keywords.ts";
import { LIBRARY_VALUES, libraryFix } from "./library-values.ts";
import { areOfOneType, literalsOf } from "./literals.ts";
import { marksOf } from "../marks/marks.ts";
import { objectOf, onceSet, readMembers } from "./members.ts";
import type { Declaration, Module } from "../code/module.ts";
import {
  attempt,
  count,
  type Found,
  type Keep,
  type Reader,
  type Scope,
  type Trail,
  type TypeArgument,
  topScope,
} from "../code/reader.ts";
import { builtIns, scalars, templateMetadata } from "./scalars.ts";
import { enumeration, unsupported } from "./type-forms.ts";
import { contradicting, foreign, recursive, wayToType, whyNotEnum } from "./type-mistakes.ts";
import { utilityType } from "./utility-type.ts";

/** The schema of a type by its name. */
export function readReference(
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
  if (argument) return reader.readType(reader, argument.node, argument.scope, argument.trail);
  const found = ts.isQualifiedName(node.typeName)
    ? qualified(reader, node.typeName, scope)
    : reader.modules.resolve(scope.module, name);
  if (found?.is === "tsop") {
    const scalar = scalars.get(found.name);
    if (scalar) return leaf({ ...scalar }, at);
    const constrained = constrainedType(reader, node, found.name, scope, trail);
    if (constrained) return constrained;
  }
  if (found?.is === "declaration") {
    return declared(reader, node, found, scope, trail);
  }
  const isOwn = found !== undefined || ts.isQualifiedName(node.typeName);
  const global = name.replace(/^globalThis\./, "");
  if (LIBRARY_VALUES.has(global) && (!isOwn || global !== name)) {
    return unsupported(
      reader,
      { module: scope.module, node },
      "not-plain-json",
      `${name} is not plain JSON.`,
      libraryFix(global),
    );
  }
  const utility = isOwn ? undefined : utilityType(reader, node, name, scope, trail);
  if (utility) return utility;
  // A namespace's member, or a type of the library: the checker knows whether there is one.
  const isThere = ts.isQualifiedName(node.typeName) || LIBRARY.has(name);
  if (isThere) return reader.readChecked(reader, node, scope, trail);
  return unsupported(
    reader,
    { module: scope.module, node },
    "unknown-type",
    `There is no type ${name} with a schema.`,
    wayToType(reader, name, scope.module),
  );
}

/** The way to read a type with type parameters, and to finish the checker's result. */
interface Reading {
  readonly read: (inner: Reader) => TypeModel;
  readonly finish?: (checked: TypeModel) => TypeModel;
}

/**
 * Reads a type with type parameters; where it needs to be computed, the checker is asked for all of
 * it.
 */
export function orAsk(
  reader: Reader,
  node: ts.TypeNode,
  scope: Scope,
  trail: Trail,
  { read, finish }: Reading,
): TypeModel {
  // Within a generic declaration, the checker is asked where the outermost one is used.
  if (scope.parameters.size > 0) return read(reader);
  try {
    const { result, findings } = attempt(reader, read);
    reader.findings.addAll(findings);
    return result;
  } catch (error) {
    if (!(error instanceof NeedsArguments)) throw error;
    const checked = reader.readChecked(reader, node, scope, trail);
    return finish ? finish(checked) : checked;
  }
}

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
  scope: Scope,
): ReturnType<Reader["modules"]["resolve"]> {
  return ts.isIdentifier(left)
    ? memberOfNamespace(reader, scope.module, left.text, right.text)
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

/** A declaration and the file that it is in. */
interface Declared {
  readonly node: Declaration;
  readonly module: Module;
}

function declared(
  reader: Reader,
  node: ts.TypeReferenceNode | ts.ExpressionWithTypeArguments,
  { node: declaration, module }: Declared,
  scope: Scope,
  trail: Trail,
): TypeModel {
  const at = reader.modules.at(scope.module, node);
  const name = declaration.name?.getText(module.file) ?? "";
  if (module.builtIn && isMetadata(name)) return metadataAt(at);
  const special = module.builtIn ? builtIns.get(name) : undefined;
  if (special) return leaf(special, at);
  if (trail.includes(declaration)) return recursive(reader, node, scope.module, declaration, trail);
  const known = module.builtIn ? reader.modules.builtInModels.get(declaration) : undefined;
  if (known) {
    count(reader, known.size);
    return known.type;
  }
  const before = reader.size.types;
  const deeper = [...trail, declaration];
  const read = (inner: Reader): TypeModel => {
    const bound = bind(declaration, module, node.typeArguments, scope, trail);
    return declaredType(inner, node, declaration, { scope: bound, trail: deeper }, scope);
  };
  const finish = (checked: TypeModel): TypeModel =>
    ts.isTypeAliasDeclaration(declaration)
      ? described(reader, checked, declaration, module)
      : checked;
  const isGeneric = "typeParameters" in declaration && declaration.typeParameters !== undefined;
  const type = foreign(
    reader,
    { node: declaration, module, trail, from: node, in: scope.module },
    (inner) => (isGeneric ? orAsk(inner, node, scope, trail, { read, finish }) : read(inner)),
  );
  // A type that could not be read has to be reported wherever it is used.
  if (module.builtIn && !reader.findings.hasErrors()) {
    reader.modules.builtInModels.set(declaration, { type, size: reader.size.types - before });
  }
  return type;
}

/** Reads a class or an interface without type parameters, or some of its fields. */
export function readDeclared(reader: Reader, found: Found, keep?: Keep): TypeModel {
  const { node, module, trail, from } = found;
  const name = node.name?.getText(module.file) ?? "";
  const at = reader.modules.at(found.in, from);
  if (module.builtIn && isMetadata(name)) return metadataAt(at);
  const special = module.builtIn ? builtIns.get(name) : undefined;
  if (special) return leaf(special, at);
  if (trail.includes(node)) return recursive(reader, from, found.in, node, trail);
  if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node)) {
    return unsupported(
      reader,
      { module: found.in, node: from },
      "unknown-type",
      `${name} is not a class or an interface.`,
      "Write the type out.",
    );
  }
  return foreign(reader, found, (inner) =>
    readObject(inner, node, topScope(module), [...trail, node], keep),
  );
}

/** Whether a built-in type is metadata: nested objects are not stored, so each of the types means the same there. */
function isMetadata(name: string): boolean {
  return name === "ObjectMeta" || name === "StoredMeta" || name === "CountedMeta";
}

/** The type of metadata inside a spec. */
function metadataAt(at: Position): TypeModel {
  const properties = [...templateMetadata].map(([name, schema]) => ({
    name,
    required: false,
    type: leaf(schema, at),
  }));
  return { ...leaf({ type: "object" }, at), properties, isMetadata: true };
}

function declaredType(
  reader: Reader,
  node: ts.TypeReferenceNode | ts.ExpressionWithTypeArguments,
  declaration: Declaration,
  { scope: inner, trail: deeper }: { readonly scope: Scope; readonly trail: Trail },
  scope: Scope,
): TypeModel {
  const { module } = inner;
  const at = reader.modules.at(scope.module, node);
  const name = declaration.name?.getText(module.file) ?? "";
  if (ts.isTypeAliasDeclaration(declaration)) {
    const type = reader.readType(reader, declaration.type, inner, deeper);
    return described(reader, type, declaration, module);
  }
  if (ts.isEnumDeclaration(declaration)) {
    const values = ts.isTypeReferenceNode(node) ? literalsOf(reader, node, scope) : undefined;
    if (!values) {
      return unsupported(
        reader,
        { module: scope.module, node },
        "enum-not-constant",
        `Not all values of the enum ${name} are known before the program runs${whyNotEnum(reader, module, declaration)}.`,
        "Give each member a literal or a constant.",
      );
    }
    if (!areOfOneType(values)) {
      return unsupported(
        reader,
        { module: scope.module, node },
        "enum-of-several-types",
        `The enum ${name} has texts and numbers; a field can have only one type in a CRD.`,
        "Make two enums of it, or give all members texts.",
      );
    }
    return described(reader, enumeration(values, module, deeper, at), declaration, module);
  }
  if (ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)) {
    return readObject(reader, declaration, inner, deeper);
  }
  return unsupported(
    reader,
    { module: scope.module, node },
    "unknown-type",
    `${name} is a value, not a type.`,
    `Write typeof ${name}, or the type itself.`,
  );
}

function readObject(
  reader: Reader,
  declaration: ts.ClassDeclaration | ts.InterfaceDeclaration,
  scope: Scope,
  trail: Trail,
  keep: Keep = () => true,
): TypeModel {
  const at = reader.modules.at(scope.module, declaration.name ?? declaration);
  const name = declaration.name?.text ?? "";
  const parts = [declaration, ...(scope.module.merged.get(name) ?? [])];
  const bases = parts
    .flatMap(({ heritageClauses = [] }) => [...heritageClauses])
    .filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    .flatMap(({ types }) => [...types])
    .map((base) => readBase(reader, base, scope, trail, keep))
    .map((base) => ({ ...base, schema: without(base.schema, "description", "title") }));
  const inherited = bases.flatMap(({ properties = [] }) => properties);
  const members = parts.map((part) => readMembers(reader, part, scope, trail, { keep, inherited }));
  const own = members.map((part) => objectOf({ ...part, settableOnce: [] }, at));
  const names = new Set(own.flatMap(({ properties = [] }) => properties.map((one) => one.name)));
  const both = intersection([...bases.map((base) => withoutFields(base, names)), ...own], at);
  const type =
    "path" in both ? contradicting(reader, declaration, scope.module, both) : { ...both, at };
  return onceSet(
    described(reader, type, declaration, scope.module),
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
  scope: Scope,
  trail: Trail,
  keep: Keep,
): TypeModel {
  const { expression } = base;
  const { module } = scope;
  const name = ts.isIdentifier(expression) ? expression.text : undefined;
  const found =
    name !== undefined
      ? reader.modules.resolve(module, name)
      : ts.isPropertyAccessExpression(expression) && ts.isIdentifier(expression.expression)
        ? memberOfNamespace(reader, module, expression.expression.text, expression.name.text)
        : undefined;
  if (found?.is === "declaration" && isTypeDeclaration(found.node)) {
    const isPlain = "typeParameters" in found.node && found.node.typeParameters === undefined;
    const isObject = !ts.isTypeAliasDeclaration(found.node);
    return isPlain && isObject
      ? readDeclared(reader, { ...found, trail, from: base, in: module }, keep)
      : declared(reader, base, found, scope, trail);
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
    return reader.readChecked(reader, base, scope, trail);
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

/** The scope of a declaration: what its type parameters stand for where it is used. */
export function bind(
  declaration: Declaration,
  module: Module,
  typeArguments: readonly ts.TypeNode[] | undefined,
  scope: Scope,
  trail: Trail,
): Scope {
  const top = topScope(module);
  if (!("typeParameters" in declaration)) return top;
  const parameters = new Map<string, TypeArgument>();
  const own: Scope = { module, parameters };
  declaration.typeParameters?.forEach(({ name, default: fallback }, index) => {
    const given = typeArguments?.[index];
    if (given) parameters.set(name.text, { node: given, scope, trail });
    // A default may name the parameters before it.
    else if (fallback) parameters.set(name.text, { node: fallback, scope: own, trail });
  });
  return own;
}
