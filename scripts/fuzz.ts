/**
 * A long run of random inputs:
 *
 *   npm run fuzz -- KIND [--count N] [--seed N] [--only NUMBER]
 *
 * KIND is `controlplane` (random requests to a control plane in this process) or one of those in
 * test/fuzz/kinds.ts. `--only` tries the input with this number alone. Fails when an input crashed,
 * gave a wrong result or took over a second, and when memory grew by more than a quarter between
 * the first tenth and the end.
 */
import { parseArgs } from "node:util";
import { fuzz } from "../test/controlplane/fuzz/run.ts";
import { runCampaign, type Memory } from "../test/fuzz/campaign.ts";
import { fuzzKinds } from "../test/fuzz/kinds.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "1000000" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
  },
});
const [name = ""] = positionals;
const count = Number(values.count);
const seed = Number(values.seed);
/** The growth that caches may have. */
const GROWTH_MAX = 1.25;
/** An input may take this long, on a machine with nothing else to do. */
const SLOW_MS = 1000;
const NO_MEMORY: Memory = { heapBytes: 0, rssBytes: 0 };

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
const describeMemory = ({ heapBytes, rssBytes }: Memory): string =>
  `heap ${mebibytes(heapBytes)}, resident ${mebibytes(rssBytes)}`;

if (name === "controlplane") process.exitCode = await fuzzControlPlane();
else process.exitCode = await fuzzKind();

async function fuzzKind(): Promise<number> {
  const kind = fuzzKinds[name];
  if (!kind) {
    const known = Object.entries(fuzzKinds).map(([key, { about }]) => `  ${key}: ${about}`);
    console.error(
      `usage: npm run fuzz -- KIND\n  controlplane: requests to it\n${known.join("\n")}`,
    );
    return 2;
  }
  const report = await runCampaign(kind, {
    count,
    seed,
    slowMs: SLOW_MS,
    ...(values.only === undefined ? {} : { only: Number(values.only) }),
    onProgress: (done, memory) => {
      console.log(`${done} inputs, ${describeMemory(memory)}`);
    },
  });
  const { wrong, outcomes, seconds, slowestMs, slowest } = report;
  const { warm = NO_MEMORY, end = NO_MEMORY } = report;
  for (const [outcome, times] of Object.entries(outcomes)) console.log(`  ${times} x ${outcome}`);
  console.log(`${kind.about}: ${count} inputs of seed ${seed} in ${seconds.toFixed(0)} s`);
  console.log(`slowest: ${slowestMs.toFixed(1)} ms, ${slowest.slice(0, 200)}`);
  console.log(`after a tenth ${describeMemory(warm)}; at the end ${describeMemory(end)}`);
  for (const one of wrong.slice(0, 50)) console.log(`WRONG ${one}`);
  const grew =
    end.heapBytes > warm.heapBytes * GROWTH_MAX || end.rssBytes > warm.rssBytes * GROWTH_MAX;
  if (grew) console.log("WRONG memory grew");
  console.log(wrong.length === 0 && !grew ? "nothing wrong" : `${wrong.length} inputs went wrong`);
  return wrong.length === 0 && !grew ? 0 : 1;
}

async function fuzzControlPlane(): Promise<number> {
  const report = await fuzz({
    requests: count,
    seed,
    slowMs: SLOW_MS,
    onProgress: (done, heapBytes) => {
      console.log(`${done} requests, heap ${mebibytes(heapBytes)}`);
    },
  });
  const { wrong, statuses, failures, seconds, slowestMs, slowest, warmBytes, endBytes } = report;
  console.log(`answers by status: ${JSON.stringify(statuses)}`);
  for (const [said, times] of Object.entries(failures)) console.log(`  ${times} x ${said}`);
  console.log(`${(count / seconds).toFixed(0)} requests/s for ${seconds.toFixed(0)} s`);
  console.log(`slowest: ${slowestMs.toFixed(0)} ms, ${slowest.slice(0, 200)}`);
  console.log(`heap when warm ${mebibytes(warmBytes)}, in the end ${mebibytes(endBytes)}`);
  for (const one of wrong.slice(0, 50)) console.log(`WRONG ${one}`);
  const grew = endBytes > warmBytes * GROWTH_MAX;
  if (grew) console.log("WRONG memory grew");
  console.log(
    wrong.length === 0 && !grew ? "nothing wrong" : `${wrong.length} requests went wrong`,
  );
  return wrong.length === 0 && !grew ? 0 : 1;
}
