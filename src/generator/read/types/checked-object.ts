/**
 * Object types that the checker computed. A computed field keeps a link to the field that it was made of, and a mapped
 * type to the object whose keys it has: markers, defaults and descriptions are read there.
 */
import { present } from "../../../present.ts";
import { ts } from "../../load.ts";
import type { PropertyModel, TypeModel } from "../../model.ts";
import { brandOf } from "../code/brands.ts";
import { descriptionOf } from "../code/documentation.ts";
import { leaf, narrow } from "../code/keywords.ts";
import { type Mark, marksOf } from "../marks/marks.ts";
import { applyMarks } from "./apply-marks.ts";
import { type Asked, isLibraryFile, NoSchema, readAsDeclared } from "./asked.ts";
import { intersection } from "./intersection.ts";
import { libraryFix } from "./library-values.ts";
import {
  type FieldModel,
  isFieldDeclaration,
  isHidden,
  objectOf,
  onceSet,
  readField,
} from "./members.ts";
import { isMetadata, metadataFields } from "./scalars.ts";
import { settled, withOptional } from "./type-forms.ts";

/** The links of computed symbols and types, which the compiler's declarations leave out. */
interface Links {
  /** The field that a field of a mapped type was made of. */
  readonly syntheticOrigin?: ts.Symbol;
  /** The field of the generic type that a field of an instance was made of. */
  readonly target?: ts.Symbol;
  /** The intersection or the union that a field is of. */
  readonly containingType?: ts.Type;
}
interface MappedType extends ts.Type {
  /** The object whose fields a mapped type has. */
  readonly modifiersType?: ts.Type;
  readonly constraintType?: ts.Type;
}

const linksOf = (symbol: ts.Symbol): Links => (symbol as { links?: Links }).links ?? {};

/** The model of an object type. @throws NoSchema */
export function checkedObject(asked: Asked, type: ts.Type): TypeModel {
  const { checker, at, reader } = asked;
  const [node] = type.getSymbol()?.getDeclarations() ?? [];
  const isPlain = checker.getDeclaredTypeOfSymbol(type.symbol) === type;
  if (node && isNamedObject(node)) {
    if (isLibraryFile(node.getSourceFile().fileName)) {
      const name = type.symbol.getName();
      throw new NoSchema("not-plain-json", `${name} is not plain JSON.`, libraryFix(name));
    }
    const declared = isPlain && !node.typeParameters ? readAsDeclared(asked, node) : undefined;
    if (declared) return declared;
  }
  if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) {
    throw new NoSchema(
      "type-without-schema",
      `\`${checker.typeToString(type)}\` is a function, which is not plain JSON.`,
      "Write the type of the JSON value.",
    );
  }
  const fields = checker.getPropertiesOfType(type).flatMap((one) => fieldOf(asked, one) ?? []);
  if (type.aliasSymbol?.getName() === "Pick") complainOfCode(asked, type);
  const properties = fields.map(({ property }) => property);
  const values = indexOf(asked, type, fields.length > 0);
  if (values) return values;
  const { marks, description } = saidOf(asked, type);
  const whole = objectOf(
    { ...(properties.length > 0 ? { properties } : {}), settableOnce: [] },
    at,
  );
  // Any fields, but for a class without fields.
  const isBare = fields.length === 0 && !(node && isNamedObject(node));
  const described = narrow(isBare ? { ...whole, isBare } : whole, present({ description }), at);
  const settableOnce = fields
    .filter(({ immutable, property }) => immutable && !property.required)
    .map(({ property }) => property.name);
  return onceSet(applyMarks(reader, described, marks).type, settableOnce);
}

/** Refuses code that is picked by its name. */
function complainOfCode(asked: Asked, type: ts.Type): void {
  const { checker } = asked;
  const code = checker
    .getPropertiesOfType(type)
    .find((symbol) => originOf(asked, symbol).origin.getDeclarations()?.some(isCode));
  const [from] = type.aliasTypeArguments ?? [];
  if (
    !code ||
    !from ||
    checker.getPropertiesOfType(from).length === checker.getPropertiesOfType(type).length
  )
    return;
  throw new NoSchema(
    "not-a-field",
    `${code.getName()} is not a field of ${checker.typeToString(from)}.`,
    "Remove methods, accessors, and non-public members: they cannot be part of a schema.",
  );
}

/** The fields of a class that are not code, without those of these names. */
export const checkedFields = (
  asked: Asked,
  type: ts.Type,
  except: ReadonlySet<string>,
): PropertyModel[] =>
  asked.checker
    .getPropertiesOfType(type)
    .filter(({ name }) => !except.has(name))
    .flatMap((symbol) => fieldOf(asked, symbol)?.property ?? []);

type NamedObject = ts.ClassDeclaration | ts.InterfaceDeclaration;

const isNamedObject = (node: ts.Node): node is NamedObject =>
  ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node);

/** The record that a type with an index signature is. */
function indexOf(asked: Asked, type: ts.Type, hasFields: boolean): TypeModel | undefined {
  const { checker, at } = asked;
  const indexes = checker.getIndexInfosOfType(type);
  const [index] = indexes;
  if (!index) return undefined;
  if (hasFields) {
    throw new NoSchema(
      "fields-and-index",
      "A schema has either named fields or any fields, not both.",
      "Remove the index signature, and put @PreserveUnknownFields() on the class to keep other fields.",
    );
  }
  if (indexes.length > 1 || !isText(index.keyType)) {
    throw new NoSchema(
      "key-needs-string",
      "The keys of a record are strings in JSON, and a schema cannot constrain them.",
      "Use Record<string, ...>.",
    );
  }
  const { constraintType } = type as MappedType;
  const brand = constraintType && brandOf(constraintType)?.of;
  if (brand && !("scalar" in brand)) {
    asked.reader.findings.warn(
      at,
      "markers-lost",
      `The keys of \`${checker.typeToString(type)}\` have bounds, which a schema cannot check.`,
      'Use Record<string, ...>, and check the keys with @Cel("self.all(key, ...)").',
    );
  }
  if (index.type.flags & ts.TypeFlags.Unknown) {
    return leaf({ type: "object", "x-kubernetes-preserve-unknown-fields": true }, at);
  }
  // An object without fields.
  if (index.type.flags & ts.TypeFlags.Never) return leaf({ type: "object" }, at);
  return { ...leaf({ type: "object" }, at), values: settled(asked.modelOf(asked, index.type)) };
}

/** Whether a type is that of all texts, branded or not. */
const isText = (type: ts.Type): boolean =>
  (type.flags & ts.TypeFlags.String) !== 0 || (type.isIntersection() && type.types.some(isText));

const isBuiltIn = ({ reader }: Asked, node: ts.Declaration): boolean =>
  reader.modules.builtInAt(node.getSourceFile().fileName, "ObjectMeta") !== undefined;

interface Said {
  readonly marks: readonly Mark[];
  readonly description?: string | undefined;
}

/** The markers and the description of the declarations that an object type was made of. */
function saidOf(asked: Asked, type: ts.Type): Said {
  const { checker, reader } = asked;
  if (type.isIntersection()) {
    return { marks: type.types.flatMap((part) => saidOf(asked, part).marks) };
  }
  const { modifiersType } = type as MappedType;
  if (modifiersType) {
    const said = saidOf(asked, modifiersType);
    const fields = checker.getPropertiesOfType(type);
    const renamed = fields.some((one) => (linksOf(one).syntheticOrigin ?? one).name !== one.name);
    if (renamed && said.marks.length > 0) {
      throw lost(`${checker.typeToString(modifiersType)} has other names for its fields here`);
    }
    return said;
  }
  const alias = type.aliasSymbol?.getDeclarations()?.find(ts.isTypeAliasDeclaration);
  const declarations = type.getSymbol()?.getDeclarations()?.filter(isNamedObject) ?? [];
  const nodes: ts.Declaration[] = alias && !alias.typeParameters ? [alias] : declarations;
  const own = nodes.filter(
    (node) =>
      !isLibraryFile(node.getSourceFile().fileName) &&
      !(isMetadata(type.getSymbol()?.getName()) && isBuiltIn(asked, node)),
  );
  const target = ((type as ts.TypeReference).target as ts.Type | undefined) ?? type;
  const bases = target.isClassOrInterface() ? checker.getBaseTypes(target) : [];
  return {
    marks: [
      ...bases.flatMap((base) => saidOf(asked, base).marks),
      ...own.flatMap((node) =>
        marksOf(reader, reader.modules.get(node.getSourceFile().fileName), node),
      ),
    ],
    description: own.map(descriptionOf).find((text) => text !== undefined),
  };
}

const lost = (why: string, what = "markers"): NoSchema =>
  new NoSchema(
    "markers-lost",
    `${why}, so its ${what} might not match.`,
    "Declare the type explicitly, with its markers.",
  );

/** A field; `undefined` for code, and for what can only be absent. */
export function fieldOf(asked: Asked, symbol: ts.Symbol): FieldModel | undefined {
  const { checker, node, at } = asked;
  const { origin, isSame } = originOf(asked, symbol);
  const declarations = origin.getDeclarations() ?? [];
  if (declarations.some(isCode)) return undefined;
  const name = symbol.getName();
  if (name.startsWith("__@")) {
    throw new NoSchema(
      "computed-name",
      "The name of a field is a symbol, which is not plain JSON.",
      "Write a name.",
    );
  }
  const computed = checker.getTypeOfSymbolAtLocation(symbol, node);
  const optional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
  const modelOf = (): TypeModel => settled(asked.modelOf(asked, computed));
  const { containingType } = linksOf(origin);
  const renamed = ({ property, ...rest }: FieldModel): FieldModel => ({
    ...rest,
    property: withOptional({ ...property, name }, optional),
  });
  if (containingType?.isIntersection() && declarations.length > 1 && isSame) {
    return renamed(fieldOfBoth(asked, containingType, origin.getName()));
  }
  const absent = ts.TypeFlags.Undefined | (optional ? ts.TypeFlags.Never : 0);
  if (!(computed.flags & ~absent)) return undefined;
  const [declaration] = declarations;
  if (declaration && declarations.length === 1 && isFieldDeclaration(declaration)) {
    const written = declaredField(asked, declaration, { origin, computed, isSame, modelOf });
    if (written === "ignored") return undefined;
    if (written) return renamed(written);
  }
  refuseMarks(asked, symbol);
  const type = modelOf();
  const description = declaration && descriptionOf(declaration);
  const model = narrow(type, present({ description }), at);
  const property: PropertyModel = {
    name,
    required: !optional && !model.maybeUndefined,
    ...(optional ? { question: true } : {}),
    type: model,
  };
  return { property, immutable: false };
}

/** The declared field that a computed one was made of, and whether its type came through unchanged. */
function originOf(
  { checker }: Asked,
  symbol: ts.Symbol,
): { readonly origin: ts.Symbol; readonly isSame: boolean } {
  let origin = symbol;
  let isSame = true;
  for (;;) {
    const { syntheticOrigin, target } = linksOf(origin);
    const next = syntheticOrigin ?? target;
    if (!next) return { origin, isSame };
    if (syntheticOrigin) {
      isSame &&= areSame(checker, checker.getTypeOfSymbol(origin), checker.getTypeOfSymbol(next));
    }
    origin = next;
  }
}

/** Whether types are the same but for null and undefined. */
function areSame(checker: ts.TypeChecker, one: ts.Type, other: ts.Type): boolean {
  if (one.flags & other.flags & ts.TypeFlags.Unknown) return true;
  return checker.getNonNullableType(one) === checker.getNonNullableType(other);
}

/** Whether a declaration is a method or an accessor of a class, or private in it. */
function isCode(node: ts.Declaration): boolean {
  return ts.isMethodDeclaration(node) || ts.isAccessor(node) || isHidden(node);
}

/** A field of several parts of an intersection: each part says what it says. */
function fieldOfBoth(asked: Asked, type: ts.IntersectionType, name: string): FieldModel {
  const { checker, at } = asked;
  const fields = type.types.flatMap((part) => {
    const symbol = checker.getPropertyOfType(part, name);
    return (symbol && fieldOf(asked, symbol)) ?? [];
  });
  const objects = fields.map(({ property }) =>
    objectOf({ properties: [property], settableOnce: [] }, at),
  );
  const both = intersection(objects, at);
  const property = "path" in both ? undefined : both.properties?.[0];
  if (!property) throw lost(`The types of the field ${name} contradict each other`);
  return { property, immutable: fields.some(({ immutable }) => immutable) };
}

/** What is known of a computed field that was made of a declared one. */
interface Computed {
  readonly origin: ts.Symbol;
  readonly computed: ts.Type;
  readonly isSame: boolean;
  readonly modelOf: () => TypeModel;
}

/**
 * A field with the markers of its declaration: as it is declared where the checker changed nothing, else with the
 * computed type. `undefined` where the markers are about another type.
 */
function declaredField(
  asked: Asked,
  declaration: ts.PropertyDeclaration | ts.PropertySignature | ts.ParameterDeclaration,
  { origin, computed, isSame, modelOf }: Computed,
): FieldModel | "ignored" | undefined {
  const { reader, checker, trail } = asked;
  const written = checker.getTypeOfSymbol(origin);
  if (!isSame && !isSameContainer(checker, computed, written)) return undefined;
  const isAsWritten =
    areSame(checker, computed, written) && mayBeNull(computed) === mayBeNull(written);
  const file = declaration.getSourceFile();
  const owner = declaration.parent;
  const builtIn =
    ts.isInterfaceDeclaration(owner) && reader.modules.builtInAt(file.fileName, owner.name.text);
  if (builtIn && builtIn.is === "declaration" && ts.isInterfaceDeclaration(builtIn.node)) {
    const { node: own, module } = builtIn;
    const name = declaration.name.getText();
    if (isMetadata(owner.name.text)) {
      const property = metadataFields(asked.at).find((field) => field.name === name);
      return property ? { property, immutable: false } : "ignored";
    }
    const member = own.members.find((one) => one.name?.getText(module.file) === name);
    if (!isAsWritten || !member || !ts.isPropertySignature(member)) return undefined;
    return readField(reader, member, module, trail) ?? "ignored";
  }
  const module = reader.modules.get(file.fileName);
  if (module.file !== file) return undefined;
  const isRead = isAsWritten && isTopLevel(declaration);
  return (
    readField(reader, declaration, module, trail, isRead ? {} : { computed: modelOf }) ?? "ignored"
  );
}

const mayBeNull = (type: ts.Type): boolean =>
  type.isUnion() && type.types.some(({ flags }) => (flags & ts.TypeFlags.Null) !== 0);

/** Whether both are lists, or both objects: markers on these are about what is the same in both. */
function isSameContainer(checker: ts.TypeChecker, one: ts.Type, other: ts.Type): boolean {
  const kinds = [one, other].map((type) => {
    const plain = checker.getNonNullableType(type);
    if (checker.isArrayType(plain)) return "array";
    return plain.flags & ts.TypeFlags.Object && !checker.isTupleType(plain) ? "object" : undefined;
  });
  return kinds[0] !== undefined && kinds[0] === kinds[1];
}

/**
 * Whether a node is at the top level: names inside of a namespace or a function are others than
 * those of the file.
 */
function isTopLevel(node: ts.Node): boolean {
  if (ts.isSourceFile(node)) return true;
  return !ts.isModuleBlock(node) && !ts.isBlock(node) && isTopLevel(node.parent);
}

/**
 * Refuses markers: they are about the type that was written, and about another one they may say
 * nothing, or something wrong.
 */
export function refuseMarks(asked: Asked, symbol: ts.Symbol): void {
  const { reader } = asked;
  for (const declaration of originOf(asked, symbol).origin.getDeclarations() ?? []) {
    const module = reader.modules.get(declaration.getSourceFile().fileName);
    const initial = ts.isPropertyDeclaration(declaration) ? declaration.initializer : undefined;
    if (!initial && marksOf(reader, module, declaration).length === 0) continue;
    throw lost(
      `TypeScript infers a different type for the field ${symbol.getName()} than the declared one`,
      initial ? "default" : "markers",
    );
  }
}
