import { describe, expect, it } from "vitest";
import { scanJson } from "../../../../src/controlplane/wire/json/json-scanner.ts";
import { NumberLiteral } from "../../../../src/controlplane/wire/json/number-literal.ts";

const read = (text: string): unknown => scanJson(Buffer.from(text)).value;

describe("scanJson", () => {
  it("reads a text alike, whether or not it is written as the engine would write it", () => {
    const value = { name: "é\u2028", list: [1, -2.5, 1e-7, true, null, {}], nested: { a: [[]] } };
    const compact = JSON.stringify(value);
    expect(read(compact)).toEqual(value);
    expect(read(`${compact}\n`)).toEqual(value);
    expect(read(JSON.stringify(value, undefined, 2))).toEqual(value);
  });

  it("finds keys that come twice, with their paths", () => {
    expect(scanJson(Buffer.from('{"a":[{"b":1,"b":2}],"a":1}')).duplicates).toEqual([
      "a[0].b",
      "a",
    ]);
  });

  it("keeps the notation of numbers that are not exact, or not written so", () => {
    for (const text of ["9007199254740992", "1e+21", "1.0", "-0", "1E3"]) {
      expect(read(`{"a":${text}}`)).toEqual({ a: new NumberLiteral(text) });
    }
    expect(read('{"a":9007199254740991}')).toEqual({ a: 9007199254740991 });
  });

  it("has a key __proto__ as any other", () => {
    const value = read('{"__proto__":{"a":1}}') as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it("takes half of a pair for no character", () => {
    expect(read('"\\ud800"')).toBe("\ufffd");
    expect(read('"\\ud83d\\ude00"')).toBe("😀");
  });

  it("refuses what is nested too deep, and says what is wrong in Go's words", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(() => read(nested(1001))).toThrow("exceeded max depth");
    expect(JSON.stringify(read(nested(1000)))).toBe(nested(1000));
    expect(() => read('{"a":1,}')).toThrow(
      "invalid character '}' looking for beginning of object key string",
    );
    expect(() => read("")).toThrow("unexpected end of JSON input");
  });
});
