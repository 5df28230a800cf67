import { afterEach, expect, it, vi } from "vitest";
import { LruMap } from "../../src/runtime/lru.ts";
import { oncePerText } from "../../src/runtime/rest/warnings.ts";
import { ToldBefore } from "../../src/runtime/told-before.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("a message is told once, and one that is kept is short, however long it was", () => {
  const set = vi.spyOn(LruMap.prototype, "set");
  const told = new ToldBefore();
  const long = "x".repeat(3_000_000);
  expect([`${long}1`, `${long}2`, `${long}1`, "short"].map((text) => told.isFirst(text))).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect(Math.max(...set.mock.calls.map(([key]) => key.length))).toBeLessThan(100);
});

it("a warning of an API server, too", () => {
  const set = vi.spyOn(LruMap.prototype, "set");
  let count = 0;
  const handler = oncePerText(() => count++);
  const text = "w".repeat(10_000);
  const warning = { code: 299, agent: "-", text, method: "GET", path: "/api/v1/pods" };
  handler(warning);
  handler({ ...warning });
  expect(count).toBe(1);
  expect(Math.max(...set.mock.calls.map(([key]) => key.length))).toBeLessThan(100);
});
