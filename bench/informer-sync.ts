/**
 * The time that an informer takes to load objects of 1.5 kB, and their memory.
 *
 * Each contender has a process of its own, and they take turns. A round is compared with that of
 * the peer right before or behind it, so that a slow phase of the machine slows both. On a machine
 * that others use, the processor time says more than the clock.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchServer } from "./informer-contenders.ts";
import type { Round } from "./informer-rounds.ts";
import { has, median, report, run } from "./measure.ts";
import { kubeconfigOf, startScript, withServer } from "./peers.ts";

/** The rounds of each contender. */
interface Rounds {
  /** The rounds until all code is compiled. */
  readonly warmUp: number;
  /** The counted rounds of each process. */
  readonly counted: number;
  /**
   * The processes of each contender, one after the other: one may happen to have its memory or its
   * compiled code in a better place.
   */
  readonly processes: number;
}

const SIZES: readonly [count: number, rounds: Rounds][] = [
  [1000, { warmUp: 50, counted: 31, processes: 4 }],
  [10_000, { warmUp: 5, counted: 15, processes: 1 }],
  [100_000, { warmUp: 1, counted: 5, processes: 1 }],
];
const WITH_GO = 10_000;
const GOAL = 1.1;
const BARE = "bare";
const PEER = "client-node";
const OURS = ["watch list", "list"];
/** The heap sizes with which the memory is measured. */
const HEAPS: readonly [number, string][] = [
  [1000, "configmaps"],
  [10_000, "configmaps"],
  [100_000, "configmaps"],
  [10_000, "pods"],
];

/** Milliseconds of each round of controller-runtime's cache; none where there is no Go. */
function timeGo(server: BenchServer, rounds: number): number[] {
  if (!has("go", "version")) return [];
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, kubeconfigOf(server));
    const program = join(folder, "informer");
    run("go", ["build", "-o", program, "."], "bench/informer-go");
    const { stdout } = spawnSync(program, [kubeconfig, "bench", String(rounds + 1)], {
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
    for (const contender of [...OURS, PEER, BARE]) {
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

/** The rounds of each contender, which take turns. */
async function roundsOf(
  server: BenchServer,
  contenders: readonly string[],
  rounds: Rounds,
): Promise<ReadonlyMap<string, Round[]>> {
  const results = new Map<string, Round[]>(contenders.map((name) => [name, []]));
  for (let process = 0; process < rounds.processes; process++) {
    const peers = contenders.map((name) => {
      return { name, peer: startScript("bench/informer-rounds.ts", name) };
    });
    try {
      for (const { peer } of peers) peer.say(JSON.stringify(server));
      for (let round = -rounds.warmUp; round < rounds.counted; round++) {
        for (const { name, peer } of peers) {
          peer.say("next");
          const result = JSON.parse(await peer.next()) as Round;
          if (round >= 0) results.get(name)?.push(result);
        }
      }
    } finally {
      for (const { peer } of peers) peer.child.stdin?.end();
      for (const { peer } of peers) await peer.ended();
    }
  }
  return results;
}

async function reportTimes(server: BenchServer, count: number, rounds: Rounds): Promise<void> {
  const results = await roundsOf(server, [...OURS, BARE, PEER], rounds);
  const of = (name: string, field: keyof Round): number[] =>
    (results.get(name) ?? []).map((round) => round[field]);
  const middle = (name: string, field: keyof Round): string => median(of(name, field)).toFixed(0);
  const ratio = (name: string, peer: string, field: keyof Round): number => {
    const others = of(peer, field);
    return median(of(name, field).map((value, round) => value / (others[round] ?? NaN)));
  };
  for (const name of OURS) {
    for (const peer of [BARE, PEER]) {
      const clock = ratio(name, peer, "ms");
      const cpu = ratio(name, peer, "cpuMs").toFixed(2);
      const goal = peer === BARE ? `  goal ${GOAL}x ${clock <= GOAL ? "met" : "MISSED"}` : "";
      const took = `${middle(name, "ms")} ms (processors ${middle(name, "cpuMs")})`;
      const peerTook = `${middle(peer, "ms")} (${middle(peer, "cpuMs")})`;
      console.log(
        `informer sync of ${count} (${name}): ${took}, ${peer} ${peerTook}: ${clock.toFixed(2)}x, processors ${cpu}x${goal}`,
      );
    }
  }
  if (count !== WITH_GO) return;
  const go = timeGo(server, rounds.counted);
  const [ours = ""] = OURS;
  const title = `informer sync of ${count}`;
  if (go.length > 0) report(title, median(of(ours, "ms")), median(go), "controller-runtime");
  else console.log(`${title}: no Go here, so no controller-runtime`);
}

/** Goal: at most 1.1 times a bare fetch and JSON.parse of the list. */
export async function benchInformerSync(): Promise<void> {
  for (const [count, rounds] of SIZES) {
    await withObjects(count, "configmaps", (server) => reportTimes(server, count, rounds));
  }
  for (const [count, resource] of HEAPS) await reportMemory(count, resource);
}
