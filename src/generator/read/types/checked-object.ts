/**
 * Object types that the checker computed: their fields, from the declarations where those still hold.
 */
import { ts } from "../../load.ts";
import type { PropertyModel, TypeModel } from "../../model.ts";
import { type Asked, NoSchema } from "./asked.ts";
import { descriptionOf } from "../code/documentation.ts";
import { leaf, narrow } from "../code/keywords.ts";
import { libraryFix } from "./library-values.ts";
import { marksOf } from "../marks/marks.ts";
import { type FieldModel, isFieldDeclaration, isHidden, objectOf, readField } from "./members.ts";
import { topScope } from "../code/reader.ts";
import { settled, withOptional } from "./type-forms.ts";

/** The model of an object type. @throws NoSchema */
export function checkedObject(asked: Asked, type: ts.Type): TypeModel {
  const { checker, at } = asked;
  const declared = asWritten(asked, type);
  if (declared) return declared;
  if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) {
    throw new NoSchema(
      "type-without-schema",
      `\`${checker.typeToString(type)}\` is a function, which is not plain JSON.`,
      "Write the type of the JSON value.",
    );
  }
  const fields = checker
    .getPropertiesOfType(type)
    .flatMap((symbol) => fieldOf(asked, symbol) ?? []);
  const indexes = checker.getIndexInfosOfType(type);
  const [index] = indexes;
  if (index && (fields.length > 0 || indexes.length > 1)) {
    throw new NoSchema(
      "fields-and-index",
      "A schema has either named fields or any fields, not both.",
      "Remove the index signature, and put @PreserveUnknownFields() on the class to keep other fields.",
    );
  }
  if (!index) {
    const settableOnce = fields
      .filter(({ immutable, property }) => immutable && !property.required)
      .map(({ property }) => property.name);
    return objectOf({ properties: fields.map(({ property }) => property), settableOnce }, at);
  }
  if (!(index.keyType.flags & ts.TypeFlags.String)) {
    throw new NoSchema(
      "key-needs-string",
      "The keys of a record are strings in JSON.",
      "Use Record<string, ...>.",
    );
  }
  if (index.type.flags & ts.TypeFlags.Unknown) {
    return leaf({ type: "object", "x-kubernetes-preserve-unknown-fields": true }, at);
  }
  // An object without fields.
  if (index.type.flags & ts.TypeFlags.Never) return leaf({ type: "object" }, at);
  return { ...leaf({ type: "object" }, at), values: settled(asked.modelOf(asked, index.type)) };
}

/** A class or an interface that stands as it was declared: it is read there, with its markers. */
function asWritten(
  { reader, checker, trail, node: from }: Asked,
  type: ts.Type,
): TypeModel | undefined {
  const symbol = type.getSymbol();
  const [node] = symbol?.getDeclarations() ?? [];
  if (!symbol || !node || !(ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node))) {
    return undefined;
  }
  const file = node.getSourceFile();
  if (isLibraryFile(file.fileName)) {
    const name = symbol.getName();
    throw new NoSchema("not-plain-json", `${name} is not plain JSON.`, libraryFix(name));
  }
  const asked = { trail, from, in: reader.modules.get(from.getSourceFile().fileName) };
  const builtIn = node.name && reader.modules.builtInAt(file.fileName, node.name.text);
  if (builtIn?.is === "declaration") return reader.readDeclared(reader, { ...builtIn, ...asked });
  const module = reader.modules.get(file.fileName);
  if (node.typeParameters || checker.getDeclaredTypeOfSymbol(symbol) !== type) {
    if (marksOf(reader, module, node).length > 0) {
      throw new NoSchema(
        "markers-lost",
        `${symbol.getName()} is a computed type here, so the markers on its class are lost.`,
        "Declare the type explicitly, with its markers.",
      );
    }
    return undefined;
  }
  return module.file === file && ts.isSourceFile(node.parent)
    ? reader.readDeclared(reader, { node, module, ...asked })
    : undefined;
}

/** Whether a file declares the language or Node. */
const isLibraryFile = (path: string): boolean =>
  /[/\\]typescript[/\\]lib[/\\]lib\.|[/\\]@types[/\\]node[/\\]/.test(path);

/** A field; `undefined` for code, and for what can only be absent. */
function fieldOf(asked: Asked, symbol: ts.Symbol): FieldModel | undefined {
  const { checker, node, at } = asked;
  const declarations = symbol.getDeclarations() ?? [];
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
  if (!(computed.flags & ~ts.TypeFlags.Undefined)) return undefined;
  const optional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
  const [declaration] = declarations;
  const written =
    declaration && declarations.length === 1 && isFieldDeclaration(declaration)
      ? asDeclared(asked, declaration, computed)
      : undefined;
  if (written) {
    if (written === "ignored") return undefined;
    return { ...written, property: withOptional(written.property, optional) };
  }
  for (const part of declarations) refuseMarks(asked, part, name);
  const type = asked.modelOf(asked, computed);
  const description = declaration && descriptionOf(declaration);
  const model = description === undefined ? type : narrow(type, { description }, at);
  const property: PropertyModel = {
    name,
    required: !optional && !model.maybeUndefined,
    ...(optional ? { question: true } : {}),
    type: settled(model),
  };
  return { property, immutable: false };
}

/** Whether a declaration is a method or an accessor of a class, or private in it. */
function isCode(node: ts.Declaration): boolean {
  return ts.isMethodDeclaration(node) || ts.isAccessor(node) || isHidden(node);
}

/** A field as its declaration says, where the checker has changed nothing about its type. */
function asDeclared(
  { reader, checker, trail }: Asked,
  declaration: ts.PropertyDeclaration | ts.PropertySignature | ts.ParameterDeclaration,
  computed: ts.Type,
): FieldModel | "ignored" | undefined {
  if (!declaration.type) return undefined;
  const written = checker.getTypeFromTypeNode(declaration.type);
  const isNull = ({ flags }: ts.Type): boolean => (flags & ts.TypeFlags.Null) !== 0;
  const mayBeNull = (type: ts.Type): boolean => type.isUnion() && type.types.some(isNull);
  if (mayBeNull(computed) !== mayBeNull(written)) return undefined;
  if (checker.getNonNullableType(computed) !== checker.getNonNullableType(written))
    return undefined;
  const file = declaration.getSourceFile();
  const owner = declaration.parent;
  const builtIn =
    ts.isInterfaceDeclaration(owner) && reader.modules.builtInAt(file.fileName, owner.name.text);
  if (builtIn && builtIn.is === "declaration" && ts.isInterfaceDeclaration(builtIn.node)) {
    const { node: own, module } = builtIn;
    const name = declaration.name.getText();
    const member = own.members.find((one) => one.name?.getText(module.file) === name);
    if (!member || !ts.isPropertySignature(member)) return undefined;
    return readField(reader, member, topScope(module), trail) ?? "ignored";
  }
  const module = reader.modules.get(file.fileName);
  if (module.file !== file || !isTopLevel(declaration)) return undefined;
  return readField(reader, declaration, topScope(module), trail) ?? "ignored";
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
function refuseMarks({ reader }: Asked, declaration: ts.Declaration, name: string): void {
  const module = reader.modules.get(declaration.getSourceFile().fileName);
  const initial = ts.isPropertyDeclaration(declaration) ? declaration.initializer : undefined;
  if (!initial && marksOf(reader, module, declaration).length === 0) return;
  throw new NoSchema(
    "markers-lost",
    `TypeScript infers a different type for the field ${name} than the declared one, so its ${initial ? "default" : "markers"} might not match.`,
    "Declare the type explicitly, with its markers.",
  );
}
