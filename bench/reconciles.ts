/**
 * An operator at work, against two on controller-runtime in the same run and on the same server: ten workers, 10,000
 * objects of a kind of its own, 1.5 kB each. One of the two has a type of Go for it and reads from its cache, the other has
 * none, and its client asks the server, as controller-runtime's does unless it is told otherwise. The goals came from the
 * latter's figures; ours has no types either, and reads from its cache.
 *
 * - the first pass: all objects once, from the start of the process, and from the first reconcile on, when the cache is
 *   there. It is what a restart costs.
 * - `noop`: a source puts all keys in line, again and again; a reconcile reads its object from the cache, and that is all.
 *   What it measures is the queue, the controller and the cache: no server, no start-up.
 * - `patch`: the same, but each reconcile patches the status. The event of each patch comes back by the watch, as it does
 *   in life. The server takes about as long for an answer as the quickest client for its request; the bare patches of
 *   `node:https` beside it say what an operator could come to at best, those of client-node what one on it would.
 * - `latency`: another process writes at a steady rate, and each write has its time in it.
 *
 * Where other processes are at work, the processor time of one reconcile says more than how many there were a second.
 */
import { build } from "esbuild";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/clock.ts";
import { PriorityQueue, WorkQueue } from "../src/runtime/queue/work-queue.ts";
import { has, median, run } from "./measure.ts";
import { kubeconfigOf, start, withServer, type Peer } from "./peers.ts";
import {
  barePatches,
  clientNodePatches,
  writeSteadily,
  type Rate,
  type ReconcileServer,
} from "./reconcile-clients.ts";

const OBJECTS = 10_000;
const ROUNDS = 3;
const WORKERS = 10;
const BARE_PATCHES = 8000;
const CLIENT_NODE_PATCHES = 800;
const RATES = [100, 1000];
const LATENCY_SECONDS = 8;
const QUEUE_OPERATIONS = 1_000_000;

/** The output of an operator in a mode with rounds. Times are the wall clock's. */
interface Result extends Rate {
  /** The first reconcile of the first pass. */
  readonly beganMs: number;
  readonly endedMs: number;
}

type Contenders = ReadonlyMap<string, (mode: string) => Peer>;

const OURS = "tsop";
const TYPED = "controller-runtime";
const UNTYPED = "controller-runtime, untyped";

/** Operations of a second: a key is added, taken and done. */
async function queueRate(queue: WorkQueue, keys: number): Promise<number> {
  const names = Array.from({ length: keys }, (_, index) => `default/object-${index}`);
  const began = performance.now();
  for (let done = 0; done < QUEUE_OPERATIONS; done += keys) {
    for (const name of names) queue.add(name);
    for (let taken = 0; taken < keys; taken++) {
      const key = await queue.get();
      if (key !== undefined) queue.done(key);
    }
  }
  return (QUEUE_OPERATIONS * 1000) / (performance.now() - began);
}

async function reportQueues(go: string | undefined): Promise<void> {
  for (const keys of [1, 100_000]) {
    const rates = {
      "first come, first served": await queueRate(new WorkQueue(systemClock), keys),
      "by priority": await queueRate(new PriorityQueue(systemClock), keys),
    };
    const parts = Object.entries(rates).map(([name, rate]) => `${name} ${rate.toFixed(0)}`);
    if (go) {
      const peer = start(go, ["queue", String(QUEUE_OPERATIONS), String(keys)]);
      parts.push(`client-go ${(JSON.parse(await peer.next()) as Rate).perSecond.toFixed(0)}`);
      await peer.ended();
    }
    console.log(`keys through a queue a second, ${keys} at a time: ${parts.join(", ")}`);
  }
}

/** A result, and what it takes from when the process was started. */
async function measured(
  operator: (mode: string) => Peer,
  mode: string,
): Promise<Record<"fromStart" | "fromFirst" | "perSecond" | "cpuUs", number>> {
  const startedMs = systemClock.now();
  const peer = operator(mode);
  await peer.next();
  const { beganMs, endedMs, perSecond, cpuUs } = JSON.parse(await peer.next()) as Result;
  await peer.ended();
  const perSecondIn = (ms: number): number => (OBJECTS * 1000) / ms;
  return {
    fromStart: perSecondIn(endedMs - startedMs),
    fromFirst: perSecondIn(endedMs - beganMs),
    perSecond,
    cpuUs,
  };
}

async function reportRates(mode: string, goal: number, contenders: Contenders): Promise<void> {
  const results = new Map<string, Awaited<ReturnType<typeof measured>>[]>();
  for (let turn = 0; turn < ROUNDS; turn++) {
    for (const [name, operator] of contenders) {
      results.set(name, [...(results.get(name) ?? []), await measured(operator, mode)]);
    }
  }
  const middle = (name: string, field: keyof Awaited<ReturnType<typeof measured>>): number =>
    median((results.get(name) ?? []).map((result) => result[field]));
  const titles = {
    fromStart: "first pass from the start of the process, objects a second",
    fromFirst: "first pass from its first reconcile, objects a second",
    perSecond: `reconciles a second (${mode})`,
  };
  for (const field of ["fromStart", "fromFirst", "perSecond"] as const) {
    // The first pass is the same in all modes.
    if (field !== "perSecond" && mode !== "noop") continue;
    for (const name of contenders.keys()) {
      const cpu =
        field === "perSecond" ? `, processor ${middle(name, "cpuUs").toFixed(1)} us each` : "";
      console.log(
        `${titles[field]}, ${name.padEnd(UNTYPED.length)} ${middle(name, field).toFixed(0).padStart(7)}${cpu}`,
      );
    }
    for (const name of contenders.keys()) {
      if (name === OURS) continue;
      const ratio = middle(OURS, field) / middle(name, field);
      const verdict =
        field === "perSecond" && name === UNTYPED
          ? `  goal ${goal}x ${ratio >= goal ? "met" : "MISSED"}`
          : "";
      console.log(`${titles[field]}: ${ratio.toFixed(2)}x of ${name}${verdict}`);
    }
  }
}

function reportPatches(name: string, { perSecond, cpuUs }: Rate): void {
  console.log(
    `bare patches a second, ${name}: ${perSecond.toFixed(0)}, processor ${cpuUs.toFixed(1)} us each`,
  );
}

async function reportLatency(server: ReconcileServer, contenders: Contenders): Promise<void> {
  await writeSteadily(server, OBJECTS, RATES[0] ?? 1, 1);
  for (const rate of RATES) {
    for (const [name, operator] of contenders) {
      const peer = operator("latency");
      await peer.next();
      await writeSteadily(server, OBJECTS, rate, LATENCY_SECONDS);
      await systemClock.sleep(500);
      peer.say("");
      const { p50Ms, p99Ms } = JSON.parse(await peer.next()) as { p50Ms: number; p99Ms: number };
      console.log(
        `from a write to its reconcile, ${rate} writes a second, ${name.padEnd(UNTYPED.length)} p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
      );
      await peer.ended();
    }
  }
}

/** The operators, built as one deploys them. */
async function contendersIn(folder: string, kubeconfig: string): Promise<Contenders> {
  const operator = join(folder, "operator.mjs");
  await build({
    entryPoints: ["bench/reconcile-operator.ts"],
    outfile: operator,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    // CommonJS packages ask for Node's own modules in this way.
    banner: {
      js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`,
    },
    logLevel: "warning",
  });
  const args = (mode: string): string[] => [kubeconfig, mode, String(OBJECTS)];
  const contenders = new Map([
    [OURS, (mode: string) => start(process.execPath, [operator, ...args(mode)])],
  ]);
  if (has("go", "version")) {
    const program = join(folder, "reconcile");
    run("go", ["build", "-o", program, "./reconcile"], "bench/informer-go");
    contenders.set(TYPED, (mode) => start(program, args(mode)));
    contenders.set(UNTYPED, (mode) => start(program, [...args(mode), "untyped"]));
    await reportQueues(program);
  } else {
    console.log("reconciles: no Go here, so no controller-runtime");
    await reportQueues(undefined);
  }
  return contenders;
}

/** Goals: 10 times the reconciles without work, 1.5 times those with a patch; 10 ms for 99 of 100 at 100 writes a second. */
export async function benchReconciles(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tsop-bench-"));
  const kubeconfig = join(folder, "kubeconfig");
  try {
    const contenders = await contendersIn(folder, kubeconfig);
    await withServer("bench/reconcile-server.ts", [String(OBJECTS)], async (printed) => {
      const server = JSON.parse(printed) as ReconcileServer;
      writeFileSync(kubeconfig, kubeconfigOf(server));
      await reportRates("noop", 10, contenders);
      reportPatches("node:https", await barePatches(server, OBJECTS, WORKERS, BARE_PATCHES));
      reportPatches(
        "client-node",
        await clientNodePatches(server, OBJECTS, WORKERS, CLIENT_NODE_PATCHES),
      );
      await reportRates("patch", 1.5, contenders);
      await reportLatency(server, contenders);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
