/**
 * Runs a simulation many times: `node scripts/run-ts.mjs scripts/determinism.ts [runs] [seed]`. All runs of a seed must be
 * equal, to the last byte of each request, answer and event.
 */
import { simulate } from "../test/testing/simulation.ts";

const [runs = 1000, seed = 1] = process.argv.slice(2).map(Number);
const digests = new Map<string, number>();
for (let run = 1; run <= runs; run++) {
  const { digest } = await simulate(seed);
  digests.set(digest, (digests.get(digest) ?? 0) + 1);
  if (run % 100 === 0) console.log(`${run} runs, ${digests.size} different`);
}
console.log(`${runs} runs of seed ${seed}: ${[...digests.keys()].join(", ")}`);
if (digests.size !== 1) process.exitCode = 1;
