import { describe, expect, it } from "vitest";
import { checkTimeout } from "../../../../src/controlplane/server/requests/query.ts";

const check = (timeout: string) => () => {
  checkTimeout(new URLSearchParams({ timeout }));
};

describe("checkTimeout", () => {
  it.each(["", "0", "5s", "1h2m3.5s", "-1s", "300ms", "1µs", ".5s"])("takes %j", (timeout) => {
    expect(check(timeout)).not.toThrow();
  });

  it.each([
    ["bad", 'time: invalid duration "bad"'],
    ["10", 'time: missing unit in duration "10"'],
    ["5x", 'time: unknown unit "x" in duration "5x"'],
    ["5s3", 'time: missing unit in duration "5s3"'],
    ["-", 'time: invalid duration "-"'],
  ])("refuses %j in Go's words", (timeout, words) => {
    expect(check(timeout)).toThrow(`invalid timeout specified in the request URL - ${words}`);
  });
});
