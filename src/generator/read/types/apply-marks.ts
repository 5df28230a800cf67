/** Applies markers to a type, with the words for one that is on the wrong type. */
import type { ValidationRule } from "../../../kube/schema/structural.ts";
import { type Position, type TypeModel, ruleKey } from "../../model.ts";
import { without } from "../../schema-keywords.ts";
import { embed } from "./embed.ts";
import { narrow } from "../code/keywords.ts";
import type { Mark } from "../marks/marks.ts";
import type { Reader } from "../code/reader.ts";
import { present } from "../../../present.ts";

/** The type with its markers applied. */
export function applyMarks(
  reader: Reader,
  type: TypeModel,
  marks: readonly Mark[],
): { type: TypeModel; required?: boolean; immutable: boolean } {
  let result = type;
  let required: boolean | undefined;
  let immutable = false;
  // A decorator that stands first is applied last, as in TypeScript; for rules the source's order counts.
  const rules: { rule: ValidationRule; at: Position }[] = [];
  // Markers that replace the schema come first: the other markers narrow it.
  const replacing = marks.map((mark) => {
    const { replaces, embed: embedded } = mark.definition.effect(...mark.values);
    return replaces === true || embedded !== undefined;
  });
  const ordered = [
    ...marks.filter((_, index) => replacing[index]),
    ...marks.filter((_, index) => !replacing[index]),
  ];
  for (const { shown, definition, values, at } of ordered) {
    const effect = definition.effect(...values);
    if (effect.required !== undefined) required = effect.required;
    if (effect.immutable) immutable = true;
    if (effect.replaces) {
      const { description } = result.schema;
      const said = description === undefined ? {} : { description };
      result = { schema: { ...said, ...effect.schema }, at, saidAt: new Map() };
      continue;
    }
    if (effect.embed) {
      result = embed(reader, result, effect.embed, at);
      continue;
    }
    if (result.unread) continue;
    if (!fits(definition.on, result)) {
      reader.findings.error(
        at,
        `marker-needs-${definition.on === "array" ? "list" : definition.on}`,
        `${shown} is on ${typeName(result)}.`,
        otherMarker(shown, definition.on, result),
      );
      continue;
    }
    const fixed = effect.optionalFields?.find((field) => isRequired(result, field));
    if (fixed !== undefined) {
      reader.findings.error(
        at,
        "field-needs-optional",
        `${shown} checks whether ${fixed} is set, which it always is.`,
        `Write ${fixed} with "?" and without a default, or leave it out.`,
      );
    }
    const { "x-kubernetes-validations": own = [] } = effect.schema ?? {};
    rules.push(...own.map((rule) => ({ rule, at })));
    const schema = without(effect.schema ?? {}, "x-kubernetes-validations");
    if (schema["x-kubernetes-int-or-string"] && result.schema.type === "string") {
      // This holds for numbers, too: the type keyword would forbid them.
      const rest = without(result.schema, "type");
      result = { ...result, schema: { ...rest, anyOf: [{ type: "integer" }, { type: "string" }] } };
    }
    result = narrow(result, schema, at);
  }
  const [firstRule] = rules;
  if (firstRule) {
    const texts = rules.map(({ rule }) => rule);
    result = narrow(result, { "x-kubernetes-validations": texts }, firstRule.at);
    for (const { rule, at } of rules) result.saidAt.set(ruleKey(rule.rule), at);
  }
  return { type: result, immutable, ...present({ required }) };
}

/** Whether a field is always there: required, or filled in. */
function isRequired({ properties = [] }: TypeModel, field: string): boolean {
  const property = properties.find(({ name }) => name === field);
  return (
    property !== undefined && (property.required || property.type.schema.default !== undefined)
  );
}

function fits(on: Mark["definition"]["on"], { schema }: TypeModel): boolean {
  switch (on) {
    case "number":
      return schema.type === "integer" || schema.type === "number";
    case "string":
      return schema.type === "string" || schema["x-kubernetes-int-or-string"] === true;
    case "array":
    case "object":
      return schema.type === on;
    case "any":
      return true;
  }
}

/** A type in a sentence: `a string`. */
function typeName({ schema }: TypeModel): string {
  if (schema["x-kubernetes-int-or-string"]) return "an int-or-string";
  switch (schema.type) {
    case "array":
      return "a list";
    case "object":
      return "an object";
    case "integer":
      return "a whole number";
    case undefined:
      return "a field of any type";
    default:
      return `a ${schema.type}`;
  }
}

const SIMILAR: Readonly<Record<string, readonly [string, string, string, string]>> = {
  // Names on a number, a string, a list, an object.
  Minimum: ["Minimum", "MinLength", "MinItems", "MinProperties"],
  Maximum: ["Maximum", "MaxLength", "MaxItems", "MaxProperties"],
};

/** The marker that says the same of such a type. */
function otherMarker(shown: string, on: string, { schema }: TypeModel): string {
  const stem = shown.slice(1).replace(/^(min|max)/, (start) => (start === "min" ? "Min" : "Max"));
  const row = Object.values(SIMILAR).find((names) => names.includes(stem));
  const column = { integer: 0, number: 0, string: 1, array: 2, object: 3, boolean: -1 };
  const other = row?.[column[schema.type ?? "boolean"]];
  const wanted = on === "array" ? "a list" : on === "object" ? "an object" : `a ${on}`;
  return other === undefined
    ? `Remove it, or make the field ${wanted}.`
    : `Use @${other}, or make the field ${wanted}.`;
}
