/**
 * Unions of objects: one object with the fields of all arms, and rules that hold the arms apart.
 *
 * A schema has no unions. Where the arms differ in a tag (`{ type: "s3"; s3: S3 } | { type: "gcs"; ... }`),
 * the tag becomes an enumeration and each arm a rule; where each arm is one field, exactly one of them may be
 * set; else one rule says that an object has the fields of one arm.
 */
import { escapeName } from "../../../kube/cel/escaping.ts";
import type { Schema, ValidationRule } from "../../../kube/schema/structural.ts";
import { present } from "../../../present.ts";
import { schemaOf } from "../../emit/schema.ts";
import type { Position, PropertyModel, TypeModel } from "../../model.ts";
import { without } from "../../schema-keywords.ts";
import { leaf, narrow } from "../code/keywords.ts";

/** Joins the types of one field in several arms; `undefined` when a CRD has no word for it. */
type Join = (types: readonly TypeModel[], at: Position) => TypeModel | undefined;

/** The object that a union of these objects comes down to; `undefined` when a schema cannot say it. */
export function objectUnion(
  arms: readonly TypeModel[],
  at: Position,
  join: Join,
): TypeModel | undefined {
  if (!arms.every(({ schema, properties }) => schema.type === "object" && properties)) {
    return undefined;
  }
  const common = commonKeywords(arms);
  const tag = findTag(arms);
  const merged = common && mergeArms(arms, at, join);
  if (!merged) return undefined;
  const isOneEach = tag === undefined && areOneFieldEach(arms);
  const conditions = arms.map((arm) => conditionOf(arm, tag, merged));
  const rules = isOneEach
    ? [exactlyOne(merged)]
    : tag === undefined
      ? anyArm(arms, merged)
      : arms.flatMap((arm) => armRule(arm, tag, merged) ?? []);
  // The rules of an arm hold in that arm.
  const own = arms.flatMap(({ schema }, index) =>
    (schema["x-kubernetes-validations"] ?? []).map((rule) => ({
      ...rule,
      rule: `!(${conditions[index] ?? "true"}) || (${rule.rule})`,
    })),
  );
  const all = [...rules, ...own];
  const type = { ...leaf({ type: "object", ...common }, at), properties: merged };
  if (all.length === 0) return { ...type, isUnion: true };
  return { ...narrow(type, { "x-kubernetes-validations": all }, at), isUnion: true };
}

/** The keywords that hold in each arm, besides rules and texts; `undefined` where arms differ in them. */
function commonKeywords(arms: readonly TypeModel[]): Schema | undefined {
  const [first, ...others] = arms.map(({ schema }) =>
    without(schema, "type", "description", "title", "x-kubernetes-validations"),
  );
  const shown = JSON.stringify(first);
  return others.every((one) => JSON.stringify(one) === shown) ? first : undefined;
}

const fieldsOf = ({ properties = [] }: TypeModel): readonly PropertyModel[] => properties;
const fieldOf = (type: TypeModel, name: string): PropertyModel | undefined =>
  fieldsOf(type).find((property) => property.name === name);

/** The field that every arm requires, with values of its own in each. */
function findTag(arms: readonly TypeModel[]): string | undefined {
  const [first, ...others] = arms;
  return (
    first &&
    fieldsOf(first).find(({ name }) => {
      const seen = new Set<unknown>();
      return [first, ...others].every((arm) => {
        const field = fieldOf(arm, name);
        const values = field?.required ? field.type.schema.enum : undefined;
        if (!values || values.some((value) => seen.has(value))) return false;
        for (const value of values) seen.add(value);
        return true;
      });
    })?.name
  );
}

/** The fields of all arms; `undefined` where a field's types cannot be told apart by a rule. */
function mergeArms(
  arms: readonly TypeModel[],
  at: Position,
  join: Join,
): PropertyModel[] | undefined {
  const merged = new Map<string, PropertyModel>();
  for (const { name } of arms.flatMap(fieldsOf)) {
    if (merged.has(name)) continue;
    const fields = arms.flatMap((arm) => fieldOf(arm, name) ?? []);
    const [first] = fields;
    const isSame = fields.every(({ type }) => shownType(type) === shownType(first?.type ?? type));
    const types = fields.map(({ type }) => type);
    const type = isSame ? first?.type : join(types, at);
    if (!first || !type) return undefined;
    // A default would be filled in where the other arms do not take the field.
    if (fields.length < arms.length && type.schema.default !== undefined) return undefined;
    if (!isSame && !types.every((one) => constraintOf(name, one, type) !== undefined)) {
      return undefined;
    }
    const required = arms.every((arm) => fieldOf(arm, name)?.required);
    // To a rule, a field that is null is absent.
    const isNull = fields.some((field) => field.required && field.type.schema.nullable);
    if (!required && isNull) return undefined;
    const description = first.type.schema.description;
    merged.set(name, { ...first, required, type: narrow(type, present({ description }), at) });
  }
  return [...merged.values()];
}

const shownType = (type: TypeModel): string =>
  JSON.stringify(schemaOf({ ...type, schema: without(type.schema, "description", "title") }));

/** What a field's value has to be in an arm, as a rule; empty when any value of the merged field is. */
function constraintOf(name: string, type: TypeModel, merged: TypeModel): string | undefined {
  if (shownType(type) === shownType(merged)) return "";
  const { enum: values, type: kind } = type.schema;
  const keywords = Object.keys(
    without(type.schema, "description", "title", "type", "enum", "format"),
  );
  if (keywords.length > 0) return undefined;
  if (values) return isOneOf(name, values);
  if (!merged.schema["x-kubernetes-int-or-string"]) return undefined;
  return `type(${self(name)}) == ${kind === "string" ? "string" : "int"}`;
}

const self = (name: string): string => `self.${escapeName(name) ?? name}`;

function isOneOf(name: string, values: readonly unknown[]): string {
  return values.length === 1
    ? `${self(name)} == ${JSON.stringify(values[0])}`
    : `${self(name)} in ${JSON.stringify(values)}`;
}

/** Whether it is `{ a: A } | { b: B }`. */
function areOneFieldEach(arms: readonly TypeModel[]): boolean {
  const names = new Set(arms.flatMap(fieldsOf).map(({ name }) => name));
  const isAlone = arms.every((arm) => fieldsOf(arm).length === 1 && fieldsOf(arm)[0]?.required);
  return isAlone && names.size === arms.length;
}

/** The terms that hold of an arm's objects, beside its tag. */
function termsOf(
  arm: TypeModel,
  tag: string | undefined,
  merged: readonly PropertyModel[],
): { needed: PropertyModel[]; foreign: PropertyModel[]; values: PropertyModel[]; terms: string[] } {
  const isAlways = (name: string): boolean =>
    merged.some((field) => field.name === name && field.required);
  const needed = fieldsOf(arm).filter(({ name, required }) => required && !isAlways(name));
  const foreign = merged.filter(({ name }) => !fieldOf(arm, name));
  const mergedType = (name: string): TypeModel | undefined =>
    merged.find((field) => field.name === name)?.type;
  const constraint = ({ name, type }: PropertyModel): string =>
    constraintOf(name, type, mergedType(name) ?? type) ?? "";
  const values = fieldsOf(arm).filter((field) => field.name !== tag && constraint(field) !== "");
  const terms = [
    ...needed.map(({ name }) => has(name)),
    ...foreign.map(({ name }) => `!${has(name)}`),
    ...values.map((field) =>
      field.required ? constraint(field) : `(!${has(field.name)} || ${constraint(field)})`,
    ),
  ];
  return { needed, foreign, values, terms };
}

/** Whether an object is of an arm. */
function conditionOf(
  arm: TypeModel,
  tag: string | undefined,
  merged: readonly PropertyModel[],
): string {
  if (tag !== undefined) return isOneOf(tag, fieldOf(arm, tag)?.type.schema.enum ?? []);
  const { terms } = termsOf(arm, tag, merged);
  return terms.length === 0 ? "true" : terms.join(" && ");
}

/** The rule that an object without a tag is of one arm or another. */
function anyArm(arms: readonly TypeModel[], merged: readonly PropertyModel[]): ValidationRule[] {
  const conditions = arms.map((arm) => conditionOf(arm, undefined, merged));
  if (conditions.includes("true")) return [];
  const shown = arms.map(
    (arm) =>
      `[${fieldsOf(arm)
        .map(({ name }) => name)
        .join(" ")}]`,
  );
  return [
    {
      rule: conditions.map((condition) => `(${condition})`).join(" || "),
      message: `must have the fields of one of ${shown.join(", ")}`,
    },
  ];
}

const has = (name: string): string => `has(self.${escapeName(name) ?? name})`;

function exactlyOne(fields: readonly PropertyModel[]): ValidationRule {
  return {
    rule: `${fields.map(({ name }) => `(${has(name)}?1:0)`).join("+")} == 1`,
    message: `exactly one of the fields in [${fields.map(({ name }) => name).join(" ")}] must be set`,
  };
}

/**
 * The rule of one arm: with this tag, the arm's own fields are there and those of the others are
 * not.
 */
function armRule(
  arm: TypeModel,
  tag: string,
  merged: readonly PropertyModel[],
): ValidationRule | undefined {
  const tagged = fieldOf(arm, tag)?.type.schema.enum ?? [];
  const { needed, foreign, values, terms } = termsOf(arm, tag, merged);
  const names = (fields: readonly PropertyModel[]): string =>
    fields.map(({ name }) => name).join(", ");
  const says = [
    ...(needed.length > 0 ? [`needs ${names(needed)}`] : []),
    ...(foreign.length > 0 ? [`does not take ${names(foreign)}`] : []),
    ...(values.length > 0 ? [`has its own values of ${names(values)}`] : []),
  ];
  if (terms.length === 0) return undefined;
  return {
    rule: `!(${isOneOf(tag, tagged)}) || (${terms.join(" && ")})`,
    message: `${tag} ${tagged.map(String).join(" or ")} ${says.join(" and ")}`,
  };
}
