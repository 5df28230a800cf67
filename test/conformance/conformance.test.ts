import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { describeShared } from "../support/shared.ts";
import { countsByGroup, percentOf, replayRecordings } from "./replay.ts";

const baseline = JSON.parse(
  readFileSync(new URL("baseline.json", import.meta.url), "utf8"),
) as Record<string, number>;

/** What a loaded machine may cost: some scenarios, those of controllers above all, wait with a deadline. */
const tolerancePercent = (group: string): number => (group === "N" ? 2 : 0.5);

describeShared("conformance", "The recorded answers of a real kube-apiserver", () => {
  it("are given by the control plane at least as often as before, in every group", async () => {
    const groups = Object.keys(baseline).filter((group) => group !== "all");
    const counts = countsByGroup(await replayRecordings({ groups, jobs: 16 }));
    const percent = Object.fromEntries(
      Object.entries(counts).map(([group, count]) => [group, percentOf(count)]),
    );
    console.log("equal answers, in percent:", percent);
    const fallen = groups.filter(
      (group) => (percent[group] ?? 0) < (baseline[group] ?? 0) - tolerancePercent(group),
    );
    expect(fallen).toEqual([]);
  }, 1_800_000);
});
