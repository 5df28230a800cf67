import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { describeShared } from "../support/shared.ts";
import { countsByGroup, percentOf, replayRecordings } from "./replay.ts";

const baseline = JSON.parse(
  readFileSync(new URL("baseline.json", import.meta.url), "utf8"),
) as Record<string, number>;

/** What a loaded machine may cost: some scenarios wait for something with a deadline. */
const TOLERANCE_PERCENT = 0.5;

describeShared("conformance", "The recorded answers of a real kube-apiserver", () => {
  it("are given by the control plane at least as often as before, in every group", async () => {
    const counts = countsByGroup(await replayRecordings());
    const percent = Object.fromEntries(
      Object.entries(counts).map(([group, count]) => [group, percentOf(count)]),
    );
    console.log("equal answers, in percent:", percent);
    const fallen = Object.entries(baseline).filter(
      ([group, before]) => (percent[group] ?? 0) < before - TOLERANCE_PERCENT,
    );
    expect(fallen).toEqual([]);
  }, 900_000);
});
