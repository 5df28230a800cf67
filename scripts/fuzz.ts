/**
 * A long run of random requests against a control plane in this process.
 *
 *   npm run fuzz -- [--requests N] [--seed N]
 *
 * Fails when a request crashed something, got no answer, took over a second, or when memory did not come back.
 */
import { parseArgs } from "node:util";
import { fuzz } from "../test/controlplane/fuzz/run.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1000000" },
    seed: { type: "string", default: "1" },
  },
});
const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
/** What caches may keep. */
const GROWTH_MAX = 1.25;

const report = await fuzz({
  requests: Number(values.requests),
  seed: Number(values.seed),
  onProgress: (done, heapBytes) => {
    console.log(`${done} requests, heap ${mebibytes(heapBytes)}`);
  },
});
const { wrong, statuses, failures, seconds, slowestMs, slowest, warmBytes, endBytes } = report;
console.log(`answers by status: ${JSON.stringify(statuses)}`);
for (const [said, count] of Object.entries(failures)) console.log(`  ${count} x ${said}`);
console.log(
  `${(Number(values.requests) / seconds).toFixed(0)} requests/s for ${seconds.toFixed(0)} s`,
);
console.log(`slowest: ${slowestMs.toFixed(0)} ms, ${slowest.slice(0, 200)}`);
console.log(`heap when warm ${mebibytes(warmBytes)}, in the end ${mebibytes(endBytes)}`);
for (const one of wrong.slice(0, 50)) console.log(`WRONG ${one}`);
const grew = endBytes > warmBytes * GROWTH_MAX;
if (grew) console.log("WRONG memory grew");
console.log(wrong.length === 0 && !grew ? "nothing wrong" : `${wrong.length} requests went wrong`);
process.exitCode = wrong.length === 0 && !grew ? 0 : 1;
