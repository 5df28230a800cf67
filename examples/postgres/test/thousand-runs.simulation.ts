/** `npm run simulate`: 1,000 runs, some minutes of a machine's time. `TSOP_SEED=17 npm run simulate` plays one again. */
import { withSeeds } from "tsop/testing";
import { expect, it } from "vitest";
import { simulate } from "./simulation.ts";

it("never has two primaries in 1,000 runs", { timeout: 7_200_000 }, async () => {
  let runs = 0;
  let promotions = 0;
  await withSeeds(1000, async (clock) => {
    const run = await simulate(clock);
    expect(run).toMatchObject({ violations: [] });
    promotions += run.promotions;
    if (++runs % 50 === 0) console.log(`${runs} runs, ${promotions} promotions`);
  });
});
