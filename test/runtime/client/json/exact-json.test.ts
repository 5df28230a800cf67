import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExact, stringifyExact } from "../../../../src/runtime/rest/json/exact-json.ts";

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

  it.each([
    ["a mark of a library", '{"n":9007199254740993,"s":"\\u0000int64:x"}', "\u0000int64:x"],
    ["a number behind such a mark", '{"n":9007199254740993,"s":"\\u0000int64:5"}', "\u0000int64:5"],
    ["a quote before it", '{"n":9007199254740993,"s":"\\"\\u0000int64:5"}', '"\u0000int64:5'],
    ["a place", '{"n":9007199254740993,"s":"0"}', "0"],
    ["the number itself", '{"n":9007199254740993,"s":"9007199254740993"}', "9007199254740993"],
    ["JSON", '{"n":9007199254740993,"s":"[9007199254740993]"}', "[9007199254740993]"],
    ["backslashes", '{"n":9007199254740993,"s":"\\\\\\""}', '\\"'],
    ["half a surrogate pair", '{"n":9007199254740993,"s":"\\ud800"}', "\ud800"],
  ])("takes no text for a long number: %s", (_, text, s) => {
    const value = parseExact(text);
    expect(value).toEqual({ n: 9007199254740993n, s });
    expect(parseExact(stringifyExact(value))).toEqual(value);
    expect(JSON.parse(stringifyExact(value))).toEqual(JSON.parse(text));
  });

  it("finds long numbers under any key, in the order of the object", () => {
    const text =
      '{"b":9007199254740993,"1":-9007199254740995,"__proto__":{"a":9007199254740997},"constructor":[9007199254740999],"b":"last","c":1e400,"d":-0}';
    const value = parseExact(text) as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["1", "b", "__proto__", "constructor", "c", "d"]);
    expect(value["1"]).toBe(-9007199254740995n);
    expect(value["b"]).toBe("last");
    expect(Object.getOwnPropertyDescriptor(value, "__proto__")?.value).toEqual({
      a: 9007199254740997n,
    });
    expect(value["constructor"]).toEqual([9007199254740999n]);
    expect(value["c"]).toBe(Infinity);
  });

  it("reads and writes ten thousand levels, with and without long numbers", () => {
    for (const leaf of ["1", "9007199254740993"]) {
      const text = `${'{"a":['.repeat(5000)}${leaf}${"]}".repeat(5000)}`;
      expect(stringifyExact(parseExact(text))).toBe(text);
    }
  });

  it("takes no time that grows faster than the text", () => {
    const text = `[9007199254740993,"${"\\\\".repeat(500_000)}","${'\\"'.repeat(500_000)}",${"9".repeat(1_000_000)}]`;
    const [first, backslashes, quotes, digits] = parseExact(text) as unknown[];
    expect([first, digits]).toEqual([9007199254740993n, Infinity]);
    expect([(backslashes as string).length, (quotes as string).length]).toEqual([500_000, 500_000]);
  });

  it.each([[NaN], [Infinity], [-Infinity]])(
    "does not write %s, of which JSON would make null",
    (number) => {
      expect(() => stringifyExact({ spec: { sizes: [1, { a: number }] }, b: null })).toThrow(
        expect.objectContaining({
          code: "number-not-finite",
          message: `spec.sizes.1.a is ${number}, a number that JSON cannot represent.`,
        }),
      );
    },
  );

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
