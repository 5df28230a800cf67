/**
 * Types that only the type checker can compute: conditional types, inferred ones, `ReturnType<typeof f>`, keys that
 * are renamed.
 *
 * The checker is asked for these alone, since it costs more than everything else together. Fields of what it
 * answers are read from their declarations, which carry the markers, where it changed nothing about their types.
 */
import { ts } from "../../load.ts";
import { schemaOf } from "../../emit/schema.ts";
import type { TypeModel } from "../../model.ts";
import { type Asked, NeedsArguments, NoSchema } from "./asked.ts";
import { checkedObject } from "./checked-object.ts";
import { SCALAR_PARAMETER } from "../code/checked-program.ts";
import { leaf } from "../code/keywords.ts";
import type { CheckedNode, Reader, Scope, Trail } from "../code/reader.ts";
import { NUMBER_NAMES, scalars } from "./scalars.ts";
import { listOfModel, unsupported } from "./type-forms.ts";
import { literalPattern } from "../../../kube/text/literal-pattern.ts";
import { unionOf } from "./union.ts";

/**
 * The model of a type as the checker computes it; one without a schema is noted.
 *
 * @throws NeedsArguments inside of a generic declaration
 */
export function checkedType(
  reader: Reader,
  node: CheckedNode,
  { module, parameters }: Scope,
  trail: Trail,
): TypeModel {
  // A type parameter is known where the generic type is used: there it is asked for.
  if (parameters.size > 0) throw new NeedsArguments();
  const at = reader.modules.at(module, node);
  const checker = reader.modules.checkerFor(module);
  try {
    const asked: Asked = { reader, checker, node, trail, at, within: [], modelOf };
    return modelOf(asked, typeAt(checker, node));
  } catch (error) {
    if (!(error instanceof NoSchema)) throw error;
    return unsupported(reader, { module, node }, error.code, error.message, error.fix);
  }
}

function typeAt(checker: ts.TypeChecker, node: CheckedNode): ts.Type {
  if (!ts.isTypeNode(node)) return checker.getTypeAtLocation(node);
  const isCall = ts.isExpressionWithTypeArguments(node) && ts.isCallExpression(node.expression);
  if (!isCall) return checker.getTypeFromTypeNode(node);
  // The base of a class can be what a function returns: a mixin.
  const type = checker.getTypeAtLocation(node.parent.parent);
  const [base] = type.isClassOrInterface() ? checker.getBaseTypes(type) : [];
  return base ?? checker.getTypeFromTypeNode(node);
}

/** The model of a computed type. @throws NoSchema */
function modelOf(asked: Asked, type: ts.Type): TypeModel {
  const { checker, at, within } = asked;
  const scalar = scalarName(type);
  if (scalar !== undefined) return leaf({ ...scalars.get(scalar) }, at);
  if (type.isUnion()) return unionModel(asked, type);
  if (type.isStringLiteral()) return leaf({ type: "string", enum: [type.value] }, at);
  if (type.isNumberLiteral()) {
    const whole = Number.isInteger(type.value) ? "integer" : "number";
    return leaf({ type: whole, enum: [type.value] }, at);
  }
  const { flags } = type;
  if (flags & ts.TypeFlags.Substitution) {
    return modelOf(asked, (type as ts.SubstitutionType).baseType);
  }
  if (flags & ts.TypeFlags.BooleanLiteral) {
    return leaf({ type: "boolean", enum: [checker.typeToString(type) === "true"] }, at);
  }
  if (flags & ts.TypeFlags.TemplateLiteral) return template(asked, type as ts.TemplateLiteralType);
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
  if (type.isIntersection()) {
    // An object beside a text or a number makes a brand of it.
    const plain = type.types.find((part) => part.flags & PLAIN);
    if (plain) return modelOf(asked, plain);
  }
  if (!(flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) throw noSchema(asked, type);
  if (within.includes(type)) {
    throw new NoSchema(
      "recursive-type",
      `${checker.typeToString(type)} contains itself, which a schema cannot.`,
      "Put @PreserveUnknownFields() with the type `unknown` on the field, or write out as many levels as you need.",
    );
  }
  const inner: Asked = { ...asked, within: [...within, type] };
  if (checker.isTupleType(type)) return tuple(inner, type as ts.TupleTypeReference);
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type as ts.TypeReference);
    if (element) return listOfModel(modelOf(inner, element), at);
  }
  return checkedObject(inner, type);
}

const PLAIN = ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike;

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
  return new NoSchema(
    "type-without-schema",
    made === shown
      ? `\`${shown}\` cannot be written as a schema.`
      : `TypeScript makes \`${made}\` of \`${shown}\`, which cannot be written as a schema.`,
    "Write the type out as a class, an interface, a list, a record or a union of literals.",
  );
}

/** The name of the type, such as `Int32`, where it is one of the scalars of `tsop`. */
function scalarName(type: ts.Type): string | undefined {
  if (type.isUnion()) {
    // The marks of a number or a text are two types.
    const names = new Set(type.types.map(scalarName));
    const [name] = names;
    const whole = name !== undefined && scalars.get(name)?.["x-kubernetes-int-or-string"] === true;
    return names.size === 1 && type.types.length === 2 && whole ? name : undefined;
  }
  if (!type.isIntersection()) return undefined;
  for (const part of type.types) {
    const member = part.getProperty("valueOf")?.valueDeclaration;
    const parameter = member && ts.isMethodSignature(member) ? member.parameters[0] : undefined;
    if (!parameter?.type || parameter.name.getText() !== SCALAR_PARAMETER) continue;
    return parameter.type.getText().slice(1, -1);
  }
  return undefined;
}

function unionModel(asked: Asked, type: ts.UnionType): TypeModel {
  const { checker, at } = asked;
  const parts = type.types.filter(({ flags }) => !(flags & NULLISH));
  const maybe = type.types.some(({ flags }) => flags & ts.TypeFlags.Undefined);
  const nullable = type.types.some(({ flags }) => flags & ts.TypeFlags.Null);
  const whole = parts.length === type.types.length ? undefined : checker.getNonNullableType(type);
  const isEither =
    parts.length === 2 &&
    parts.some(({ flags }) => flags & ts.TypeFlags.String) &&
    parts.some(({ flags }) => flags & ts.TypeFlags.Number);
  const scalar = isEither ? "IntOrString" : whole && scalarName(whole);
  const members =
    scalar === undefined
      ? parts.map((part) => modelOf(asked, part))
      : [leaf({ ...scalars.get(scalar) }, at)];
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
  const schema = { ...model.schema, ...(values ? { enum: [...values].sort(byValue) } : {}) };
  return {
    ...model,
    schema: { ...schema, ...(nullable ? { nullable } : {}) },
    ...(nullable ? { orNull: true } : {}),
    ...(maybe ? { maybeUndefined: true } : {}),
  };
}

const NULLISH = ts.TypeFlags.Null | ts.TypeFlags.Undefined;

const byValue = (a: unknown, b: unknown): number =>
  typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1;

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

/** The pattern of the texts that a template stands for. */
function template(asked: Asked, { texts, types }: ts.TemplateLiteralType): TypeModel {
  const parts = types.map(
    (type, index) => partOf(asked, type) + literalPattern(texts[index + 1] ?? ""),
  );
  return leaf(
    { type: "string", pattern: `^${literalPattern(texts[0] ?? "")}${parts.join("")}$` },
    asked.at,
  );
}

function partOf(asked: Asked, type: ts.Type): string {
  const scalar = scalarName(type);
  if (scalar !== undefined && scalars.get(scalar)?.type === "integer") return "-?[0-9]+";
  if (type.flags & ts.TypeFlags.String || scalars.get(scalar ?? "")?.type === "string") return ".*";
  if (type.flags & ts.TypeFlags.Number) return "-?[0-9]+(\\.[0-9]+)?";
  throw noSchema(asked, type);
}
