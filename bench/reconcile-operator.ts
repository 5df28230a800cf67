/**
 * One run of an operator of ours against `bench/reconcile-server.ts`: `KUBECONFIG MODE ROUND COUNT`. It has ten workers.
 * What each mode does, and prints, stands in `bench/reconciles.ts`; `bench/informer-go/reconcile` does the same.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import {
  controllerFor,
  createManager,
  loadClusterConfig,
  type KubeObject,
  type Outcome,
} from "../src/index.ts";
import { Deployment } from "../src/k8s.ts";
import { silentLogger } from "../src/testing.ts";

const [kubeconfig = "", mode = "", round = "", text = ""] = process.argv.slice(2);
const COUNT = Number(text);

const config = loadClusterConfig({ kubeconfigText: readFileSync(kubeconfig, "utf8") });
const manager = createManager({ config, log: silentLogger });
const stop = new AbortController();
const delaysMs: number[] = [];
const wallMs = (): number => performance.timeOrigin + performance.now();
let done = 0;
let beganMs = 0;
let readyMs = Infinity;

function finish(result: object): void {
  console.log(JSON.stringify(result));
  stop.abort();
}

function count(): void {
  done++;
  if (done === COUNT) finish({ perSecond: (COUNT * 1000) / (performance.now() - beganMs) });
}

function noteDelay({ metadata }: KubeObject): void {
  const atMs = Number(metadata.annotations?.["at"]);
  if (atMs > readyMs) delaysMs.push(wallMs() - atMs);
}

controllerFor(manager)
  .for(Deployment)
  .withOptions({ maxConcurrentReconciles: 10 })
  .complete({
    async reconcile({ key }): Promise<Outcome> {
      beganMs ||= performance.now();
      const object = await manager.client.find(Deployment, key);
      if (!object) return;
      if (mode === "noop") {
        count();
        return { requeueAfterMs: 1 };
      }
      if (mode === "latency") noteDelay(object);
      else if (object.status?.observedGeneration !== Number(round)) {
        await manager.client.status.patch(object, { observedGeneration: Number(round) });
        count();
      }
    },
  });
if (mode === "latency") {
  void manager.cache.synced().then(() => {
    readyMs = wallMs();
    console.log("ready");
  });
  process.stdin.on("data", () => {
    delaysMs.sort((a, b) => a - b);
    const at = (share: number): number => delaysMs[Math.floor(delaysMs.length * share)] ?? NaN;
    finish({ p50Ms: at(0.5), p99Ms: at(0.99) });
    process.stdin.destroy();
  });
}
await manager.start(stop.signal);
