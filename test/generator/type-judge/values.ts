/** Random JSON values at the border of a type: some that it has, some that a schema has, and their neighbors. */
import ts from "typescript";
import type { Schema } from "../../../src/kube/schema/structural.ts";
import type { Random } from "../../support/random.ts";
import { itemOf, type TypeVerdicts } from "./verdict.ts";

const DEEPEST = 7;
const TEXTS = ["", "a", "b", "on", "low", "x-a", "zz", "Running", "2026-01-02T15:04:05Z", "1m"];
const NUMBERS = [0, 1, 2, 3, 4, 50, 101, -1];
const NAMES = ["a", "b", "name", "k0", "x-y"];

/** A value of a type, as far as one is found. */
export function valueOfType(
  types: TypeVerdicts,
  type: ts.Type,
  random: Random,
  depth = 0,
): unknown {
  const { flags } = type;
  const of = (part: ts.Type): unknown => valueOfType(types, part, random, depth + 1);
  if (type.isUnion()) {
    const parts = type.types.filter((part) => !(part.flags & ts.TypeFlags.Undefined));
    return parts.length === 0 ? null : of(random.pick(parts));
  }
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  if (flags & ts.TypeFlags.BooleanLiteral) {
    return (type as ts.Type & { readonly intrinsicName?: string }).intrinsicName === "true";
  }
  if (flags & ts.TypeFlags.TemplateLiteral)
    return textOfTemplate(type as ts.TemplateLiteralType, of);
  if (flags & ts.TypeFlags.StringLike) return random.pick(TEXTS);
  if (flags & ts.TypeFlags.NumberLike) return random.pick(NUMBERS);
  if (flags & ts.TypeFlags.Boolean) return random.chance(0.5);
  if (flags & ts.TypeFlags.Null) return null;
  if (type.isIntersection()) {
    const plain = type.types.find((part) => !(part.flags & ts.TypeFlags.Object));
    if (plain) return of(plain);
  }
  if (!(flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)))
    return random.pick([{}, "a", 1]);
  const list = types.listOf(type);
  if (list) {
    const more = list.rest === undefined ? list.items.length - list.least : depth > 4 ? 0 : 3;
    const length = list.least + random.below(more + 1);
    return Array.from({ length }, (_, index) => {
      const item = itemOf(list, index, length);
      return item ? of(item) : null;
    });
  }
  const object: Record<string, unknown> = {};
  for (const field of types.fieldsOf(type)) {
    const isLeft = field.optional || field.omitted;
    if (isLeft && (depth > DEEPEST || random.chance(0.4))) continue;
    object[field.name] = depth > DEEPEST * 2 ? null : of(field.type);
  }
  const values = types.valuesOf(type);
  if (values && depth < DEEPEST) {
    for (const name of random.some(NAMES, 0.3)) object[name] ??= of(values);
  }
  return object;
}

function textOfTemplate(
  { texts, types }: ts.TemplateLiteralType,
  of: (type: ts.Type) => unknown,
): string {
  return texts.map((text, index) => text + (types[index] ? String(of(types[index])) : "")).join("");
}

/** A value that a schema takes, as far as one is found. */
export function valueOfSchema(schema: Schema, random: Random, depth = 0): unknown {
  const of = (part: Schema): unknown => valueOfSchema(part, random, depth + 1);
  if (schema.nullable === true && random.chance(0.3)) return null;
  if (schema.enum && schema.enum.length > 0) return random.pick(schema.enum);
  if (schema["x-kubernetes-int-or-string"] === true) return random.pick(["a", 1, "25%"]);
  switch (schema.type) {
    case "string":
      return random.pick(TEXTS);
    case "integer":
      return random.pick(NUMBERS);
    case "number":
      return random.pick([...NUMBERS, 0.5]);
    case "boolean":
      return random.chance(0.5);
    case "array": {
      const { minItems = 0, maxItems = 3 } = schema;
      const length = minItems + random.below(Math.max(1, maxItems - minItems + 1));
      return Array.from({ length }, () => (schema.items ? of(schema.items) : "a"));
    }
    case "object": {
      const { properties = {}, required = [], additionalProperties } = schema;
      const object: Record<string, unknown> = {};
      for (const [name, part] of Object.entries(properties)) {
        if (required.includes(name) || random.chance(0.5)) object[name] = of(part);
      }
      if (typeof additionalProperties === "object") {
        for (const name of random.some(NAMES, 0.3)) object[name] = of(additionalProperties);
      }
      return object;
    }
    default:
      return random.pick<unknown>([{}, { a: 1 }, "a", 1, ["a"], true]);
  }
}

/** Values that no type is likely to have beside another. */
const STRANGERS: readonly unknown[] = [
  null,
  "",
  "zz",
  "a",
  0,
  1,
  7,
  0.5,
  true,
  false,
  [],
  ["a"],
  {},
  { a: 1 },
  { zz: "zz" },
];

/** A neighbor of a value: one part of it is another. */
export function neighborOf(value: unknown, random: Random): unknown {
  if (Array.isArray(value) && random.chance(0.8)) {
    const index = random.below(value.length + 1);
    if (index === value.length) return [...value, random.pick([...STRANGERS, ...value])];
    if (random.chance(0.3)) return value.toSpliced(index, 1);
    return value.with(index, neighborOf(value[index], random));
  }
  if (typeof value === "object" && value !== null && random.chance(0.85)) {
    const entries = Object.entries(value);
    const index = random.below(entries.length + 1);
    const entry = entries[index];
    if (!entry) return { ...value, [random.pick([...NAMES, "size"])]: random.pick(STRANGERS) };
    if (random.chance(0.4)) return Object.fromEntries(entries.toSpliced(index, 1));
    return { ...value, [entry[0]]: neighborOf(entry[1], random) };
  }
  if (typeof value === "number" && random.chance(0.5)) return value + random.pick([1, -1, 0.5]);
  if (typeof value === "string" && random.chance(0.4)) {
    return random.pick([`${value}x`, value.slice(1), value.toUpperCase(), `${value}\n`]);
  }
  return random.pick(STRANGERS);
}
