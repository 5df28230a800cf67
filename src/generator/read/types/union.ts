/**
 * Unions, `A | B`: the common schema of the members.
 *
 * A field has one type in a CRD. Several values of one type are an enumeration, several forms of texts one pattern,
 * numbers beside texts an int-or-string, and objects that a tag tells apart one object with rules.
 */
import type { Schema } from "../../../kube/schema/structural.ts";
import { literalPattern } from "../../../kube/text/literal-pattern.ts";
import type { Position, TypeModel } from "../../model.ts";
import { without } from "../../schema-keywords.ts";
import { leaf, narrow } from "../code/keywords.ts";
import { objectUnion } from "./object-union.ts";
import { scalars } from "./scalars.ts";
import { isObject } from "./type-forms.ts";

/** The type that a union of these comes down to; `undefined` when a CRD has no word for it. */
export function unionOf(members: readonly TypeModel[], at: Position): TypeModel | undefined {
  const [only] = members;
  if (only && members.length === 1) return only;
  const unread = members.find(isUnread);
  if (unread) return unread;
  const arms = members.map((type) => ({ ...type, schema: without(type.schema, "nullable") }));
  const type = combined(arms, at);
  if (!type) return undefined;
  const nullable = members.some(({ schema }) => schema.nullable === true);
  const maybe = members.some(({ maybeUndefined }) => maybeUndefined);
  const result: TypeModel = nullable ? { ...narrow(type, { nullable }, at), orNull: true } : type;
  return maybe ? { ...result, maybeUndefined: true } : result;
}

/** Whether something in a type could not be read, of which enough is said. */
function isUnread({ unread, items, values, properties = [] }: TypeModel): boolean {
  return (
    unread === true ||
    [items, values].some((part) => part && isUnread(part)) ||
    properties.some(({ type }) => isUnread(type))
  );
}

function combined(arms: readonly TypeModel[], at: Position): TypeModel | undefined {
  if (arms.every(isObject)) return objectUnion(arms, at, unionOf);
  const schemas = arms.map(({ schema }) => without(schema, "description", "title"));
  const [first] = schemas;
  if (first && schemas.every((schema) => JSON.stringify(schema) === JSON.stringify(first))) {
    // `string | string`, by two names; of lists and objects the parts would have to be compared too.
    return arms.some(({ items, values }) => items ?? values) ? undefined : leaf(first, at);
  }
  // A bound that one member has and the other has not cannot be said.
  if (!schemas.every(isPlain)) return undefined;
  if (schemas.every(isText)) return textOf(schemas, at);
  if (schemas.every(({ type }) => type === "boolean")) return booleanOf(schemas, at);
  const numbers = schemas.every(({ type }) => type === "integer" || type === "number");
  if (numbers) {
    const values = schemas.every((schema) => schema.enum);
    const whole = schemas.every(({ type }) => type === "integer");
    if (!values) return undefined;
    return leaf({ type: whole ? "integer" : "number", enum: valuesOf(schemas) }, at);
  }
  const open = schemas.every((schema) => !schema.enum && schema.pattern === undefined);
  const texts = schemas.some(({ type }) => type === "string");
  const either = schemas.every(({ type }) => type === "string" || type === "integer");
  return texts && either && open ? leaf({ ...scalars.get("IntOrString") }, at) : undefined;
}

const PLAIN = new Set(["type", "format", "enum", "pattern"]);

const isPlain = (schema: Schema): boolean =>
  Object.keys(schema).every((keyword) => PLAIN.has(keyword));

const isText = ({ type, format }: Schema): boolean => type === "string" && format === undefined;

const valuesOf = (schemas: readonly Schema[]): NonNullable<Schema["enum"]> => [
  ...new Set(schemas.flatMap((schema) => schema.enum ?? [])),
];

function textOf(schemas: readonly Schema[], at: Position): TypeModel {
  if (schemas.every((schema) => schema.enum)) {
    return leaf({ type: "string", enum: valuesOf(schemas) }, at);
  }
  // A member that is any text takes the others in.
  if (schemas.some((schema) => !schema.enum && schema.pattern === undefined)) {
    return leaf({ type: "string" }, at);
  }
  const patterns = schemas.flatMap(({ enum: values, pattern = "" }) =>
    values
      ? values.map(
          (value) =>
            `^${literalPattern(typeof value === "string" ? value : JSON.stringify(value))}$`,
        )
      : [pattern],
  );
  return leaf({ type: "string", pattern: [...new Set(patterns)].join("|") }, at);
}

function booleanOf(schemas: readonly Schema[], at: Position): TypeModel {
  const values = valuesOf(schemas);
  const all = values.length === 2 || schemas.some((schema) => !schema.enum);
  return leaf({ type: "boolean", ...(all ? {} : { enum: values }) }, at);
}
