/**
 * Intersections, `A & B`: values that are an `A` and a `B` at once.
 *
 * A statement of either type holds, at every depth: fields of both, bounds of both, values that
 * both have. A contradiction has no value, and is an error.
 */
import type { Schema } from "../../../kube/schema/structural.ts";
import type { Position, PropertyModel, TypeModel } from "../../model.ts";
import { without } from "../../schema-keywords.ts";
import { leaf, narrow } from "../code/keywords.ts";
import { isBrandable } from "./type-forms.ts";
import { present } from "../../../present.ts";

const INT_OR_STRING = "x-kubernetes-int-or-string";

/** A contradiction between two types, so that no value is both. */
export interface Contradiction {
  /** The path to the field, from the intersection down; empty for the type itself. */
  readonly path: readonly string[];
  /** The two contradicting statements, for a sentence. */
  readonly first: string;
  readonly second: string;
}

/** The intersection of types, or the contradiction between two of them. */
export function intersection(types: readonly TypeModel[], at: Position): TypeModel | Contradiction {
  // `unknown` adds nothing, and neither does an object beside a text: it makes a brand of it.
  const said = types.filter(({ schema, unread }) => unread ?? Object.keys(schema).length > 0);
  const plain = said.filter(isBrandable);
  const [first, ...others] = plain.length > 0 ? plain : said;
  if (!first) return leaf(types.length === 0 ? { type: "object" } : {}, at);
  let result: TypeModel = { ...first, at };
  for (const other of others) {
    const both = bothOf(result, other, at, []);
    if ("path" in both) return both;
    result = both;
  }
  return result;
}

function bothOf(
  a: TypeModel,
  b: TypeModel,
  at: Position,
  path: readonly string[],
): TypeModel | Contradiction {
  if (a.unread) return a;
  if (b.unread) return b;
  const schema = keywordsOfBoth(a.schema, b.schema);
  if ("first" in schema) return { path, ...schema };
  const { description } = b.schema.description === undefined ? a.schema : b.schema;
  const said = description === undefined ? {} : { description };
  const rest = narrow({ ...a, schema: { ...schema, ...said } }, additions(a, b), at);
  const properties = fieldsOfBoth(a, b, path);
  if ("path" in properties) return properties;
  const items = partOfBoth(a.items, b.items, at, [...path, "items"]);
  if (items && "path" in items) return items;
  const values = partOfBoth(a.values, b.values, at, path);
  if (values && "path" in values) return values;
  const { maybeUndefined: mayBe, isMetadata, isUnion, ...node } = rest;
  return {
    ...node,
    ...(mayBe && b.maybeUndefined ? { maybeUndefined: true } : {}),
    ...((a.orNull ?? b.orNull) ? { orNull: true } : {}),
    ...((isMetadata ?? b.isMetadata) ? { isMetadata: true } : {}),
    ...((isUnion ?? b.isUnion) ? { isUnion: true } : {}),
    ...(properties.length > 0 ? { properties } : {}),
    ...(items ? { items } : {}),
    ...(values ? { values } : {}),
  };
}

/**
 * The keywords that `b` adds to `a`: bounds, patterns, rules, of which each is kept by its own
 * rule.
 */
function additions(a: TypeModel, b: TypeModel): Schema {
  const more = without(b.schema, "type", "format", "enum", "nullable", "description", "anyOf");
  const known = new Set((a.schema["x-kubernetes-validations"] ?? []).map(({ rule }) => rule));
  const rules = (more["x-kubernetes-validations"] ?? []).filter(({ rule }) => !known.has(rule));
  const rest = without(more, "x-kubernetes-validations");
  return rules.length > 0 ? { ...rest, "x-kubernetes-validations": rules } : rest;
}

type Clash = Pick<Contradiction, "first" | "second">;

/** The keywords of `a`, with those that say what a value is as both have them. */
function keywordsOfBoth(a: Schema, b: Schema): Schema | Clash {
  const nullable = a.nullable === true && b.nullable === true;
  const kind = typeOfBoth(a, b);
  if ("first" in kind) return kind;
  const format = formatOfBoth(a, b);
  if (typeof format === "object") return format;
  for (const keyword of ["default", "x-kubernetes-list-type", "x-kubernetes-map-type"] as const) {
    const [one, other] = [a[keyword], b[keyword]];
    if (one === undefined || other === undefined) continue;
    if (JSON.stringify(one) !== JSON.stringify(other)) {
      return {
        first: `${keyword} ${JSON.stringify(one)}`,
        second: `${keyword} ${JSON.stringify(other)}`,
      };
    }
  }
  const values = a.enum && b.enum ? a.enum.filter((value) => b.enum?.includes(value)) : undefined;
  if (values?.length === 0) return { first: listed(a.enum), second: listed(b.enum) };
  const all = values ?? a.enum ?? b.enum;
  const rest = without(a, "type", "format", "enum", "nullable", "anyOf", INT_OR_STRING);
  return {
    ...rest,
    ...kind,
    ...present({ format }),
    ...(all ? { enum: all } : {}),
    ...(nullable ? { nullable } : {}),
  };
}

const listed = (values: readonly unknown[] = []): string =>
  values.map((value) => JSON.stringify(value)).join(" | ");

/** The type, or what stands for one of a number or a text. */
function typeOfBoth(a: Schema, b: Schema): Schema | Clash {
  const [one, other] = [kindOf(a), kindOf(b)];
  const [typeOfA, typeOfB] = [typeKeywords(a), typeKeywords(b)];
  if (one === other || other === "anything") return typeOfA;
  if (one === "anything") return typeOfB;
  if (isNumber(one) && isNumber(other)) return { type: "integer" };
  if (one === EITHER && (other === "string" || other === "integer")) return typeOfB;
  if (other === EITHER && (one === "string" || one === "integer")) return typeOfA;
  return { first: one, second: other };
}

const EITHER = "a number or a string";
const isNumber = (kind: string): boolean => kind === "integer" || kind === "number";

function typeKeywords({ type, anyOf, [INT_OR_STRING]: either }: Schema): Schema {
  return {
    ...present({ type }),
    ...(anyOf ? { anyOf } : {}),
    ...(either === undefined ? {} : { [INT_OR_STRING]: either }),
  };
}

function kindOf(schema: Schema): string {
  if (schema[INT_OR_STRING]) return EITHER;
  return schema.type ?? "anything";
}

/** The sizes of numbers: of two, the narrower one holds. */
const SIZES = ["int32", "int64", "float", "double"];

function formatOfBoth(a: Schema, b: Schema): string | undefined | Clash {
  const [one, other] = [a.format, b.format];
  if (one === undefined || other === undefined || one === other) return one ?? other;
  const [first, second] = [SIZES.indexOf(one), SIZES.indexOf(other)];
  if (first < 0 || second < 0) return { first: `format ${one}`, second: `format ${other}` };
  return SIZES[Math.min(first, second)];
}

function fieldsOfBoth(
  a: TypeModel,
  b: TypeModel,
  path: readonly string[],
): PropertyModel[] | Contradiction {
  const fields = new Map((a.properties ?? []).map((field) => [field.name, field]));
  for (const field of b.properties ?? []) {
    const before = fields.get(field.name);
    if (!before) {
      fields.set(field.name, field);
      continue;
    }
    const type = bothOf(before.type, field.type, before.type.at, [...path, field.name]);
    if ("path" in type) return type;
    const isFilled = type.schema.default !== undefined;
    const required = (before.required || field.required) && !isFilled;
    const question = before.question && field.question;
    const { name } = field;
    fields.set(field.name, {
      name,
      required,
      ...askedOf(field),
      ...(question ? { question } : {}),
      type,
    });
  }
  return [...fields.values()];
}

const askedOf = ({ asked }: PropertyModel): Pick<PropertyModel, "asked"> =>
  asked === undefined ? {} : { asked };

const partOfBoth = (
  a: TypeModel | undefined,
  b: TypeModel | undefined,
  at: Position,
  path: readonly string[],
): TypeModel | Contradiction | undefined => (a && b ? bothOf(a, b, at, path) : (a ?? b));
