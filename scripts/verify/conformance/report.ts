/** Prints and counts the differences between recorded answers and those of the control plane. */
import { OWN_REASONS, REASONS } from "../../../test/conformance/reasons.ts";
import { countOf, percentOf, type RecordingResult } from "../../../test/conformance/replay.ts";
import type { Tally } from "../../programs/tally.ts";

const short = (value: unknown): string =>
  value === undefined ? "nothing" : JSON.stringify(value).slice(0, 300);

/** Adds a recording to the tally, and prints its differences unless `isBrief`. */
export function report(
  { file, scenarios }: RecordingResult,
  tally: Tally,
  { isBrief = false }: { isBrief?: boolean } = {},
): void {
  for (const { id, title, same, steps, failure, different } of scenarios) {
    const isKnown = (REASONS[id] ?? OWN_REASONS[id]) !== undefined;
    tally.add(steps, same, isKnown ? steps - same : 0);
    if (isBrief || (!failure && different.length === 0)) continue;
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
  const count = countOf(scenarios);
  console.log(`${file}: ${count.same}/${count.steps} (${percentOf(count)} %)`);
}
