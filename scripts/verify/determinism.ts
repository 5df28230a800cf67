import { type Run, simulate } from "../../test/testing/simulation.ts";
import { defineVerification, SEED } from "../programs/program.ts";

const REPORT_EVERY = 100;

const described = ({ digest, requests, pods }: Run): string =>
  `${requests} requests, ${pods} pods, SHA-256 ${digest}`;

export const program = defineVerification({
  about:
    "Repeats a simulation, and compares each run with the first, to the last byte of each request, answer and event.",
  compares: "runs of one seed",
  needs: [],
  options: { count: { type: "number", default: 1000, about: "number of runs" }, seed: SEED },
  run: async ({ values: { count, seed }, tally }) => {
    const first = await simulate(seed);
    console.log(`run 1 of ${count}: ${described(first)}`);
    tally.count(true);
    for (let run = 2; run <= count; run++) {
      const other = await simulate(seed);
      tally.count(other.digest === first.digest);
      if (other.digest !== first.digest) {
        console.log(`run ${run} differs from run 1: ${described(other)}`);
        return;
      }
      if (run % REPORT_EVERY === 0) console.log(`${run} of ${count} runs, all equal so far`);
    }
  },
});
