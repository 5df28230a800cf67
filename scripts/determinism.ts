/**
 * Runs a simulation many times: `node scripts/run-ts.mjs scripts/determinism.ts [runs] [seed]`. All runs of a seed must be
 * equal, to the last byte of each request, answer and event. Ends with exit code 1 at the first run that differs.
 */
import { type Run, simulate } from "../test/testing/simulation.ts";

const REPORT_EVERY = 100;
const [runs = 1000, seed = 1] = process.argv.slice(2).map(Number);

const described = ({ digest, requests, pods }: Run): string =>
  `${requests} requests, ${pods} pods, SHA-256 ${digest}`;

const first = await simulate(seed);
console.log(`run 1 of ${runs} with seed ${seed}: ${described(first)}`);
for (let run = 2; run <= runs; run++) {
  const other = await simulate(seed);
  if (other.digest !== first.digest) {
    console.error(`FAILED: run ${run} differs from run 1: ${described(other)}`);
    process.exitCode = 1;
    break;
  }
  if (run === runs) console.log(`PASSED: all ${runs} runs of seed ${seed} are equal`);
  else if (run % REPORT_EVERY === 0) console.log(`${run} of ${runs} runs, all equal so far`);
}
