/**
 * An operator of ours against `bench/reconcile-server.ts`: `KUBECONFIG MODE COUNT`, with ten
 * workers. The modes and their output are described in `bench/reconciles.ts`;
 * `bench/informer-go/reconcile` does the same.
 */
import { readFileSync } from "node:fs";
import {
  controllerFor,
  createManager,
  loadClusterConfig,
  type Enqueue,
  type Outcome,
  type ResourceType,
} from "../src/index.ts";
import { systemClock } from "../src/clock.ts";
import { silentLogger } from "../src/log.ts";
import { GROUP, KIND, NAMESPACE, nameOf, PLURAL, VERSION, type Web } from "./reconcile-objects.ts";

const [kubeconfig = "", mode = "", text = ""] = process.argv.slice(2);
const COUNT = Number(text);
const WARM_MS = 3000;
const MEASURED_MS = 5000;

const WEBS: ResourceType<Web> = {
  group: GROUP,
  version: VERSION,
  kind: KIND,
  plural: PLURAL,
  namespaced: true,
};
const KEYS = Array.from({ length: COUNT }, (_, index) => ({
  namespace: NAMESPACE,
  name: nameOf(index),
}));
const config = loadClusterConfig({ kubeconfigText: readFileSync(kubeconfig, "utf8") });
const manager = createManager({ config, log: silentLogger });
const stop = new AbortController();
const delaysMs: number[] = [];
// No object has the number of a round yet, whichever process patched it before.
const firstRound = systemClock.now();
let round = 0;
let doneOfRound = 0;
let done = 0;
let beganMs = 0;
let cpuBefore = process.cpuUsage();
let readyMs = Infinity;
let firstPass: { beganMs: number; endedMs: number } | undefined;
let enqueue: Enqueue = () => undefined;

function finish(result: object): void {
  console.log(JSON.stringify(result));
  stop.abort();
}

/** The objects of the first list, each once. */
function countFirst(): void {
  firstPass ??= { beganMs: systemClock.now(), endedMs: Infinity };
  if (++doneOfRound < COUNT) return;
  firstPass.endedMs = systemClock.now();
  begin();
}

/** Starts the rounds, when the cache is complete and the first pass has ended. */
function begin(): void {
  if (round > 0 || readyMs === Infinity || doneOfRound < COUNT || mode === "latency") return;
  round = firstRound;
  nextRound();
}

/** Queues all keys. */
function nextRound(): void {
  round++;
  doneOfRound = 0;
  for (const key of KEYS) enqueue(key);
}

function count(): void {
  done++;
  doneOfRound++;
  const nowMs = systemClock.now();
  if (beganMs === 0) {
    // Compilation and connecting are not measured.
    if (nowMs - readyMs < WARM_MS) done = 0;
    else {
      beganMs = nowMs;
      cpuBefore = process.cpuUsage();
    }
  } else if (nowMs - beganMs >= MEASURED_MS) {
    if (stop.signal.aborted) return;
    const { user, system } = process.cpuUsage(cpuBefore);
    finish({
      ...firstPass,
      perSecond: (done * 1000) / (nowMs - beganMs),
      cpuUs: (user + system) / done,
    });
    return;
  }
  if (doneOfRound === COUNT) nextRound();
}

controllerFor(manager)
  .for(WEBS)
  .watchesSource({
    start(add) {
      enqueue = add;
      return { synced: Promise.resolve(), ended: Promise.resolve() };
    },
  })
  .withOptions({ maxConcurrentReconciles: 10 })
  .complete({
    async reconcile({ key }): Promise<Outcome> {
      const object = await manager.client.find(WEBS, key);
      if (!object) return;
      if (mode === "latency") {
        const atMs = Number(object.spec.at);
        if (atMs > readyMs + WARM_MS) delaysMs.push(systemClock.now() - atMs);
      } else if (round === 0) countFirst();
      else if (mode === "noop") count();
      else if (object.status?.observedGeneration !== round) {
        await manager.client.status.patch(object, { observedGeneration: round });
        count();
      }
    },
  });
void manager.cache.synced().then(() => {
  readyMs = systemClock.now();
  console.log("ready");
  begin();
});
process.stdin.once("data", () => {
  delaysMs.sort((a, b) => a - b);
  const at = (share: number): number => delaysMs[Math.floor(delaysMs.length * share)] ?? NaN;
  finish({ p50Ms: at(0.5), p99Ms: at(0.99) });
});
await manager.start(stop.signal);
process.stdin.destroy();
