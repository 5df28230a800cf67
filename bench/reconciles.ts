/**
 * An operator at work, against one on controller-runtime in the same run and on the same server: ten workers, 10,000
 * objects of a kind of its own, 1.5 kB each.
 *
 * - `noop`: a source puts all keys in line, again and again; a reconcile reads its object from the cache, and that is all.
 *   What it measures is the queue, the controller and the cache: no server, no start-up.
 * - `patch`: the same, but each reconcile patches the status. The event of each patch comes back by the watch, as it does
 *   in life. The server takes about as long for an answer as the quickest client for its request; the bare patches of
 *   `node:https` beside it say what an operator could come to at best.
 * - `latency`: another process writes at a steady rate, and each write has its time in it.
 *
 * Where other processes are at work, the processor time of one reconcile says more than how many there were a second.
 *
 * @module
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/clock.ts";
import { PriorityQueue, WorkQueue } from "../src/runtime/queue/work-queue.ts";
import type { ServerAddress } from "./bench-server.ts";
import { has, median, run } from "./measure.ts";
import { kubeconfigOf, start, startScript, withServer, type Peer } from "./peers.ts";
import { nameOf } from "./reconcile-objects.ts";

const OBJECTS = 10_000;
const ROUNDS = 3;
const WORKERS = 10;
const BARE_PATCHES = 10_000;
const RATES = [100, 1000];
const LATENCY_SECONDS = 5;
const QUEUE_OPERATIONS = 1_000_000;

interface Result {
  readonly perSecond: number;
  readonly cpuUs: number;
}

interface Server extends ServerAddress {
  readonly collection: string;
}

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
      parts.push(`client-go ${(JSON.parse(await peer.next()) as Result).perSecond.toFixed(0)}`);
      await peer.ended();
    }
    console.log(`keys through a queue a second, ${keys} at a time: ${parts.join(", ")}`);
  }
}

/** A patch with nothing around it; resolves when the answer is parsed. */
function barePatch(
  { port, collection }: Server,
  agent: Agent,
  path: string,
  patch: object,
): Promise<void> {
  const body = JSON.stringify(patch);
  const headers = {
    "Content-Type": "application/merge-patch+json",
    "Content-Length": String(body.length),
  };
  return new Promise((resolve, reject) => {
    request(
      { agent, host: "127.0.0.1", port, method: "PATCH", path: `${collection}/${path}`, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          JSON.parse(Buffer.concat(chunks).toString("utf8"));
          resolve();
        });
      },
    )
      .on("error", reject)
      .end(body);
  });
}

/** Patches as fast as `node:https` can send them, as many at a time as there are workers. */
async function barePatches(server: Server): Promise<Result> {
  const agent = new Agent({ keepAlive: true, ca: server.ca, noDelay: true });
  let next = 0;
  const work = async (until: number): Promise<void> => {
    while (next < until) {
      const index = next++;
      const patch = { status: { observedGeneration: index } };
      await barePatch(server, agent, `${nameOf(index % OBJECTS)}/status`, patch);
    }
  };
  const all = (until: number): Promise<unknown> =>
    Promise.all(Array.from({ length: WORKERS }, () => work(until)));
  await all(BARE_PATCHES / 4);
  const before = process.cpuUsage();
  const began = performance.now();
  await all(next + BARE_PATCHES);
  const { user, system } = process.cpuUsage(before);
  agent.destroy();
  return {
    perSecond: (BARE_PATCHES * 1000) / (performance.now() - began),
    cpuUs: (user + system) / BARE_PATCHES,
  };
}

type Contenders = ReadonlyMap<string, (mode: string) => Peer>;

async function reportRates(mode: string, goal: number, contenders: Contenders): Promise<void> {
  const results = new Map<string, Result[]>();
  for (let turn = 0; turn < ROUNDS; turn++) {
    for (const [name, operator] of contenders) {
      const peer = operator(mode);
      await peer.next();
      const result = JSON.parse(await peer.next()) as Result;
      results.set(name, [...(results.get(name) ?? []), result]);
      await peer.ended();
    }
  }
  const rates = [...results.values()].map((all) => median(all.map(({ perSecond }) => perSecond)));
  for (const [name, all] of results) {
    const cpuUs = median(all.map((result) => result.cpuUs));
    const rate = median(all.map(({ perSecond }) => perSecond));
    console.log(
      `reconciles a second (${mode}), ${name.padEnd(18)} ${rate.toFixed(0).padStart(7)}, processor ${cpuUs.toFixed(1)} us each`,
    );
  }
  const [ours = NaN, theirs] = rates;
  if (theirs === undefined) return;
  const ratio = ours / theirs;
  console.log(
    `reconciles a second (${mode}): ${ratio.toFixed(2)}x  goal ${goal}x ${ratio >= goal ? "met" : "MISSED"}`,
  );
}

/** Writes at that rate, each object in its turn, with the time of the write. */
async function writeSteadily(server: Server, rate: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, ca: server.ca, noDelay: true });
  const beganMs = systemClock.monotonicMs();
  const running = new Set<Promise<void>>();
  for (let written = 0; written < rate * LATENCY_SECONDS; written++) {
    const leftMs = beganMs + (written * 1000) / rate - systemClock.monotonicMs();
    if (leftMs > 0.5) await systemClock.sleep(leftMs);
    // The clock that all processes have; what counts from the start of one drifts away from it.
    const at = String(systemClock.now());
    const write = barePatch(server, agent, nameOf(written % OBJECTS), { spec: { at } });
    running.add(write);
    void write.finally(() => running.delete(write));
  }
  await Promise.all(running);
  agent.destroy();
}

async function reportLatency(server: Server, contenders: Contenders): Promise<void> {
  await writeSteadily(server, RATES[0] ?? 1);
  for (const rate of RATES) {
    for (const [name, operator] of contenders) {
      const peer = operator("latency");
      await peer.next();
      await writeSteadily(server, rate);
      await systemClock.sleep(500);
      peer.say("");
      const { p50Ms, p99Ms } = JSON.parse(await peer.next()) as { p50Ms: number; p99Ms: number };
      console.log(
        `from a write to its reconcile, ${rate} writes a second, ${name.padEnd(18)} p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
      );
      await peer.ended();
    }
  }
}

/** Goals: 10 times the reconciles without work, 1.5 times those with a patch; 10 ms for 99 of 100 at 100 writes a second. */
export async function benchReconciles(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tsop-bench-"));
  const kubeconfig = join(folder, "kubeconfig");
  const program = join(folder, "reconcile");
  const go = has("go", "version") ? program : undefined;
  if (go) run("go", ["build", "-o", program, "./reconcile"], "bench/informer-go");
  else console.log("reconciles: no Go here, so no controller-runtime");
  const contenders = new Map([
    [
      "tsop",
      (mode: string) =>
        startScript("bench/reconcile-operator.ts", kubeconfig, mode, String(OBJECTS)),
    ],
  ]);
  if (go) {
    const peer = (mode: string): Peer => start(go, [kubeconfig, mode, String(OBJECTS)]);
    contenders.set("controller-runtime", peer);
  }
  try {
    await reportQueues(go);
    const args = [String(OBJECTS)];
    await withServer("bench/reconcile-server.ts", args, async (printed) => {
      const server = JSON.parse(printed) as Server;
      writeFileSync(kubeconfig, kubeconfigOf(server));
      await reportRates("noop", 10, contenders);
      const { perSecond, cpuUs } = await barePatches(server);
      console.log(
        `bare patches a second, node:https: ${perSecond.toFixed(0)}, processor ${cpuUs.toFixed(1)} us each`,
      );
      await reportRates("patch", 1.5, contenders);
      await reportLatency(server, contenders);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
