import { fuzz } from "../../test/controlplane/fuzz/run.ts";
import { type Memory, runCampaign } from "../../test/fuzz/campaign.ts";
import { fuzzKinds } from "../../test/fuzz/kinds.ts";
import { defineVerification, SEED } from "../programs/program.ts";

/** The growth that caches may have. */
const GROWTH_MAX = 1.25;
/** An input may take this long, on a machine with nothing else to do. */
const SLOW_MS = 1000;
const NO_MEMORY: Memory = { heapBytes: 0, rssBytes: 0 };

/** The result of a run. */
interface Outcome {
  readonly wrong: readonly string[];
  /** How often there was which outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly slowestMs: number;
  readonly slowest: string;
  /** After a tenth of the inputs, and at the end. */
  readonly memory: readonly [warm: Memory, end: Memory];
}

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
const describe = ({ heapBytes, rssBytes }: Memory): string =>
  `heap ${mebibytes(heapBytes)}, resident ${mebibytes(rssBytes)}`;

async function fuzzKind(
  name: string,
  { count, seed, only }: { count: number; seed: number; only: number | undefined },
): Promise<Outcome> {
  const kind = fuzzKinds[name];
  if (!kind) throw new Error(`there is no fuzz kind ${name}`);
  console.log(kind.about);
  const {
    warm = NO_MEMORY,
    end = NO_MEMORY,
    ...found
  } = await runCampaign(kind, {
    count,
    seed,
    slowMs: SLOW_MS,
    ...(only === undefined ? {} : { only }),
    onProgress: (done, memory) => {
      console.log(`${done} inputs, ${describe(memory)}`);
    },
  });
  return { ...found, memory: [warm, end] };
}

async function fuzzControlPlane(requests: number, seed: number): Promise<Outcome> {
  const report = await fuzz({
    requests,
    seed,
    slowMs: SLOW_MS,
    onProgress: (done, heapBytes) => {
      console.log(`${done} requests, heap ${mebibytes(heapBytes)}`);
    },
  });
  const { statuses, failures, warmBytes, endBytes } = report;
  const memory = [warmBytes, endBytes].map((heapBytes) => ({ heapBytes, rssBytes: 0 }));
  const [warm = NO_MEMORY, end = NO_MEMORY] = memory;
  return { ...report, outcomes: { ...statuses, ...failures }, memory: [warm, end] };
}

export const program = defineVerification({
  about:
    "Tries random inputs. None may crash, give a wrong result, or take over a second, and memory may not grow by over a quarter.",
  compares: "inputs",
  needs: [],
  words: {
    name: "KIND",
    about: "what the inputs are for",
    choices: ["controlplane", ...Object.keys(fuzzKinds)],
    least: 1,
    most: 1,
  },
  options: {
    count: { type: "number", default: 1_000_000, about: "number of inputs" },
    seed: SEED,
    only: { type: "number", about: "number of the only input to try" },
  },
  run: async ({ values: { count, seed, only }, words: [name = ""], tally }) => {
    const { wrong, outcomes, seconds, slowestMs, slowest, memory } =
      name === "controlplane"
        ? await fuzzControlPlane(count, seed)
        : await fuzzKind(name, { count, seed, only });
    const [warm, end] = memory;
    for (const [outcome, times] of Object.entries(outcomes)) console.log(`  ${times} x ${outcome}`);
    console.log(`${(count / seconds).toFixed(0)} inputs/s for ${seconds.toFixed(0)} s`);
    console.log(`slowest: ${slowestMs.toFixed(1)} ms, ${slowest.slice(0, 200)}`);
    console.log(`after a tenth ${describe(warm)}; at the end ${describe(end)}`);
    for (const one of wrong.slice(0, 50)) console.log(`WRONG ${one}`);
    const tried = only === undefined ? count : 1;
    tally.add(tried, tried - wrong.length);
    const isMore = (field: keyof Memory): boolean => end[field] > warm[field] * GROWTH_MAX;
    if (isMore("heapBytes") || isMore("rssBytes")) throw new Error("memory grew");
  },
});
