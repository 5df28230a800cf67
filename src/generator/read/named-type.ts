/**
 * Types by name: what the user declared or imported, the scalars of tsop, the built-in types.
 *
 * @module
 */
import type { Schema } from "../../kube/schema/structural.ts";
import { ts } from "../load.ts";
import type { Position, TypeModel } from "../model.ts";
import { didYouMean } from "../nearest-name.ts";
import { applyMarks } from "./apply-marks.ts";
import { checkedType } from "./checked-type.ts";
import { CONSTRAINED, constrainedType } from "./constrained-type.ts";
import { descriptionOf } from "./documentation.ts";
import { without } from "../schema-keywords.ts";
import { leaf, narrow } from "./keywords.ts";
import { literalsOf } from "./literals.ts";
import { marksOf } from "./marks.ts";
import { type MembersModel, readMembers } from "./members.ts";
import type { Declaration, Module } from "./module.ts";
import { type Reader, type Scope, type Trail, type TypeArgument, topScope } from "./reader.ts";
import { builtIns, scalars, templateMetadata } from "./scalars.ts";
import { enumeration, merge, unsupported } from "./shapes.ts";
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
    const constrained = constrainedType(reader, node, found.name, scope, trail, at);
    if (constrained) return constrained;
  }
  if (found?.is === "declaration") {
    return declared(reader, node, found.node, found.module, scope, trail);
  }
  const utility = found ? undefined : utilityType(reader, node, name, scope, trail, at);
  if (utility) return utility;
  const checked = LIBRARY.has(name) ? checkedType(reader, node, scope, trail, at) : undefined;
  if (checked) return checked;
  return unsupported(
    reader,
    scope.module,
    node,
    "unknown-type",
    `There is no type ${name} with a schema.`,
    wayToType(reader, name, scope.module),
  );
}

/** What to do about a name that is not there. */
function wayToType(reader: Reader, name: string, { declarations, imports }: Module): string {
  if (scalars.has(name) || CONSTRAINED.includes(name))
    return `Add ${name} to the import from "tsop".`;
  if (reader.modules.isBuiltIn(name)) return `Import ${name} from "tsop/k8s".`;
  const near = [...declarations.keys(), ...imports.keys(), ...scalars.keys(), "string", "boolean"];
  return didYouMean(name, near, "Declare it, or import it.");
}

/** Types of TypeScript's own library that compute others. */
const LIBRARY = new Set(
  "Awaited ReturnType Parameters InstanceType Uppercase Lowercase Capitalize Uncapitalize".split(
    " ",
  ),
);

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
  if (module.builtIn && name === "ObjectMeta") return metadataAt(at);
  const special = module.builtIn ? builtIns.get(name) : undefined;
  if (special) return leaf(special, at);
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
  const known = module.builtIn ? reader.modules.builtInModels.get(declaration) : undefined;
  if (known) return known;
  const inner = bind(declaration, module, node.typeArguments, scope, trail);
  const deeper = [...trail, declaration];
  const type = declaredType(reader, node, declaration, inner, deeper, scope);
  // One that could not be read has to be told of wherever it is used.
  if (module.builtIn && !reader.findings.hasErrors())
    reader.modules.builtInModels.set(declaration, type);
  return type;
}

/** Metadata inside a spec. */
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
  inner: Scope,
  deeper: Trail,
  scope: Scope,
): TypeModel {
  const { module } = inner;
  const at = reader.modules.at(scope.module, node);
  const name = declaration.name?.getText(module.file) ?? "";
  if (ts.isTypeAliasDeclaration(declaration)) {
    if (ts.isConditionalTypeNode(declaration.type) && ts.isTypeReferenceNode(node)) {
      const checked = checkedType(reader, node, scope, deeper, at);
      if (checked) return described(reader, checked, declaration, module);
    }
    const type = reader.readType(reader, declaration.type, inner, deeper);
    return described(reader, type, declaration, module);
  }
  if (ts.isEnumDeclaration(declaration)) {
    const values = ts.isTypeReferenceNode(node) ? literalsOf(reader, node, scope) : undefined;
    if (!values) {
      return unsupported(
        reader,
        scope.module,
        node,
        "enum-not-constant",
        `Not all values of the enum ${name} are known before the program runs.`,
        "Give each member a literal or a constant.",
      );
    }
    return described(reader, enumeration(values, module, deeper, at), declaration, module);
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

function readObject(
  reader: Reader,
  declaration: ts.ClassDeclaration | ts.InterfaceDeclaration,
  scope: Scope,
  trail: Trail,
): TypeModel {
  const at = reader.modules.at(scope.module, declaration.name ?? declaration);
  const name = declaration.name?.text ?? "";
  const parts = [declaration, ...(scope.module.merged.get(name) ?? [])];
  const inherited = parts
    .flatMap(({ heritageClauses = [] }) => [...heritageClauses])
    .filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    .flatMap(({ types }) => [...types])
    .map((base) => readBase(reader, base, scope, trail));
  const members = parts.map((part) => readMembers(reader, part, scope, trail));
  const bases = inherited.map((base) => ({
    ...base,
    schema: without(base.schema, "description", "title"),
  }));
  const own = members.map((part) => objectOf({ ...part, settableOnce: [] }, at));
  const [only] = own;
  const type = only && bases.length + own.length === 1 ? only : merge([...bases, ...own], at);
  return onceSet(
    described(reader, type, declaration, scope.module),
    members.flatMap(({ settableOnce }) => settableOnce),
  );
}

/** An object type of these members. */
export function objectOf({ settableOnce, ...children }: MembersModel, at: Position): TypeModel {
  return onceSet({ ...leaf({ type: "object" }, at), ...children }, settableOnce);
}

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

function bind(
  declaration: Declaration,
  module: Module,
  typeArguments: readonly ts.TypeNode[] | undefined,
  scope: Scope,
  trail: Trail,
): Scope {
  const top = topScope(module);
  if (!("typeParameters" in declaration)) return top;
  const parameters = new Map<string, TypeArgument>();
  declaration.typeParameters?.forEach(({ name, default: fallback }, index) => {
    const given = typeArguments?.[index];
    if (given) parameters.set(name.text, { node: given, scope, trail });
    else if (fallback) parameters.set(name.text, { node: fallback, scope: top, trail });
  });
  return { module, parameters };
}
