import { describe, expect, it } from "vitest";
import { ageOf, humanDuration } from "../../../src/kube/values/age.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("humanDuration", () => {
  it.each([
    [0, "0s"],
    [119 * SECOND, "119s"],
    [2 * MINUTE, "2m"],
    [2 * MINUTE + 5 * SECOND, "2m5s"],
    [10 * MINUTE + 5 * SECOND, "10m"],
    [179 * MINUTE, "179m"],
    [3 * HOUR, "3h"],
    [7 * HOUR + 30 * MINUTE, "7h30m"],
    [47 * HOUR, "47h"],
    [2 * DAY + HOUR, "2d1h"],
    [8 * DAY + HOUR, "8d"],
    [2 * 365 * DAY + 3 * DAY, "2y3d"],
    [9 * 365 * DAY + 3 * DAY, "9y"],
  ])("shows %d ms as %s", (durationMs, text) => {
    expect(humanDuration(durationMs)).toBe(text);
  });

  it("forgives clocks that are off by a second, not by more", () => {
    expect(humanDuration(-1 * SECOND)).toBe("0s");
    expect(humanDuration(-2 * SECOND)).toBe("<invalid>");
  });
});

describe("ageOf", () => {
  it("is unknown without a time", () => {
    expect(ageOf(undefined, 0)).toBe("<unknown>");
    expect(ageOf("1970-01-01T00:00:00Z", 5000)).toBe("5s");
  });
});
