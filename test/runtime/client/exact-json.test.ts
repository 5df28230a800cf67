import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExact, stringifyExact } from "../../../src/runtime/client/exact-json.ts";

describe("JSON with whole numbers of 64 bits", () => {
  it("T52: brings 2^60 back as it was", () => {
    const text = '{"spec":{"size":1152921504606846977,"small":7,"text":"1152921504606846977"}}';
    const value = parseExact(text);
    expect(value).toEqual({
      spec: { size: 1152921504606846977n, small: 7, text: "1152921504606846977" },
    });
    expect(stringifyExact(value)).toBe(text);
  });

  it("leaves fractions, exponents and quoted digits to JSON.parse", () => {
    const text = '[0.12345678901234567,1.5e300,"\\"9999999999999999999\\"",1234567890123456]';
    expect(parseExact(text)).toEqual(JSON.parse(text));
  });

  it("keeps negative ones, and those at the border of what a double holds", () => {
    expect(parseExact("[-9223372036854775808,9007199254740991,9007199254740993]")).toEqual([
      -9223372036854775808n,
      9007199254740991,
      9007199254740993n,
    ]);
  });

  it.each([
    ["alone", "12345678901234567890"],
    ["with white space around it", '{ "a" :\n\t-12345678901234567890\r\n}'],
    [
      "behind digits that are none",
      '["sha256:1234567890123456789012345678901234567890",12345678901234567890]',
    ],
    ["in a text that looks like one", '{"text":"[12345678901234567890]","a":12345678901234567890}'],
  ])("finds a long number %s", (_, text) => {
    expect(stringifyExact(parseExact(text))).toBe(text.replaceAll(/[ \n\t\r]/g, ""));
  });

  it("takes no longer for a text of nothing but digits", () => {
    const digits = "7".repeat(4_000_000);
    expect(parseExact(JSON.stringify({ digits }))).toEqual({ digits });
  });

  it("is JSON.parse for everything else, and its own inverse", () => {
    const leaf = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,20}$/), tie("tree"), { maxKeys: 4 }),
      ),
    }));
    const narrowed = (value: unknown): unknown => {
      if (typeof value === "bigint") {
        return Number.isSafeInteger(Number(value)) ? Number(value) : value;
      }
      if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
        return JSON.stringify(value).includes("e") ? value : BigInt(JSON.stringify(value));
      }
      if (Array.isArray(value)) return value.map(narrowed);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, narrowed(part)]));
    };
    fc.assert(
      fc.property(tree, (value) => {
        expect(parseExact(stringifyExact(value))).toEqual(narrowed(value));
      }),
    );
  });
});
