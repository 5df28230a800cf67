import { describe, expect, it } from "vitest";
import { int64Problem, uint64Problem } from "../../../src/kube/values/integers.ts";

describe("int64Problem", () => {
  it.each(["0", "-1", "+7", "9223372036854775807", "-9223372036854775808"])("takes %s", (text) => {
    expect(int64Problem(text)).toBeUndefined();
  });

  it.each([
    ["9223372036854775808", "value out of range"],
    ["1.5", "invalid syntax"],
    ["", "invalid syntax"],
  ])("refuses %j", (text, why) => {
    expect(int64Problem(text)).toBe(`strconv.ParseInt: parsing "${text}": ${why}`);
  });
});

describe("uint64Problem", () => {
  it.each(["0", "007", "18446744073709551615"])("takes %s", (text) => {
    expect(uint64Problem(text)).toBeUndefined();
  });

  it.each([
    ["18446744073709551616", "value out of range"],
    ["-1", "invalid syntax"],
    ["+1", "invalid syntax"],
  ])("refuses %j", (text, why) => {
    expect(uint64Problem(text)).toBe(`strconv.ParseUint: parsing "${text}": ${why}`);
  });
});
