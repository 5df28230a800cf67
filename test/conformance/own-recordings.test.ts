import { expect, it } from "vitest";
import { describeShared } from "../support/shared.ts";
import { OWN_REASONS } from "./reasons.ts";
import { replayRecordings } from "./replay.ts";

const folder = new URL("recordings", import.meta.url).pathname;

// The player is the shared one; what it plays lies here.
describeShared("conformance", "Recordings of our own", () => {
  it("are answered as by the real kube-apiserver", async () => {
    const results = await replayRecordings({ folder, jobs: 16, atRest: true });
    const different = results.flatMap(({ scenarios }) =>
      scenarios.filter(
        ({ id, failure, different }) =>
          failure !== undefined || (different.length > 0 && OWN_REASONS[id] === undefined),
      ),
    );
    expect(different).toEqual([]);
    expect(results.flatMap(({ scenarios }) => scenarios).length).toBeGreaterThan(100);
  }, 600_000);
});
