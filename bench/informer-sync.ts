/** How long an informer takes to have 10,000 objects of 1.5 kB in memory, and how much memory that is. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { CONTENDERS, type BenchServer } from "./informer-contenders.ts";
import { compare, has, median, report, run } from "./measure.ts";

const COUNT = 10_000;
const ROUNDS = 7;

/** Milliseconds of each round of controller-runtime's cache; none where there is no Go. */
function timeGo({ port, ca }: BenchServer): number[] {
  if (!has("go", "version")) return [];
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    const kubeconfig = join(folder, "kubeconfig");
    const name = "bench";
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        "current-context": name,
        contexts: [{ name, context: { cluster: name, user: name } }],
        users: [{ name, user: { token: name } }],
        clusters: [
          {
            name,
            cluster: {
              server: `https://127.0.0.1:${port}`,
              "certificate-authority-data": Buffer.from(ca).toString("base64"),
            },
          },
        ],
      }),
    );
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

function reportMemory({ port, ca }: BenchServer): void {
  for (const contender of Object.keys(CONTENDERS)) {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [
        ...["--expose-gc", "scripts/run-ts.mjs", "bench/informer-memory.ts"],
        ...[contender, String(port), String(COUNT)],
      ],
      { input: ca, encoding: "utf8" },
    );
    if (stdout === "") throw new Error(stderr);
    console.log(`  heap of an object: ${contender.padEnd(12)} ${stdout.trim()} B`);
  }
}

/** Goal: at most 1.3 times a bare fetch and JSON.parse of the list. */
export async function benchInformerSync(): Promise<void> {
  const child = spawn(
    process.execPath,
    ["scripts/run-ts.mjs", "bench/list-server.ts", String(COUNT)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const server = JSON.parse(line) as BenchServer;
  try {
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
    const ours = times["watch list"] ?? NaN;
    report(`informer sync of ${COUNT} (watch list)`, ours, bare, "bare fetch and parse", 1.3);
    report(`informer sync of ${COUNT} (list)`, times["list"] ?? NaN, bare, "bare fetch and parse");
    report(`informer sync of ${COUNT}`, ours, times["client-node"] ?? NaN, "client-node 1.4");
    const go = timeGo(server);
    if (go.length > 0) {
      report(`informer sync of ${COUNT}`, ours, median(go), "controller-runtime");
    } else console.log("informer sync: no Go here, so no controller-runtime");
    reportMemory(server);
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}
