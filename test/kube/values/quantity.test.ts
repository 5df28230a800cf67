import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  roundUpToMilli,
} from "../../../src/kube/values/quantity.ts";

const canonical = (text: string): string => formatQuantity(roundUpToMilli(parseQuantity(text)));

describe("quantities", () => {
  it.each([
    ["1000m", "1"],
    ["1024Ki", "1Mi"],
    ["0.5", "500m"],
    ["1.5Gi", "1536Mi"],
    ["1500m", "1500m"],
    ["128000000", "128M"],
    ["2.0", "2"],
    ["1G", "1G"],
    ["100u", "1m"],
    ["1000Mi", "1000Mi"],
    ["1e3", "1e3"],
    ["0.5Gi", "512Mi"],
    ["0.0001", "1m"],
    ["1e9", "1e9"],
    ["010", "010"],
    ["2.50", "2500m"],
    ["0", "0"],
    ["-1", "-1"],
    ["0.5Ki", "512"],
    ["Ki", "0"],
  ])("writes %s as %s, as the API server was seen to do", (written, expected) => {
    expect(canonical(written)).toBe(expected);
  });

  it("refuses what has no number, a wrong suffix, or blanks inside", () => {
    for (const text of ["", "1.5.5", "1 m", "abc"]) {
      expect(() => parseQuantity(text), text).toThrow(/quantities must match|unable to parse/);
    }
    expect(() => parseQuantity("1Kib")).toThrow(/quantities must match/);
    expect(() => parseQuantity("1K")).toThrow("unable to parse quantity's suffix");
    expect(() => parseQuantity("1e999999999")).toThrow("unable to parse quantity's suffix");
  });

  it("keeps fractions of binary quantities by writing them in decimal, as apimachinery does", () => {
    const canonical = (text: string): string => formatQuantity(parseQuantity(text));
    expect(canonical("-918.54Mi")).toBe("-963158999040m");
    expect(canonical("990515621.820Gi")).toBe("1063558050473500999680m");
    expect(canonical("732051958.984Ki")).toBe("749621205999616m");
    expect(canonical("1.5Ki")).toBe("1536");
  });

  it("compares and adds exactly, across suffixes", () => {
    expect(compareQuantities(parseQuantity("1Gi"), parseQuantity("1G"))).toBe(1);
    expect(compareQuantities(parseQuantity("1000m"), parseQuantity("1"))).toBe(0);
    expect(formatQuantity(addQuantities(parseQuantity("0"), parseQuantity("512Mi")))).toBe("512Mi");
    expect(formatQuantity(addQuantities(parseQuantity("100m"), parseQuantity("900m")))).toBe("1");
  });

  it("is the same value after it was written and read again", () => {
    const suffix = fc.constantFrom("n", "u", "m", "", "k", "M", "G", "Ki", "Mi", "Gi", "e3", "e-3");
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(999), suffix, (whole, part, unit) => {
        const first = parseQuantity(`${whole}.${part}${unit}`);
        const again = parseQuantity(formatQuantity(first));
        expect(again.nanos).toBe(first.nanos);
        // A binary quantity that no suffix fits is a bare number, which is read as a decimal one.
        if (again.format === first.format)
          expect(formatQuantity(again)).toBe(formatQuantity(first));
      }),
    );
  });
});
