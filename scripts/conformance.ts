/**
 * Replays the recorded answers and lists the differences of the control plane.
 *
 *   npm run conformance -- [GROUP ...] [--only ID,ID] [--recordings FOLDER] [--jobs N] [--brief] [--write]
 *
 * GROUP is the beginning of a recording's name (`B`, `E-apply-`). `--brief` leaves out the
 * differences; `--recordings` replays others than the shared ones; `--write` (all groups) brings
 * `test/conformance/baseline.json` and `docs/differences.md` up to date.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { differencesPage } from "../test/conformance/differences.ts";
import {
  countOf,
  countsByGroup,
  percentOf,
  replayRecordings,
  type RecordingResult,
} from "../test/conformance/replay.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    recordings: { type: "string" },
    jobs: { type: "string", default: "8" },
    brief: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});

const short = (value: unknown): string =>
  value === undefined ? "nothing" : JSON.stringify(value).slice(0, 300);

function report({ file, scenarios }: RecordingResult): void {
  const count = countOf(scenarios);
  if (!values.brief) {
    for (const { id, title, same, steps, failure, different } of scenarios) {
      if (!failure && different.length === 0) continue;
      console.log(`${id} ${title}: ${same}/${steps}${failure ? `  FAILED ${failure}` : ""}`);
      for (const { step, request, found } of different) {
        console.log(`  step ${step} ${request}`);
        for (const { path, expected, actual } of found.slice(0, 5)) {
          console.log(
            `    ${path}\n      expected ${short(expected)}\n      actual   ${short(actual)}`,
          );
        }
      }
    }
  }
  console.log(`${file}: ${count.same}/${count.steps} (${percentOf(count)} %)`);
}

const results = await replayRecordings({
  ...(positionals.length > 0 ? { groups: positionals } : {}),
  ...(values.only === undefined ? {} : { only: values.only.split(",") }),
  ...(values.recordings === undefined ? {} : { folder: values.recordings }),
  jobs: Number(values.jobs),
  onRecording: report,
});
const counts = countsByGroup(results);
console.log();
for (const [group, count] of Object.entries(counts)) {
  console.log(`${group.padEnd(4)} ${count.same}/${count.steps} (${percentOf(count)} %)`);
}
if (values.write) {
  const baseline = Object.fromEntries(
    Object.entries(counts).map(([group, count]) => [group, percentOf(count)]),
  );
  writeFileSync("test/conformance/baseline.json", `${JSON.stringify(baseline, null, 2)}\n`);
  writeFileSync("docs/differences.md", differencesPage(results));
  console.log("\nwrote test/conformance/baseline.json and docs/differences.md");
}
