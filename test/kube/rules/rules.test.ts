import { describe, expect, it } from "vitest";
import { formatFieldError } from "../../../src/kube/field-errors.ts";
import { Correlation } from "../../../src/kube/schema/correlation.ts";
import { declaredType } from "../../../src/kube/cel/declared-type.ts";
import { RuleChecker } from "../../../src/kube/rules/rule-check.ts";
import { compileRules } from "../../../src/kube/rules/rules.ts";
import type { Schema, ValidationRule } from "../../../src/kube/schema/structural.ts";

const NUMBERS = {
  replicas: { type: "integer" },
  minimum: { type: "integer" },
  "a-b": { type: "string" },
  tags: { type: "array", items: { type: "string" } },
} as const;

function schemaWith(...rules: (ValidationRule | string)[]): Schema {
  return {
    type: "object",
    properties: NUMBERS,
    "x-kubernetes-validations": rules.map((rule) => (typeof rule === "string" ? { rule } : rule)),
  };
}

function failures(schema: Schema, value: unknown, old?: unknown): string[] {
  return new RuleChecker(schema, false).check(value, old, { path: "spec" }).map(formatFieldError);
}

describe("Rules", () => {
  it("that hold say nothing", () => {
    const schema = schemaWith("self.minimum <= self.replicas", "!has(self.tags)");
    expect(failures(schema, { minimum: 1, replicas: 2 })).toEqual([]);
  });

  it.each<[string, ValidationRule, string]>([
    [
      "name the rule",
      { rule: "self.replicas > 5" },
      "spec: Invalid value: failed rule: self.replicas > 5",
    ],
    [
      "say their message",
      { rule: "self.replicas > 5", message: "too few" },
      "spec: Invalid value: too few",
    ],
    [
      "say what an expression makes of the value",
      { rule: "self.replicas > 5", messageExpression: "'got ' + string(self.replicas)" },
      "spec: Invalid value: got 2",
    ],
    [
      "fall back on the message when the expression fails",
      { rule: "self.replicas > 5", message: "too few", messageExpression: "self.tags[7]" },
      "spec: Invalid value: too few",
    ],
    [
      "point at a field",
      { rule: "self.replicas > 5", message: "too few", fieldPath: ".replicas" },
      "spec.replicas: Invalid value: too few",
    ],
    [
      "give a reason",
      { rule: "self.replicas > 5", message: "no", reason: "FieldValueForbidden" },
      "spec: Forbidden: no",
    ],
    [
      "use escaped names",
      { rule: "self.a__dash__b == 'x'", message: "wrong" },
      "spec: Invalid value: wrong",
    ],
  ])("%s", (_, rule, message) => {
    expect(failures(schemaWith(rule), { replicas: 2, "a-b": "y", tags: ["t"] })).toEqual([message]);
  });

  it("that fail to evaluate say why", () => {
    expect(failures(schemaWith("self.minimum > 1"), {})).toEqual([
      'spec: Invalid value: "object": no such key: minimum evaluating rule: self.minimum > 1',
    ]);
  });

  it("on transitions see the old value, and wait for one", () => {
    const schema = schemaWith({ rule: "self.replicas >= oldSelf.replicas", message: "shrinks" });
    expect(failures(schema, { replicas: 1 })).toEqual([]);
    expect(failures(schema, { replicas: 1 }, { replicas: 2 })).toHaveLength(1);
    expect(failures(schema, { replicas: 3 }, { replicas: 2 })).toEqual([]);
  });

  it("with an optional old value run on creation as well", () => {
    const rule = "self.replicas == oldSelf.replicas.orValue(5)";
    const schema = schemaWith({ rule, optionalOldSelf: true });
    expect(failures(schema, { replicas: 5 })).toEqual([]);
    expect(failures(schema, { replicas: 1 })).toHaveLength(1);
  });

  it("only warn about what did not change", () => {
    const schema = schemaWith({ rule: "self.replicas > 5", message: "too few" });
    const value = { replicas: 2 };
    const warnings: string[] = [];
    const errors = new RuleChecker(schema, false).check(value, value, {
      path: "spec",
      correlation: new Correlation(value, value, schema),
      warn: (text) => warnings.push(text),
    });
    expect(errors).toEqual([]);
    expect(warnings).toHaveLength(1);
  });

  it("of items and of map values are run on each", () => {
    const item: Schema = {
      type: "string",
      "x-kubernetes-validations": [{ rule: "self.startsWith('a')", message: "starts badly" }],
    };
    const list: Schema = { type: "array", items: item };
    expect(failures(list, ["a", "b"])).toEqual(['spec[1]: Invalid value: "b": starts badly']);
    const map: Schema = { type: "object", additionalProperties: item };
    expect(failures(map, { k: "b" })).toEqual(['spec[k]: Invalid value: "b": starts badly']);
  });

  it("stop when an object has cost too much", () => {
    const costly = "self.tags.all(a, self.tags.all(b, self.tags.all(c, a + b + c != 'x')))";
    const tags = Array.from({ length: 150 }, () => "t");
    const [message = ""] = failures(schemaWith(costly, "self.replicas > 5"), { tags, replicas: 1 });
    expect(message).toContain("no further validation rules will be run");
  });
});

it("are compiled once for the validation of their schema and for all objects", () => {
  const schema: Schema = {
    type: "object",
    properties: { a: { type: "integer" } },
    "x-kubernetes-validations": [{ rule: "self.a > 0" }],
  };
  const type = present(declaredType(schema, false));
  const part = compileRules(schema, type, false);
  expect(part[0]?.expression).toBeDefined();
  expect(compileRules(schema, type, false)).toBe(part);
  // An expression sees the metadata of a whole object.
  expect(compileRules(schema, present(declaredType(schema, true)), true)).not.toBe(part);
});

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("there is no type");
  return value;
}
