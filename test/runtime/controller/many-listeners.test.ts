/** Signals that many wait for are no leak, and Node does not take them for one. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { ConfigMap } from "../../../src/k8s.ts";
import { controllerFor, createManager } from "../../../src/index.ts";
import { clientFor, inProcess, startControlPlane } from "../../../src/testing.ts";
import { silentLogger } from "../../../src/log.ts";

const warnings: string[] = [];
const note = ({ name }: Error): void => void warnings.push(name);

beforeEach(() => {
  warnings.length = 0;
  process.on("warning", note);
});

afterEach(() => {
  process.off("warning", note);
});

it.each([undefined, 60_000])(
  "a reconcile's signal takes any number of listeners, with the timeout %s",
  async (reconcileTimeoutMs) => {
    const clock = new VirtualClock();
    const cluster = await startControlPlane({ listen: false, clock, controllers: "off" });
    const manager = createManager({ transport: inProcess(cluster), log: silentLogger, clock });
    let runs = 0;
    controllerFor(manager)
      .named("web")
      .for(ConfigMap)
      .withOptions({
        maxConcurrentReconciles: 20,
        ...(reconcileTimeoutMs !== undefined && { reconcileTimeoutMs }),
      })
      .complete({
        reconcile: async ({ key }, { signal }) => {
          if (!key.name.startsWith("one")) return;
          runs++;
          await Promise.all(Array.from({ length: 20 }, () => clock.sleep(10, signal)));
        },
      });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await clock.advance(1000);
    for (let count = 0; count < 20; count++) {
      await clientFor(cluster).create(ConfigMap, {
        metadata: { namespace: "default", name: `one-${count}` },
      });
    }
    await clock.advance(1000);
    stop.abort();
    await clock.advance(1000);
    await running;
    await cluster.stop();
    expect(runs).toBe(20);
    expect(warnings).toEqual([]);
  },
);
