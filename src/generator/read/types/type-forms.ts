/**
 * The forms that types of several kinds come down to: lists, enumerations, merged objects, and the
 * placeholder for what has no schema.
 */
import type { Schema } from "../../../kube/schema/structural.ts";
import type { ts } from "../../load.ts";
import type { Position, PropertyModel, TypeModel } from "../../model.ts";
import { leaf, narrow } from "../code/keywords.ts";
import type { Literal } from "./literals.ts";
import type { Module } from "../code/module.ts";
import { without } from "../../schema-keywords.ts";
import { type Place, type Reader, type Trail, complain } from "../code/reader.ts";

export function unsupported(
  reader: Reader,
  place: Place,
  code: string,
  message: string,
  fix: string,
): TypeModel {
  complain(reader, place, code, message, fix);
  const at = reader.modules.at(place.module, place.node);
  return { ...leaf({ "x-kubernetes-preserve-unknown-fields": true }, at), unread: true };
}

/** A list of a type. */
export function listOf(
  reader: Reader,
  element: ts.TypeNode,
  module: Module,
  trail: Trail,
  at: Position,
): TypeModel {
  return listOfModel(reader.readType(reader, element, module, trail), at);
}

export const listOfModel = (items: TypeModel, at: Position): TypeModel => ({
  ...leaf({ type: "array" }, at),
  items: settled(items),
});

/** Whether a type is an object with fields, a record or one of any fields. */
export const isObject = ({ schema }: TypeModel): boolean => schema.type === "object";

/** Whether a type is one that an object beside it makes a brand of: a text, a number, a boolean or a list. */
export const isBrandable = ({ schema, unread }: TypeModel): boolean =>
  !unread && ((schema.type !== undefined && schema.type !== "object") || isEither(schema));

const isEither = (schema: Schema): boolean => schema["x-kubernetes-int-or-string"] === true;

/**
 * A type as it stands in a field, a list or a record.
 *
 * The API server refuses null where there is an enumeration, even one that has null in it; a rule is not asked
 * about null.
 */
export function settled(type: TypeModel): TypeModel {
  const { enum: values, nullable } = type.schema;
  if (!values || !nullable || !type.orNull) return type;
  const texts = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  const rule = {
    rule: `self in ${JSON.stringify(values)}`,
    message: `must be ${texts.join(", ")} or null`,
  };
  const longest = Math.max(...texts.map((text) => text.length));
  const bound = type.schema.type === "string" ? { maxLength: longest } : {};
  const open = { ...type, schema: without(type.schema, "enum") };
  return narrow(open, { ...bound, "x-kubernetes-validations": [rule] }, type.at);
}

/** The type without undefined. */
function withoutUndefined(type: TypeModel): TypeModel {
  const { maybeUndefined, ...rest } = type;
  return maybeUndefined ? rest : type;
}

/** A field with or without its question mark, as `Partial` and `Required` make it; its default stays. */
export function withOptional(property: PropertyModel, optional: boolean): PropertyModel {
  const { question, asked, ...rest } = property;
  if ((question ?? false) === optional) return property;
  if (optional) return { ...rest, question: true, required: false };
  const type = withoutUndefined(rest.type);
  return { ...rest, type, required: asked ?? type.schema.default === undefined };
}

const ENFORCED = "Condition";

export function enumeration(
  values: readonly Literal[],
  module: Module,
  trail: Trail,
  at: Position,
): TypeModel {
  const unique = [...new Set(values)];
  const open = module.builtIn && trail.at(-1)?.name?.getText() !== ENFORCED;
  const only: Schema = open ? {} : { enum: unique };
  if (unique.every((value) => typeof value === "string"))
    return leaf({ type: "string", ...only }, at);
  if (unique.every((value) => typeof value === "boolean")) {
    return leaf({ type: "boolean", ...(unique.length === 1 ? only : {}) }, at);
  }
  const whole = unique.every((value) => Number.isInteger(value));
  return leaf({ type: whole ? "integer" : "number", ...only }, at);
}
