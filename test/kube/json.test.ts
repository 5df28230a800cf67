import { describe, expect, it } from "vitest";
import { copyJson, encodeJson, sameJson } from "../../src/kube/json.ts";

const big = 9_007_199_254_740_993n;

describe("encodeJson", () => {
  it("writes what JSON.stringify writes", () => {
    const value = { a: [1, null, "x", { b: true }], c: {}, d: [], e: undefined };
    expect(encodeJson(value)).toBe(JSON.stringify(value));
    expect(encodeJson(value, "  ")).toBe(JSON.stringify(value, undefined, 2));
  });

  it("writes whole numbers beyond 2^53 in all their digits", () => {
    const value = { a: [big, -big, "9007199254740993"], b: { "n\n": big }, c: {}, d: undefined };
    expect(encodeJson(value)).toBe(
      '{"a":[9007199254740993,-9007199254740993,"9007199254740993"],"b":{"n\\n":9007199254740993},"c":{}}',
    );
    expect(encodeJson({ a: [big], b: [] }, "  ")).toBe(
      '{\n  "a": [\n    9007199254740993\n  ],\n  "b": []\n}',
    );
  });
});

describe("values of thousands of levels", () => {
  const deep = (leaf: string): unknown =>
    JSON.parse(`${'{"a":['.repeat(5000)}${leaf}${"]}".repeat(5000)}`);

  it("are copied, compared and written as others are", () => {
    const value = deep("1");
    const copy = copyJson(value);
    expect(copy === value).toBe(false);
    expect(sameJson(copy, value)).toBe(true);
    expect(sameJson(copy, deep("2"))).toBe(false);
    expect(encodeJson(copy)).toBe(`${'{"a":['.repeat(5000)}1${"]}".repeat(5000)}`);
  });

  it("are not written when they contain themselves", () => {
    const value: Record<string, unknown> = { big };
    value["self"] = [value];
    expect(() => encodeJson(value)).toThrow(TypeError);
  });
});

describe("keys that every object of JavaScript has", () => {
  const text = '{"__proto__":{"a":1},"constructor":2,"hasOwnProperty":[3]}';

  it("are fields like any other", () => {
    const value: unknown = JSON.parse(text);
    expect(encodeJson(copyJson(value))).toBe(text);
    expect(sameJson(value, copyJson(value))).toBe(true);
    expect(sameJson(value, {})).toBe(false);
    expect(sameJson({}, JSON.parse('{"__proto__":{}}'))).toBe(false);
  });
});
