import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dns1123LabelErrors, labelValueErrors } from "../../src/kube/names.ts";
import { hashOf, shortName } from "../../src/kube/stable-names.ts";

describe("hashOf", () => {
  it("is the same whatever the order of keys, and another for another value", () => {
    expect(hashOf({ a: 1, b: { c: [1, 2], d: "x" } })).toBe(
      hashOf({ b: { d: "x", c: [1, 2] }, a: 1 }),
    );
    expect(hashOf({ a: 1, gone: undefined })).toBe(hashOf({ a: 1 }));
    const values = [
      {},
      [],
      null,
      "",
      0,
      1n,
      "1",
      { a: 1 },
      [["a", 1]],
      ["a", 1],
      { a: [1, 2] },
      { a: [2, 1] },
      { a: null },
      ["object", ["a", 1]],
    ];
    expect(new Set(values.map((value) => hashOf(value))).size).toBe(values.length);
  });

  it("stays the same from one release to the next", () => {
    expect(hashOf({ replicas: 3, image: "web:1" })).toMatchInlineSnapshot(`"mjfhn66l"`);
    expect(hashOf(2n ** 60n, 16)).toMatchInlineSnapshot(`"7k6gccz78vpjg2fs"`);
  });

  it("tells whole numbers of 64 bits apart, and takes dates as JSON does", () => {
    expect(hashOf(2n ** 60n)).not.toBe(hashOf(2n ** 60n + 1n));
    expect(hashOf(new Date(0))).toBe(hashOf("1970-01-01T00:00:00.000Z"));
  });
});

describe("shortName", () => {
  it("joins parts that fit, and ends with a hash where something was lost", () => {
    expect(shortName(["my-web", "config"])).toBe("my-web-config");
    expect(shortName(["web.example.com"])).toMatch(/^web-example-com-[a-z0-9]{8}$/);
    expect(shortName(["Web"])).toMatch(/^web-[a-z0-9]{8}$/);
    expect(shortName(["ü"])).toMatch(/^[a-z0-9]{8}$/);
    const long = shortName(["x".repeat(70), "config"]);
    expect(long).toMatch(/^x{54}-[a-z0-9]{8}$/);
    expect(shortName(["x".repeat(70), "secret"])).not.toBe(long);
    expect(shortName(["abcdefghij", "config"], 15)).toMatch(/^abcdef-[a-z0-9]{8}$/);
  });

  it("tells apart what differs only in characters that a name cannot have", () => {
    const names = ["a.b", "a_b", "a b", "A.b", "a-b", "a..b"].map((part) => shortName([part]));
    expect(new Set(names).size).toBe(names.length);
  });

  it("always gives a name that fits, and the same again", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 10, max: 63 }),
        (parts, max) => {
          const name = shortName(parts, max);
          expect(name.length).toBeLessThanOrEqual(max);
          expect([...dns1123LabelErrors(name), ...labelValueErrors(name)]).toEqual([]);
          expect(shortName(parts, max)).toBe(name);
        },
      ),
    );
  });

  it("refuses a part that is missing, and a length without room for the hash", () => {
    const missing = expect.objectContaining({ code: "empty-name" });
    expect(() => shortName(["", "config"])).toThrow(missing);
    expect(() => shortName([])).toThrow(missing);
    for (const max of [0, 9, Number.NaN]) {
      expect(() => shortName(["web"], max)).toThrow(
        expect.objectContaining({ code: "name-limit" }),
      );
    }
  });
});
