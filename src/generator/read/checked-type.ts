/**
 * Types that only the type checker can compute: conditional types, inferred ones, `ReturnType<typeof f>`.
 *
 * The checker is asked for these alone, since it costs more than everything else together. Fields of what it
 * answers are read from their declarations, which carry the markers and the names of numbers.
 *
 * @module
 */
import { ts } from "../load.ts";
import type { Position, PropertyModel, TypeModel } from "../model.ts";
import { leaf, narrow } from "./keywords.ts";
import { readField } from "./members.ts";
import { type Reader, type Scope, type Trail, topScope } from "./reader.ts";

interface Asked {
  readonly reader: Reader;
  readonly checker: ts.TypeChecker;
  readonly node: ts.Node;
  readonly trail: Trail;
  readonly at: Position;
  /** The object types that are being read, outermost first. */
  readonly within: readonly ts.Type[];
}

/** The model of a type as the checker computes it; `undefined` where that has no schema either. */
export function checkedType(
  reader: Reader,
  node: ts.TypeNode,
  { module, parameters }: Scope,
  trail: Trail,
  at: Position,
): TypeModel | undefined {
  // What a parameter stands for is known where the generic type is used: there it is asked for.
  if (parameters.size > 0 || module.builtIn) return undefined;
  const checker = reader.modules.checker();
  const asked: Asked = { reader, checker, node, trail, at, within: [] };
  return modelOf(asked, checker.getTypeFromTypeNode(node));
}

function modelOf(asked: Asked, type: ts.Type): TypeModel | undefined {
  const { checker, at, within } = asked;
  if (type.isUnion()) return unionOf(asked, type.types);
  if (type.isStringLiteral()) return leaf({ type: "string", enum: [type.value] }, at);
  if (type.isNumberLiteral()) {
    const whole = Number.isInteger(type.value) ? "integer" : "number";
    return leaf({ type: whole, enum: [type.value] }, at);
  }
  if (type.flags & ts.TypeFlags.StringLike) return leaf({ type: "string" }, at);
  if (type.flags & ts.TypeFlags.BooleanLike) return leaf({ type: "boolean" }, at);
  if (within.includes(type) || !(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) {
    return undefined;
  }
  const inner: Asked = { ...asked, within: [...within, type] };
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type as ts.TypeReference);
    const items = element && modelOf(inner, element);
    return items && { ...leaf({ type: "array" }, at), items };
  }
  return objectOf(inner, type);
}

function unionOf(asked: Asked, parts: readonly ts.Type[]): TypeModel | undefined {
  const isNull = (part: ts.Type): boolean => (part.flags & ts.TypeFlags.Null) !== 0;
  const rest = parts.filter((part) => !isNull(part) && !(part.flags & ts.TypeFlags.Undefined));
  const nullable = parts.some(isNull);
  const type = valuesOf(asked, rest);
  return type && nullable ? narrow(type, { nullable: true }, asked.at) : type;
}

/** Several literals, or one type. The checker does not keep the order of a union; the texts are sorted. */
function valuesOf(asked: Asked, parts: readonly ts.Type[]): TypeModel | undefined {
  const [only] = parts;
  if (only && parts.length === 1) return modelOf(asked, only);
  if (parts.every((part) => part.flags & ts.TypeFlags.BooleanLike)) {
    return leaf({ type: "boolean" }, asked.at);
  }
  if (parts.every((part) => part.isStringLiteral())) {
    return leaf({ type: "string", enum: parts.map(({ value }) => value).sort() }, asked.at);
  }
  return undefined;
}

function objectOf(asked: Asked, type: ts.Type): TypeModel | undefined {
  const { checker, at } = asked;
  if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) {
    return undefined;
  }
  const symbols = type.getProperties();
  const index = type.getStringIndexType();
  if (index && symbols.length === 0) {
    const values = modelOf(asked, index);
    return values && { ...leaf({ type: "object" }, at), values };
  }
  if (index || symbols.length === 0) return undefined;
  const properties: PropertyModel[] = [];
  for (const symbol of symbols) {
    const optional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
    const declared = declaredProperty(asked, symbol);
    const model =
      declared?.type ?? modelOf(asked, checker.getTypeOfSymbolAtLocation(symbol, asked.node));
    if (!model) return undefined;
    const required = !optional && (declared?.required ?? true);
    properties.push({ name: symbol.getName(), required, type: model });
  }
  return { ...leaf({ type: "object" }, at), properties };
}

/** A property as its declaration says, where the checker has changed nothing about its type. */
function declaredProperty(
  { reader, checker, node, trail }: Asked,
  symbol: ts.Symbol,
): PropertyModel | undefined {
  const [declaration] = symbol.getDeclarations() ?? [];
  if (!declaration) return undefined;
  if (!ts.isPropertyDeclaration(declaration) && !ts.isPropertySignature(declaration)) {
    return undefined;
  }
  if (!declaration.type) return undefined;
  const computed = checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(symbol, node));
  const written = checker.getNonNullableType(checker.getTypeFromTypeNode(declaration.type));
  if (computed !== written) return undefined;
  const file = declaration.getSourceFile();
  const module = reader.modules.get(file.fileName);
  return module.file === file
    ? readField(reader, declaration, topScope(module), trail)?.property
    : undefined;
}
