import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonCost, MAX_DEPTH } from "../../../../src/runtime/serving/json-cost.ts";

const costOf = (text: string): number => jsonCost(Buffer.from(text));
/** Without that of the bytes themselves. */
const tokensCost = (text: string): number => costOf(text) - 3 * Buffer.byteLength(text);
const MIB = 2 ** 20;

describe("the memory of a body", () => {
  it("does not depend on spaces, nor on what is in a text", () => {
    const texts = fc.stringMatching(/^[ -~]*$/);
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        texts,
        fc.integer(),
        fc.constantFrom(null, true),
        fc.array(tie("value"), { maxLength: 5 }),
        fc.dictionary(texts, tie("value"), { maxKeys: 5 }),
      ),
    })).value;
    // What would end a text, begin another, or open and close anything.
    const likeJson = (_: string, value: unknown): unknown =>
      typeof value === "string" ? '"\\[{,:}]'.repeat(value.length) : value;
    fc.assert(
      fc.property(values, (value) => {
        const written = JSON.stringify(value);
        expect(tokensCost(JSON.stringify(value, undefined, 3))).toBe(tokensCost(written));
        expect(tokensCost(JSON.stringify(value, likeJson))).toBe(tokensCost(written));
      }),
    );
  });

  it("can be asked of any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(jsonCost(bytes)).toBeGreaterThanOrEqual(bytes.length);
      }),
    );
  });

  it.each([
    ["[", "]"],
    ['{"a":', "}"],
  ])("is without end beyond the depth that Go decodes: %s", (start, end) => {
    const nested = (depth: number): string => `${start.repeat(depth)}1${end.repeat(depth)}`;
    expect(costOf(nested(MAX_DEPTH))).toBeLessThan(Infinity);
    expect(costOf(nested(MAX_DEPTH + 1))).toBe(Infinity);
    expect(costOf(start.repeat(MAX_DEPTH + 1))).toBe(Infinity);
  });

  // Each was measured with V8 to take more than this.
  it.each([
    ["empty objects", "{},", 20],
    ["empty lists", "[],", 13],
    ["numbers", "1,", 4],
    ["fields that are indexes", '{"499":1},', 20],
  ])("of %s is many times their bytes", (_, unit, times) => {
    const text = `[${unit.repeat(MIB / unit.length)}1]`;
    expect(costOf(text)).toBeGreaterThan(times * text.length);
  });

  it("of objects with the same fields is less than that of objects with other ones, or in another order", () => {
    const fields = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const objects = (fieldsOf: (at: number) => readonly string[]): string =>
      JSON.stringify(
        Array.from({ length: 10_000 }, (_, at) =>
          Object.fromEntries(fieldsOf(at).map((field) => [field, 1])),
        ),
      );
    const same = objects(() => fields);
    const others = objects((at) => fields.map((field) => `${field}${at}`));
    // Of seven fields there are 5040 orders, each of which V8 describes.
    const orders = objects((at) => {
      const left = [...fields];
      const order: string[] = [];
      for (let rest = at; left.length > 0; rest = Math.floor(rest / 7) + at) {
        order.push(...left.splice(rest % left.length, 1));
      }
      return order;
    });
    const perByte = (text: string): number => costOf(text) / text.length;
    expect(perByte(others)).toBeGreaterThan(1.5 * perByte(same));
    expect(perByte(orders)).toBeGreaterThan(1.5 * perByte(same));
  });
});
