/** How long an informer takes to have 10,000 objects of 1.5 kB in memory, and how much memory that is. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CONTENDERS, type BenchServer } from "./informer-contenders.ts";
import { compare, has, median, report, run } from "./measure.ts";
import { kubeconfigOf, withServer } from "./peers.ts";

const COUNT = 10_000;
const ROUNDS = 7;
/** What the memory is measured with. */
const HEAPS: readonly [number, string][] = [
  [1000, "configmaps"],
  [10_000, "configmaps"],
  [100_000, "configmaps"],
  [10_000, "pods"],
];

/** Milliseconds of each round of controller-runtime's cache; none where there is no Go. */
function timeGo(server: BenchServer): number[] {
  if (!has("go", "version")) return [];
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, kubeconfigOf(server));
    const program = join(folder, "informer");
    run("go", ["build", "-o", program, "."], "bench/informer-go");
    const { stdout } = spawnSync(program, [kubeconfig, "bench", String(ROUNDS + 1)], {
      encoding: "utf8",
    });
    // The first round warms up, as it does for the others.
    return stdout.trim().split("\n").slice(1).map(Number);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Goal: at most 6 kB for a pod of 5.8 kB. */
async function reportMemory(count: number, resource: string): Promise<void> {
  await withObjects(count, resource, async (server) => {
    for (const contender of ["watch list", "list", "client-node", "bare"]) {
      const { stdout, stderr } = spawnSync(
        process.execPath,
        [
          ...["--expose-gc", "scripts/run-ts.mjs", "bench/informer-memory.ts"],
          ...[contender, String(count)],
        ],
        { input: JSON.stringify(server), encoding: "utf8" },
      );
      if (stdout === "") throw new Error(stderr);
      const { heap, resident, peak } = JSON.parse(stdout) as Record<string, number>;
      const megabytes = Math.round((peak ?? NaN) / 2 ** 20);
      console.log(
        `  ${count} ${resource}, ${contender.padEnd(11)} an object: heap ${heap ?? NaN} B, resident ${resident ?? NaN} B; peak ${megabytes} MB`,
      );
    }
  });
}

function withObjects(
  count: number,
  resource: string,
  use: (server: BenchServer) => Promise<void>,
): Promise<void> {
  return withServer("bench/list-server.ts", [String(count), resource], (printed) =>
    use(JSON.parse(printed) as BenchServer),
  );
}

async function reportTimes(server: BenchServer): Promise<void> {
  const timed = Object.entries(CONTENDERS).map(([name, sync]) => [
    name,
    async () => {
      const began = performance.now();
      const synced = await sync(server);
      const took = performance.now() - began;
      await synced.stop();
      return took;
    },
  ]) as [string, () => Promise<number>][];
  const times = await compare(Object.fromEntries(timed), ROUNDS);
  const bare = times["bare"] ?? NaN;
  const stream = times["bare stream"] ?? NaN;
  const ours = times["watch list"] ?? NaN;
  const title = `informer sync of ${COUNT}`;
  report(`${title} (watch list)`, ours, bare, "bare fetch and parse of a list", 1.1);
  report(`${title} (watch list)`, ours, stream, "bare fetch and parse of its bytes", 1.1);
  report(`${title} (list)`, times["list"] ?? NaN, bare, "bare fetch and parse", 1.1);
  report(title, ours, times["client-node"] ?? NaN, "client-node 1.4");
  const go = timeGo(server);
  if (go.length > 0) report(title, ours, median(go), "controller-runtime");
  else console.log("informer sync: no Go here, so no controller-runtime");
}

/** Goal: at most 1.1 times a bare fetch and JSON.parse. */
export async function benchInformerSync(): Promise<void> {
  await withObjects(COUNT, "configmaps", reportTimes);
  for (const [count, resource] of HEAPS) await reportMemory(count, resource);
}
