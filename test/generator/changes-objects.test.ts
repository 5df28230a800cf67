/**
 * The change gate, against what the API server's own steps do with an object: where it says that nothing
 * breaks, every object that was stored is still accepted, and nothing of it is lost.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareSchemas } from "../../src/generator/changes/compare-schemas.ts";
import { dropNulls, setDefaults } from "../../src/kube/schema/defaults.ts";
import { listErrors } from "../../src/kube/schema/lists.ts";
import { prune } from "../../src/kube/schema/prune.ts";
import { declaredType } from "../../src/kube/cel/declared-type.ts";
import { compileRules } from "../../src/kube/rules/rules.ts";
import { RuleChecker } from "../../src/kube/rules/rule-check.ts";
import type { Schema, ValidationRule } from "../../src/kube/schema/structural.ts";
import { SchemaValidator } from "../../src/kube/schema/validate.ts";

/** Keywords of which each is there or not. */
const some = (keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Schema> =>
  fc.record(keywords, { requiredKeys: [] });

/** Some of the rules, in the order of their kind. */
const rules = (...texts: string[]): fc.Arbitrary<ValidationRule[]> =>
  fc.subarray(texts, { minLength: 1 }).map((chosen) => chosen.map((rule) => ({ rule })));

const text = some({
  minLength: fc.integer({ min: 0, max: 2 }),
  maxLength: fc.integer({ min: 1, max: 4 }),
  enum: fc.subarray(["a", "ab", "abc"], { minLength: 1 }),
  pattern: fc.constantFrom("^a", "b$", "^[a-c]*$", "^(a|b)+$", "^.{1,2}$", "[bc]"),
  format: fc.constantFrom("date", "of-no-one"),
  default: fc.constantFrom("a", "ab"),
  nullable: fc.boolean(),
  "x-kubernetes-validations": rules(
    "self != 'a'",
    "self.size() < 3",
    "3 > self.size()",
    "self >= 'ab'",
  ),
}).map((keywords): Schema => sound({ type: "string", ...keywords }));

/** A node that the API server takes: its rules compile, and it has no default that it would refuse itself. */
function sound(node: Schema): Schema {
  const { "x-kubernetes-validations": checks, multipleOf, ...plain } = node;
  const { default: fallback, ...rest }: Schema = {
    ...plain,
    ...(checks && compile(node, checks) ? { "x-kubernetes-validations": checks } : {}),
    ...(multipleOf === undefined || (node.type === "integer" && multipleOf < 1)
      ? {}
      : { multipleOf }),
  };
  if (fallback === undefined) return rest;
  const errors = [
    ...new SchemaValidator(rest).validate(fallback),
    ...new RuleChecker(rest, false).check(fallback, undefined),
  ];
  return errors.length > 0 ? rest : { ...rest, default: fallback };
}

function compile(node: Schema, checks: readonly ValidationRule[]): boolean {
  const type = declaredType(node, false);
  return (
    type !== undefined &&
    compileRules({ ...node, "x-kubernetes-validations": [...checks] }, type, false).every(
      ({ error }) => !error,
    )
  );
}

const number = some({
  minimum: fc.integer({ min: 0, max: 3 }),
  maximum: fc.integer({ min: 2, max: 8 }),
  exclusiveMinimum: fc.boolean(),
  multipleOf: fc.integer({ min: 1, max: 4 }),
  format: fc.constantFrom("int32", "int64"),
  nullable: fc.boolean(),
}).map(({ exclusiveMinimum, ...keywords }): Schema => ({
  type: "integer",
  ...keywords,
  ...(keywords.minimum === undefined || exclusiveMinimum === undefined ? {} : { exclusiveMinimum }),
}));

const fraction = some({
  minimum: fc.constantFrom(0, 0.25, 1),
  maximum: fc.constantFrom(1, 2.75, 4),
  exclusiveMinimum: fc.boolean(),
  multipleOf: fc.constantFrom(0.25, 0.5),
}).map(({ exclusiveMinimum, ...keywords }): Schema => ({
  type: "number",
  ...keywords,
  ...(keywords.minimum === undefined || exclusiveMinimum === undefined ? {} : { exclusiveMinimum }),
}));

/** Objects of which one field says which other ones there are. */
const union = fc.subarray(["a", "b", "c"], { minLength: 1 }).map((variants): Schema => ({
  type: "object",
  properties: {
    tag: { type: "string", enum: variants },
    ...Object.fromEntries(variants.map((name) => [name, { type: "integer" }])),
  },
  required: ["tag"],
  "x-kubernetes-validations": variants.map((name) => {
    const others = variants
      .filter((other) => other !== name)
      .map((other) => ` && !has(self.${other})`);
    return { rule: `self.tag != '${name}' || (has(self.${name})${others.join("")})` };
  }),
}));

const other = fc.constantFrom<Schema>(
  { type: "boolean" },
  { "x-kubernetes-int-or-string": true },
  { "x-kubernetes-preserve-unknown-fields": true },
);

const leaf = fc.oneof(text, number, fraction, other, union);

/** An object of up to three fields, a record or a list of what `inner` makes. */
function around(inner: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  const names = ["a", "b", "c"];
  const object = fc
    .record({
      properties: fc.dictionary(fc.constantFrom(...names), inner, { maxKeys: 3 }),
      required: fc.subarray(names),
      open: fc.boolean(),
    })
    .map(({ properties, required, open }): Schema => ({
      type: "object",
      properties: { ...properties },
      required: required.filter((name) => Object.hasOwn(properties, name)),
      ...(open ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    }));
  const record = fc
    .tuple(inner, some({ maxProperties: fc.integer({ min: 1, max: 3 }) }))
    .map(([values, rest]): Schema => ({ type: "object", additionalProperties: values, ...rest }));
  const list = fc
    .tuple(leaf, some({ minItems: fc.integer({ min: 0, max: 2 }), set: fc.constant(true) }))
    .map(([items, { set, ...rest }]: [Schema, Schema & { set?: boolean }]): Schema => ({
      type: "array",
      items,
      ...rest,
      ...(set ? { "x-kubernetes-list-type": "set" } : {}),
    }));
  return fc.oneof(object, object, record, list);
}

const schema = around(fc.oneof(leaf, around(leaf)));

/** The schema with some of its parts as another one has them. */
function mixed(one: Schema, another: Schema, take: () => boolean): Schema {
  if (one.type !== another.type || take()) return another;
  const result: Record<string, unknown> = { ...one };
  for (const key of new Set([...Object.keys(one), ...Object.keys(another)])) {
    const [a, b] = [one, another].map((from) => (from as Record<string, unknown>)[key]);
    if (key === "items" || key === "additionalProperties") {
      if (a && b) result[key] = mixed(a, b, take);
    } else if (key === "properties") {
      const [old, fresh] = [a ?? {}, b ?? {}] as Record<string, Schema>[];
      const names = new Set([...Object.keys(old ?? {}), ...Object.keys(fresh ?? {})]);
      result[key] = Object.fromEntries(
        [...names].flatMap((name) => {
          const [x, y] = [old?.[name], fresh?.[name]];
          if (x && y) return [[name, mixed(x, y, take)]];
          const left = take() ? y : x;
          return left ? [[name, left]] : [];
        }),
      );
    } else if (take()) {
      if (b === undefined) delete result[key];
      else result[key] = b;
    }
  }
  const required = (result["required"] ?? []) as string[];
  const properties = result["properties"] ?? {};
  return sound({ ...result, required: required.filter((name) => Object.hasOwn(properties, name)) });
}

/** A value that might be one of the schema. */
function valueOf(of: Schema, pick: (count: number) => number): unknown {
  if (of.nullable && pick(4) === 0) return null;
  switch (of.type) {
    case "string":
      return ["", "a", "ab", "abc", "b", "2026-01-31"][pick(6)];
    case "integer":
      return pick(10);
    case "number":
      return pick(24) / 8;
    case "boolean":
      return pick(2) === 0;
    case "array":
      return Array.from({ length: pick(4) }, () => valueOf(of.items ?? {}, pick));
    case "object": {
      const { properties = {}, additionalProperties: values } = of;
      const names = Object.keys(properties).filter((name) => {
        return of.required?.includes(name) === true || pick(3) > 0;
      });
      const fields = names.map((name) => [name, valueOf(properties[name] ?? {}, pick)]);
      const open = of["x-kubernetes-preserve-unknown-fields"] === true;
      const more = typeof values === "object" || open ? ["a", "b", "c"].slice(pick(4)) : [];
      const others = more.map((name) => [
        name,
        typeof values === "object" ? valueOf(values, pick) : [1, "x", { y: 1 }][pick(3)],
      ]);
      return Object.fromEntries([...others, ...fields]) as unknown;
    }
    default:
      return [1, "x", "12"][pick(3)];
  }
}

/** What a write makes of a value: what is lost, and why it is refused. */
function write(of: Schema, value: unknown): { lost: string[]; errors: string[] } {
  const lost = prune(value, of);
  dropNulls(value, of);
  setDefaults(value, of);
  const errors = [
    ...new SchemaValidator(of).validate(value),
    ...listErrors(value, of),
    ...new RuleChecker(of, false).check(value, undefined),
  ];
  return { lost, errors: errors.map(({ field, message }) => `${field}: ${message}`) };
}

describe("the change gate and stored objects", () => {
  it("agree: where nothing is breaking, every stored object is still accepted whole", () => {
    const seen = { kept: 0, broken: 0 };
    fc.assert(
      fc.property(schema, schema, fc.infiniteStream(fc.nat(1000)), (before, another, numbers) => {
        const pick = (count: number): number => (numbers.next().value as number) % count;
        const after = mixed(before, another, () => pick(7) === 0);
        const value = valueOf(before, pick);
        const { errors } = write(before, value);
        fc.pre(errors.length === 0);
        const breaking = compareSchemas(before, after).filter(
          ({ severity }) => severity === "breaking",
        );
        const now = write(after, structuredClone(value));
        if (now.errors.length > 0 || now.lost.length > 0) seen.broken++;
        if (breaking.length > 0) return;
        seen.kept++;
        expect(now).toEqual({ lost: [], errors: [] });
      }),
      { numRuns: 4000, seed: 20261121 },
    );
    expect(seen.kept).toBeGreaterThan(500);
    expect(seen.broken).toBeGreaterThan(500);
  });
});
