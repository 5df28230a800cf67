/**
 * Unions of objects: one object with the fields of all arms, and rules that hold the arms apart.
 *
 * A schema has no unions. Where the arms differ in a tag (`{ type: "s3"; s3: S3 } | { type: "gcs"; ... }`),
 * the tag becomes an enumeration and each arm a rule; where each arm is one field, exactly one of them may be
 * set.
 */
import { escapeName } from "../../../kube/cel/escaping.ts";
import type { ValidationRule } from "../../../kube/schema/structural.ts";
import { schemaOf } from "../../emit/schema.ts";
import type { Position, PropertyModel, TypeModel } from "../../model.ts";
import { leaf, narrow } from "../code/keywords.ts";

/** The object that a union of these objects comes down to; `undefined` when nothing tells them apart. */
export function objectUnion(arms: readonly TypeModel[], at: Position): TypeModel | undefined {
  if (!arms.every(({ schema, properties }) => schema.type === "object" && properties)) {
    return undefined;
  }
  const tag = findTag(arms);
  const merged = tag === undefined ? oneFieldEach(arms) : mergeArms(arms, tag);
  if (!merged) return undefined;
  const rules =
    tag === undefined
      ? [exactlyOne(merged)]
      : arms.flatMap((arm) => armRule(arm, tag, merged) ?? []);
  const type = { ...leaf({ type: "object" }, at), properties: merged };
  if (rules.length === 0) return { ...type, isUnion: true };
  return { ...narrow(type, { "x-kubernetes-validations": rules }, at), isUnion: true };
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
        if (!values?.every((value) => typeof value === "string" && !seen.has(value))) return false;
        for (const value of values) seen.add(value);
        return true;
      });
    })?.name
  );
}

function mergeArms(arms: readonly TypeModel[], tag: string): PropertyModel[] | undefined {
  const merged = new Map<string, PropertyModel>();
  for (const property of arms.flatMap(fieldsOf)) {
    const { name } = property;
    const before = merged.get(name);
    const required = arms.every((arm) => fieldOf(arm, name)?.required);
    if (name === tag && before) {
      const values = [...(before.type.schema.enum ?? []), ...(property.type.schema.enum ?? [])];
      merged.set(name, {
        ...before,
        type: { ...before.type, schema: { ...before.type.schema, enum: values } },
      });
    } else if (!before) {
      merged.set(name, { ...property, required });
    } else if (JSON.stringify(schemaOf(before.type)) !== JSON.stringify(schemaOf(property.type))) {
      return undefined;
    }
  }
  return [...merged.values()];
}

/** The fields of `{ a: A } | { b: B }`. */
function oneFieldEach(arms: readonly TypeModel[]): PropertyModel[] | undefined {
  const fields = arms.flatMap(fieldsOf);
  const names = new Set(fields.map(({ name }) => name));
  const alone = arms.every((arm) => fieldsOf(arm).length === 1 && fieldsOf(arm)[0]?.required);
  return alone && names.size === arms.length
    ? fields.map((field) => ({ ...field, required: false }))
    : undefined;
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
  const values = fieldOf(arm, tag)?.type.schema.enum ?? [];
  const needed = fieldsOf(arm).filter(
    ({ name, required }) =>
      required && !merged.some((field) => field.name === name && field.required),
  );
  const foreign = merged.filter(({ name }) => !fieldOf(arm, name));
  const field = `self.${escapeName(tag) ?? tag}`;
  const isArm =
    values.length === 1
      ? `${field} == ${JSON.stringify(values[0])}`
      : `${field} in ${JSON.stringify(values)}`;
  const terms = [
    ...needed.map(({ name }) => has(name)),
    ...foreign.map(({ name }) => `!${has(name)}`),
  ];
  const names = (fields: readonly PropertyModel[]): string =>
    fields.map(({ name }) => name).join(", ");
  const says = [
    ...(needed.length > 0 ? [`needs ${names(needed)}`] : []),
    ...(foreign.length > 0 ? [`does not take ${names(foreign)}`] : []),
  ];
  if (terms.length === 0) return undefined;
  return {
    rule: `!(${isArm}) || (${terms.join(" && ")})`,
    message: `${tag} ${values.map(String).join(" or ")} ${says.join(" and ")}`,
  };
}
