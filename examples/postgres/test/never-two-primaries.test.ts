import { withSeeds } from "tsop/testing";
import { describe, expect, it } from "vitest";
import { simulate } from "./simulation.ts";

describe("a PostgreSQLCluster, whatever goes wrong", () => {
  it("S2-03 never has two primaries, and one in the end", { timeout: 300_000 }, async () => {
    let promotions = 0;
    await withSeeds(6, async (clock) => {
      const run = await simulate(clock);
      expect(run).toMatchObject({ violations: [] });
      promotions += run.promotions;
    });
    expect(promotions).toBeGreaterThan(6);
  });
});
