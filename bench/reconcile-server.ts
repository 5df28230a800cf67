/**
 * A control plane with some Deployments, for operators to reconcile: `FOLDER COUNT`. Writes its kubeconfig into the folder
 * and prints a line when all objects are there. Each line on standard input is an order, answered by a line: `RATE SECONDS`
 * changes that many objects a second for so long, each with the time of its change.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { systemClock } from "../src/clock.ts";
import { mergePatch, type ObjectKey } from "../src/index.ts";
import { Deployment } from "../src/k8s.ts";
import { clientFor, startControlPlane } from "../src/testing.ts";

const [folder = "", text = ""] = process.argv.slice(2);
const COUNT = Number(text);
const keyOf = (index: number): ObjectKey => ({ namespace: "default", name: `object-${index}` });

const cluster = await startControlPlane({ controllers: "off" });
const client = clientFor(cluster);
writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig);
let next = 0;
const labels = { app: "bench" };
const container = {
  name: "main",
  image: "nginx:1.27",
  env: [{ name: "A", value: "x".repeat(500) }],
};
const create = async (): Promise<void> => {
  while (next < COUNT) {
    await client.create(Deployment, {
      metadata: { ...keyOf(next++) },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    });
  }
};
await Promise.all(Array.from({ length: 8 }, create));
console.log("ready");

async function change(rate: number, seconds: number): Promise<void> {
  const beganMs = systemClock.monotonicMs();
  const running = new Set<Promise<unknown>>();
  for (let written = 0; written < rate * seconds; written++) {
    const leftMs = beganMs + (written * 1000) / rate - systemClock.monotonicMs();
    if (leftMs > 1) await systemClock.sleep(leftMs);
    const at = String(performance.timeOrigin + performance.now());
    const write = client
      .patch(Deployment, keyOf(written % COUNT), mergePatch({ metadata: { annotations: { at } } }))
      // What got no answer is not measured.
      .catch(() => undefined)
      .finally(() => running.delete(write));
    running.add(write);
  }
  await Promise.all(running);
}

const orders = createInterface(process.stdin);
orders.on("line", (line) => {
  const [rate = 0, seconds = 0] = line.split(" ").map(Number);
  void change(rate, seconds).then(() => {
    console.log("done");
  });
});
orders.on("close", () => void cluster.stop());
