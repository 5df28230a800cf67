import { describe, expect, it } from "vitest";
import { simulate } from "./simulation.ts";

describe("a simulation on a VirtualClock without a socket", () => {
  it("runs the same way for the same seed, to the last byte of each request, answer and event", async () => {
    const first = await simulate(1);
    expect(first.requests).toBeGreaterThan(100);
    expect(first.pods).toBeGreaterThan(0);
    expect(await simulate(1)).toEqual(first);
    expect(await simulate(1)).toEqual(first);
    expect((await simulate(2)).digest).not.toBe(first.digest);
  });
});
