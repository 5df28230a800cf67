/** Mistakes that a generator could make in a schema: the judge has to find them. */
import type { Schema } from "../../../src/kube/schema/structural.ts";
import type { Random } from "../../support/random.ts";

/** Changes a part of a schema in place. Returns whether it could. */
type Change = (part: Schema) => boolean;

function without(part: Schema, keyword: keyof Schema): boolean {
  if (part[keyword] === undefined) return false;
  Reflect.deleteProperty(part, keyword);
  return true;
}

/** The mistakes by title. */
export const CHANGES: ReadonlyMap<string, Change> = new Map<string, Change>([
  ["an optional field", ({ required }) => required?.pop() !== undefined],
  [
    "a required field",
    (part) => {
      const { properties = {}, required = [] } = part;
      const name = Object.keys(properties).find((one) => !required.includes(one));
      if (name === undefined || properties[name]?.default !== undefined) return false;
      part.required = [...required, name];
      return true;
    },
  ],
  [
    "a value too few",
    ({ enum: values }) => (values?.length ?? 0) > 1 && values?.pop() !== undefined,
  ],
  ["any text", (part) => part.type === "string" && without(part, "enum")],
  ["no null", (part) => without(part, "nullable")],
  [
    "null as well",
    (part) => {
      if (part.nullable === true || part.type === undefined) return false;
      part.nullable = true;
      return true;
    },
  ],
  [
    "a number for a text",
    (part) => {
      if (part.type !== "string") return false;
      for (const keyword of Object.keys(part)) Reflect.deleteProperty(part, keyword);
      part.type = "integer";
      return true;
    },
  ],
  [
    "an object without a field",
    ({ properties = {}, required = [] }) => {
      const name = Object.keys(properties).find((one) => required.includes(one));
      if (name === undefined) return false;
      Reflect.deleteProperty(properties, name);
      required.splice(required.indexOf(name), 1);
      return true;
    },
  ],
  ["no minimum", (part) => without(part, "minimum")],
  ["no pattern", (part) => !part.enum && without(part, "pattern")],
  [
    "no rules",
    (part) => {
      const rules = part["x-kubernetes-validations"] ?? [];
      // Rules about an old value say nothing of a new one.
      if (rules.length === 0 || rules.some(({ rule }) => /oldSelf/.test(rule))) return false;
      return without(part, "x-kubernetes-validations");
    },
  ],
]);

/** The schema of a field with a mistake in one of its parts; `undefined` when there is no place for it. */
export function withMistake(schema: Schema, change: Change, random: Random): Schema | undefined {
  const copy = structuredClone(schema);
  return random.shuffled([...partsOf(copy)]).some(change) ? copy : undefined;
}

function* partsOf(schema: Schema): Generator<Schema> {
  yield schema;
  for (const part of Object.values(schema.properties ?? {})) yield* partsOf(part);
  if (schema.items) yield* partsOf(schema.items);
  if (typeof schema.additionalProperties === "object") yield* partsOf(schema.additionalProperties);
}
