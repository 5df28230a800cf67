/** The comparison of groups of the shared recordings, which several test files share so that they run beside each other. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { describeShared } from "../support/shared.ts";
import { countsByGroup, percentOf, replayRecordings } from "./replay.ts";

const baseline = JSON.parse(
  readFileSync(new URL("baseline.json", import.meta.url), "utf8"),
) as Record<string, number>;

/** The groups of the baseline whose names `isHere`, each as a test. */
export function compareGroups(isHere: (group: string) => boolean): void {
  describeShared("conformance", "The recorded answers of a real kube-apiserver", () => {
    const groups = Object.keys(baseline).filter((group) => group !== "all" && isHere(group));
    it.each(groups)(
      "are given at least as often as before, in group %s",
      async (group) => {
        const { all } = countsByGroup(await replayRecordings({ groups: [group], jobs: 16 }));
        expect(all && percentOf(all)).toBeGreaterThanOrEqual(baseline[group] ?? 100);
      },
      600_000,
    );
  });
}
