import { describe, expect, it } from "vitest";
import { encodeJson } from "../../src/kube/json.ts";

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
