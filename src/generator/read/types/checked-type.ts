/**
 * Types as TypeScript's checker computes them: generic, mapped and conditional types, intersections, templates.
 *
 * What they stand for besides is carried by copies of plain types (brands.ts) and by the links of computed fields to
 * their declarations (checked-object.ts).
 */
import { literalPattern } from "../../../kube/text/literal-pattern.ts";
import { schemaOf } from "../../emit/schema.ts";
import { ts } from "../../load.ts";
import type { TypeModel } from "../../model.ts";
import { type Brand, brandOf } from "../code/brands.ts";
import { leaf, narrow } from "../code/keywords.ts";
import type { Module } from "../code/module.ts";
import { type CheckedNode, count, type Reader, type Trail } from "../code/reader.ts";
import { type Asked, NoSchema, readAsDeclared } from "./asked.ts";
import { checkedObject, fieldOf, refuseMarks } from "./checked-object.ts";
import { withKeywords } from "./constrained-type.ts";
import { intersection } from "./intersection.ts";
import { NUMBER_NAMES, scalars } from "./scalars.ts";
import { listOfModel, unsupported } from "./type-forms.ts";
import { literalValue } from "./type-value.ts";
import { unionOf } from "./union.ts";

/** The model of a type as the checker computes it; one without a schema is noted. */
export function checkedType(
  reader: Reader,
  node: CheckedNode,
  module: Module,
  trail: Trail,
): TypeModel {
  const checker = reader.modules.checkerFor(module);
  if (checker.resolveName("Array", undefined, ts.SymbolFlags.Interface, false) === undefined) {
    return unsupported(
      reader,
      { module, node },
      "typescript-missing",
      `\`${node.getText(module.file)}\` has to be computed, for which the project needs the package typescript.`,
      "Run npm install --save-dev typescript, then run the command again.",
    );
  }
  return answer({ reader, checker, module, node, trail }, (asked) =>
    ts.isIndexedAccessTypeNode(node)
      ? memberModel(asked, node)
      : modelOf(asked, typeAt(checker, node)),
  );
}

/** What a question comes to; a type without a schema is noted at its node. */
export function answer(
  question: Omit<Asked, "at" | "within" | "modelOf">,
  read: (asked: Asked) => TypeModel,
): TypeModel {
  const { reader, module, node } = question;
  const at = reader.modules.at(module, node);
  try {
    return read({ ...question, at, within: [], modelOf });
  } catch (error) {
    if (!(error instanceof NoSchema)) throw error;
    return unsupported(reader, { module, node }, error.code, error.message, error.fix);
  }
}

/** The model of `T["field"]`: of the field, with its markers. */
function memberModel(asked: Asked, node: ts.IndexedAccessTypeNode): TypeModel {
  const { checker } = asked;
  const object = checker.getTypeFromTypeNode(node.objectType);
  const index = checker.getTypeFromTypeNode(node.indexType);
  const type = checker.getTypeFromTypeNode(node);
  if (!(object.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) {
    return modelOf(asked, type);
  }
  const names = (index.isUnion() ? index.types : [index]).flatMap((part) =>
    part.isStringLiteral() ? [part.value] : [],
  );
  const symbols = names.flatMap((name) => checker.getPropertyOfType(object, name) ?? []);
  const [only] = symbols;
  const field = only && symbols.length === 1 ? fieldOf(asked, only)?.property : undefined;
  if (field) return field.question ? { ...field.type, maybeUndefined: true } : field.type;
  for (const symbol of symbols) refuseMarks(asked, symbol);
  return modelOf(asked, type);
}

function typeAt(checker: ts.TypeChecker, node: CheckedNode): ts.Type {
  if (!ts.isTypeNode(node)) return checker.getTypeAtLocation(node);
  const isCall = ts.isExpressionWithTypeArguments(node) && !ts.isIdentifier(node.expression);
  if (!isCall) return checker.getTypeFromTypeNode(node);
  // The base of a class can be what a function returns: a mixin.
  const type = checker.getTypeAtLocation(node.parent.parent);
  const [base] = type.isClassOrInterface() ? checker.getBaseTypes(type) : [];
  return base ?? checker.getTypeFromTypeNode(node);
}

/** The model of a computed type. @throws NoSchema */
function modelOf(asked: Asked, type: ts.Type): TypeModel {
  const { checker, at, within, reader } = asked;
  count(reader);
  const brand = brandOf(type);
  if (brand) return brandModel(asked, brand);
  const { flags } = type;
  if (type.isUnion()) return unionModel(asked, type);
  if (type.isStringLiteral()) return leaf({ type: "string", enum: [type.value] }, at);
  if (type.isNumberLiteral()) {
    const whole = Number.isInteger(type.value) ? "integer" : "number";
    return leaf({ type: whole, enum: [type.value] }, at);
  }
  if (flags & ts.TypeFlags.Substitution) {
    return modelOf(asked, (type as ts.SubstitutionType).baseType);
  }
  if (flags & ts.TypeFlags.BooleanLiteral) {
    return leaf({ type: "boolean", enum: [checker.typeToString(type) === "true"] }, at);
  }
  if (isTemplate(type)) return template(asked, type);
  if (flags & ts.TypeFlags.String) return leaf({ type: "string" }, at);
  if (flags & ts.TypeFlags.NonPrimitive) return { ...leaf({ type: "object" }, at), isBare: true };
  if (flags & ts.TypeFlags.Unknown) return leaf({}, at);
  if (flags & ts.TypeFlags.Number) {
    throw new NoSchema(
      "number-needs-format",
      `TypeScript makes \`number\` of \`${shownNode(asked)}\`, which does not specify the number format for Kubernetes.`,
      `Write ${NUMBER_NAMES}, imported from "tsop".`,
    );
  }
  if (!(flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) throw noSchema(asked, type);
  const isGrowing = within.filter((one) => one.getSymbol() === type.getSymbol()).length > DEEPEST;
  if (within.includes(type) || isGrowing) {
    throw new NoSchema(
      "recursive-type",
      `${checker.typeToString(type)} contains itself, which a schema cannot.`,
      "Put @PreserveUnknownFields() with the type `unknown` on the field, or write out as many levels as you need.",
    );
  }
  const inner: Asked = { ...asked, within: [...within, type] };
  if (type.isIntersection()) return intersectionModel(inner, type);
  if (checker.isTupleType(type)) return tuple(inner, type as ts.TupleTypeReference);
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type as ts.TypeReference);
    if (element) return listOfModel(modelOf(inner, element), at);
  }
  return checkedObject(inner, type);
}

/** The most levels of one generic type in itself: with other arguments at each level, it can go on forever. */
const DEEPEST = 20;

/** The model of a copy of a plain type: of what it stands for. */
function brandModel(asked: Asked, { of }: Brand): TypeModel {
  const { reader, checker, at, node, module } = asked;
  if ("scalar" in of) return leaf({ ...scalars.get(of.scalar) }, at);
  if ("alias" in of) {
    const type = readAsDeclared(asked, of.alias);
    if (type) return type;
    throw new NoSchema(
      "markers-lost",
      `The type ${of.alias.name.text} is declared where its markers cannot be read.`,
      "Move it to the top level of its file.",
    );
  }
  const keywords = literalValue(checker, of.keywords);
  if (typeof keywords !== "object" || keywords === null) {
    throw new NoSchema(
      "wrong-arguments",
      "With takes a type and keywords with fixed values.",
      "Write With<Int32, { minimum: 1 }>.",
    );
  }
  return withKeywords(reader, modelOf(asked, of.type), keywords, { module, node });
}

function shownNode({ node }: Asked): string {
  const text = node.getText();
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function noSchema(asked: Asked, type: ts.Type): NoSchema {
  const made = asked.checker.typeToString(type);
  const shown = shownNode(asked);
  if (type.flags & ts.TypeFlags.Any) {
    return new NoSchema(
      "type-any",
      `TypeScript makes \`any\` of \`${shown}\`, which has no schema.`,
      "Fix the compiler errors for it, or write the type out.",
    );
  }
  if (type.flags & ts.TypeFlags.Never) {
    return new NoSchema(
      "contradiction",
      `No value can satisfy \`${shown}\`.`,
      "Leave the contradicting field out of one of the types with Omit, or give both the same type.",
    );
  }
  return new NoSchema(
    "type-without-schema",
    made === shown
      ? `\`${shown}\` cannot be written as a schema.`
      : `TypeScript makes \`${made}\` of \`${shown}\`, which cannot be written as a schema.`,
    "Write the type out as a class, an interface, a list, a record or a union of literals.",
  );
}

const PLAIN = ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike;

function intersectionModel(asked: Asked, type: ts.IntersectionType): TypeModel {
  const { checker, at } = asked;
  // An object beside a text, a number or a list makes a brand of it.
  const isPlain = (part: ts.Type): boolean =>
    (part.flags & PLAIN) !== 0 || checker.isArrayLikeType(part);
  const plain = type.types.filter(isPlain);
  const parts = (plain.length > 0 ? plain : type.types).map((part) => modelOf(asked, part));
  const said = parts.filter(({ isBare }) => !isBare);
  const both = intersection(said.length > 0 ? said : parts, at);
  if ("path" in both) throw contradiction(both.path, both.first, both.second);
  if (both.values && both.properties) {
    throw new NoSchema(
      "fields-and-index",
      "A schema has either named fields or any fields, not both.",
      "Leave out the record, and put @PreserveUnknownFields() on the field to keep other fields.",
    );
  }
  return both;
}

function contradiction(path: readonly string[], first: string, second: string): NoSchema {
  const where = path.length === 0 ? "" : `: ${path.join(".")}`;
  return new NoSchema(
    "contradiction",
    `No value can satisfy both types${where} would have to be both ${first} and ${second}.`,
    "Leave the field out of one of them with Omit, or give both the same type.",
  );
}

function unionModel(asked: Asked, type: ts.UnionType): TypeModel {
  const { checker, at } = asked;
  const parts = type.types.filter(({ flags }) => !(flags & NULLISH));
  const maybe = type.types.some(({ flags }) => flags & ts.TypeFlags.Undefined);
  const nullable = type.types.some(({ flags }) => flags & ts.TypeFlags.Null);
  const whole = parts.length === type.types.length ? type : checker.getNonNullableType(type);
  const declared = declaredUnion(asked, whole);
  const members = declared ? [declared] : memberModels(asked, parts);
  const model = members.length > 0 ? unionOf(members, at) : undefined;
  if (!model) {
    throw new NoSchema(
      "union-without-schema",
      `TypeScript makes \`${checker.typeToString(type)}\` of \`${shownNode(asked)}\`; a field can have only one type in a CRD.`,
      'Give each object a tag, `{ type: "a"; ... } | { type: "b"; ... }`, or its own field.',
    );
  }
  const { enum: values } = model.schema;
  // The checker does not keep the order of a union.
  const sorted = values && !declared ? { enum: [...values].sort(byValue) } : {};
  return {
    ...narrow(
      { ...model, schema: { ...model.schema, ...sorted } },
      nullable ? { nullable } : {},
      at,
    ),
    ...(nullable ? { orNull: true } : {}),
    ...(maybe ? { maybeUndefined: true } : {}),
  };
}

const NULLISH = ts.TypeFlags.Null | ts.TypeFlags.Undefined;

const byValue = (a: unknown, b: unknown): number =>
  typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1;

/** A union with a name, as it is declared: in its order, with its description. */
function declaredUnion(asked: Asked, type: ts.Type): TypeModel | undefined {
  if (brandOf(type)) return modelOf(asked, type);
  const isEnum = (type.flags & ts.TypeFlags.EnumLike) !== 0 && type.isUnion();
  const symbol = isEnum ? type.getSymbol() : type.aliasTypeArguments ? undefined : type.aliasSymbol;
  const [node] = symbol?.getDeclarations() ?? [];
  return node && (ts.isEnumDeclaration(node) || ts.isTypeAliasDeclaration(node))
    ? readAsDeclared(asked, node)
    : undefined;
}

/** The models of a union's members; those that stand for one type together are one. */
function memberModels(asked: Asked, parts: readonly ts.Type[]): TypeModel[] {
  const isText = ({ flags }: ts.Type): boolean => (flags & ts.TypeFlags.String) !== 0;
  const isEither = parts.some((part) => isText(part) && !brandOf(part));
  const done = new Set<Brand>();
  const templates = parts.filter(isTemplate);
  const factored = factoredTemplate(asked, templates);
  return parts.flatMap((part): TypeModel[] => {
    if (factored && isTemplate(part)) return part === templates[0] ? [factored] : [];
    const brand = brandOf(part);
    if (brand && done.has(brand)) return [];
    const isWhole = parts.filter((one) => brandOf(one) === brand).length === brand?.members;
    if (brand && isWhole) {
      done.add(brand);
      return [brandModel(asked, brand)];
    }
    // Beside a text a number needs no format: the two are an int-or-string.
    if (!brand && isEither && part.flags & ts.TypeFlags.Number) {
      return [leaf({ type: "integer" }, asked.at)];
    }
    return [brand ? partOfBrand(asked, part) : modelOf(asked, part)];
  });
}

/** The text or the number of an int-or-string, without the other. */
function partOfBrand(asked: Asked, part: ts.Type): TypeModel {
  if (part.flags & ts.TypeFlags.String) return leaf({ type: "string" }, asked.at);
  throw new NoSchema(
    "number-needs-format",
    `TypeScript makes \`number\` of \`${shownNode(asked)}\`, which does not specify the number format for Kubernetes.`,
    `Write ${NUMBER_NAMES}, imported from "tsop".`,
  );
}

function tuple(asked: Asked, type: ts.TupleTypeReference): TypeModel {
  const { checker, at } = asked;
  const { elementFlags } = type.target;
  const items = checker.getTypeArguments(type);
  const [first, ...others] = items.map((item) => modelOf(asked, item));
  if (!first) {
    throw new NoSchema(
      "tuple-empty",
      "A list that is always empty has no item type.",
      "Leave it out.",
    );
  }
  const shown = JSON.stringify(schemaOf(first));
  if (others.some((item) => JSON.stringify(schemaOf(item)) !== shown)) {
    throw new NoSchema(
      "tuple-of-different-types",
      "The items of a list have one schema; this tuple has several.",
      "Use an object with named fields.",
    );
  }
  const required = elementFlags.filter((flag) => flag & ts.ElementFlags.Required).length;
  const open = elementFlags.some((flag) => flag & ts.ElementFlags.Variable);
  const list = listOfModel(first, at);
  const bounds = { minItems: required, ...(open ? {} : { maxItems: items.length }) };
  return { ...list, schema: { ...list.schema, ...bounds } };
}

const isTemplate = (type: ts.Type): type is ts.TemplateLiteralType =>
  (type.flags & ts.TypeFlags.TemplateLiteral) !== 0;

/** `${number}${"s" | "m"}`, which TypeScript takes apart, as one pattern; `undefined` for other templates. */
function factoredTemplate(
  asked: Asked,
  templates: readonly ts.TemplateLiteralType[],
): TypeModel | undefined {
  const [first, ...others] = templates;
  if (!first || others.length === 0) return undefined;
  const isAlike = others.every(
    ({ types }) =>
      types.length === first.types.length && types.every((type, at) => type === first.types[at]),
  );
  const differing = first.texts.flatMap((text, at) =>
    others.some(({ texts }) => texts[at] !== text) ? [at] : [],
  );
  const [place, ...more] = differing;
  if (!isAlike || place === undefined || more.length > 0) return undefined;
  const choices = templates.map(({ texts }) => literalPattern(texts[place] ?? ""));
  return template(asked, first, (text, at) => (at === place ? `(${choices.join("|")})` : text));
}

/** The pattern of the texts that a template stands for. */
function template(
  asked: Asked,
  { texts, types }: ts.TemplateLiteralType,
  textAt: (pattern: string, at: number) => string = (pattern) => pattern,
): TypeModel {
  const plain = texts.map((text, at) => textAt(literalPattern(text), at));
  const parts = types.map((type, at) => partOf(asked, type) + (plain[at + 1] ?? ""));
  return leaf({ type: "string", pattern: `^${plain[0] ?? ""}${parts.join("")}$` }, asked.at);
}

/** The pattern of a part of a template. A text can have several lines. */
function partOf(asked: Asked, type: ts.Type): string {
  const brand = brandOf(type)?.of;
  const scalar = brand && "scalar" in brand ? scalars.get(brand.scalar) : undefined;
  if (scalar?.type === "integer") return "-?[0-9]+";
  if (type.flags & ts.TypeFlags.String) return "[\\s\\S]*";
  if (type.flags & ts.TypeFlags.Number) return "-?[0-9]+(\\.[0-9]+)?";
  throw noSchema(asked, type);
}
