import { writeFileSync } from "node:fs";
import { differencesPage } from "../../test/conformance/differences.ts";
import { countsByGroup, percentOf, replayRecordings } from "../../test/conformance/replay.ts";
import { defineVerification } from "../programs/program.ts";
import { report } from "./conformance/report.ts";

export const program = defineVerification({
  about: "Replays recorded answers of a real kube-apiserver, and lists the differences.",
  compares: "recorded answers",
  needs: ["the shared recordings"],
  words: { name: "GROUP", about: "beginnings of names of recordings, as B or E-apply-" },
  options: {
    only: { type: "list", about: "ids of scenarios" },
    recordings: { type: "text", about: "folder of other recordings than the shared ones" },
    jobs: { type: "number", default: 8, about: "scenarios that run concurrently" },
    brief: { type: "switch", about: "leave out the differences" },
    write: {
      type: "switch",
      about: "write test/conformance/baseline.json and docs/differences.md (with all groups)",
    },
  },
  run: async ({ values: { only, recordings, jobs, brief, write }, words, tally }) => {
    const results = await replayRecordings({
      ...(words.length > 0 ? { groups: words } : {}),
      ...(only.length > 0 ? { only } : {}),
      ...(recordings === undefined ? {} : { folder: recordings }),
      jobs,
      onRecording: (result) => {
        report(result, tally, { isBrief: brief });
      },
    });
    const counts = Object.entries(countsByGroup(results));
    console.log();
    for (const [group, count] of counts) {
      console.log(`${group.padEnd(4)} ${count.same}/${count.steps} (${percentOf(count)} %)`);
    }
    if (!write) return;
    const baseline = Object.fromEntries(counts.map(([group, count]) => [group, percentOf(count)]));
    writeFileSync("test/conformance/baseline.json", `${JSON.stringify(baseline, null, 2)}\n`);
    writeFileSync("docs/differences.md", differencesPage(results));
    console.log("\nwrote test/conformance/baseline.json and docs/differences.md");
  },
});
