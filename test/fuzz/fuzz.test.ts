import { describe, expect, it } from "vitest";
import { runCampaign } from "./campaign.ts";
import { fuzzKinds } from "./kinds.ts";

// The million is `npm run verify -- fuzz KIND --count 1000000`.
describe.each(Object.entries(fuzzKinds))("Random %s", (_, kind) => {
  it(`${kind.about}: nothing goes wrong`, async () => {
    const { wrong, outcomes } = await runCampaign(kind, { count: 1000, seed: 1 });
    expect(wrong).toEqual([]);
    // With one outcome only the inputs would try one path alone.
    expect(Object.keys(outcomes).length).toBeGreaterThan(1);
  });
});
