/** T29, T30 and the loops: reconcilers that fail, hang, or go round and round. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import type { Logger } from "../../../src/log.ts";
import { silentLogger } from "../../../src/log.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import type { Client } from "../../../src/runtime/client/client.ts";
import { addFinalizer, removeFinalizer } from "../../../src/runtime/client/finalizer.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { controllerFor } from "../../../src/runtime/builder/builder.ts";
import type { ControllerOptions } from "../../../src/runtime/controller/controller-parts.ts";
import type { ReconcileContext } from "../../../src/runtime/controller/reconciler.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { asRead } from "../../support/as-read.ts";

interface Settings extends KubeObject {
  data?: Record<string, string>;
}

const SETTINGS: ResourceType<Settings> = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};
const KEY = { namespace: "d", name: "one" };
const PATH = "/api/v1/namespaces/d/configmaps/one";
const settings = (data: Record<string, string>): Settings =>
  asRead({ apiVersion: "v1", kind: "ConfigMap", metadata: { ...KEY }, data });

async function build(
  reconcile: (client: Client, context: ReconcileContext, clock: VirtualClock) => Promise<void>,
  options: ControllerOptions = {},
) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const warnings: string[] = [];
  const log: Logger = {
    ...silentLogger,
    warn: (_: object | string, message?: string) => void warnings.push(message ?? ""),
    child: () => log,
  };
  const manager = createManager({ clock, transport: api, log });
  controllerFor(manager)
    .for(SETTINGS)
    .withOptions(options)
    .complete({ reconcile: (_, context) => reconcile(manager.client, context, clock) });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clock.advance(100);
  return {
    clock,
    api,
    warnings,
    total: async (name: string): Promise<number> => {
      const metric = await manager.metrics.registry.getSingleMetric(name)?.get();
      return metric?.values.reduce((sum, { value }) => sum + value, 0) ?? 0;
    },
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
    },
  };
}

describe("reconciles under faults", () => {
  it("T30: one that never ends is given up, its key is tried again, and it can write nothing more", async () => {
    let runs = 0;
    let late: unknown;
    const { clock, api, total, end } = await build(
      async (client, _, time) => {
        if (++runs > 1) return;
        // Deaf to its signal.
        await time.sleep(60_000);
        late = await client
          .patch(SETTINGS, KEY, { contentType: "application/merge-patch+json", body: { data: {} } })
          .catch((error: unknown) => error);
      },
      { reconcileTimeoutMs: 10_000 },
    );
    api.put(PATH, settings({}));
    await clock.advance(16_000);
    expect(runs).toBe(2);
    expect(await total("controller_runtime_reconcile_timeouts_total")).toBe(1);
    await clock.advance(60_000);
    expect(late).toMatchObject({ code: "reconcile-expired" });
    expect(api.requests.filter((request) => request.startsWith("PATCH"))).toEqual([]);
    await end();
  });

  it("slows down a fight with somebody who changes it back, and says what it is about", async () => {
    const { clock, api, warnings, total, end } = await build(async (client) => {
      await client.apply(SETTINGS, { metadata: KEY, data: { color: "blue" } });
    });
    api.put(PATH, settings({ color: "red" }));
    let fights = 0;
    for (let ms = 0; ms < 120_000; ms += 100) {
      await clock.advance(100);
      const [current] = api.objects("/api/v1/configmaps") as Settings[];
      if (current?.data?.["color"] !== "blue") continue;
      fights++;
      api.put(PATH, settings({ color: "red" }));
    }
    // Two minutes at full speed would be 1200.
    expect(fights).toBeLessThan(30);
    expect(warnings[0]).toContain(
      "the same write of ConfigMap d/one (data.color) changed something",
    );
    expect(warnings[0]).toContain("who undoes it is unknown");
    expect(warnings.join()).not.toContain("blue");
    expect(await total("tsop_hot_loops_total")).toBeGreaterThanOrEqual(warnings.length);
    expect(api.objects("/api/v1/events")[0]).toMatchObject({
      type: "Warning",
      reason: "HotLoop",
      involvedObject: { kind: "ConfigMap", name: "one" },
      message: expect.stringContaining("who undoes it is unknown"),
    });
    await end();
  });

  it("slows down a reconciler that writes the time of day", async () => {
    let runs = 0;
    const { clock, api, warnings, end } = await build(async (client, { nowMs }) => {
      runs++;
      await client.apply(SETTINGS, { metadata: KEY, data: { at: `${nowMs} ${runs}` } });
    });
    api.put(PATH, settings({}));
    await clock.advance(600_000);
    expect(runs).toBeLessThan(200);
    expect(warnings[0]).toContain("the last one ConfigMap d/one (data.at); does it write");
    expect(warnings[0]).toContain("differs each time, such as a timestamp");
    await end();
  });

  it("leaves one alone that takes many steps to its end", async () => {
    let step = 0;
    const { clock, api, warnings, end } = await build(async (client) => {
      if (step < 100) await client.apply(SETTINGS, { metadata: KEY, data: { step: `${++step}` } });
    });
    api.put(PATH, settings({}));
    await clock.advance(5000);
    expect(step).toBe(100);
    expect(warnings).toEqual([]);
    await end();
  });

  it("T15: an hour without a server costs few requests, and everything is caught up with", async () => {
    const seen = new Set<string>();
    const { clock, api, end } = await build(async (client) => {
      for (const { data } of await client.list(SETTINGS)) seen.add(data?.["page"] ?? "");
    });
    api.put(PATH, settings({ page: "before" }));
    await clock.advance(1000);
    api.down = true;
    api.cut();
    const before = api.requests.length;
    await clock.advance(3_600_000);
    expect(api.requests.length - before).toBeLessThan(3600 / 4);
    api.put(PATH, settings({ page: "meanwhile" }));
    api.down = false;
    await clock.advance(61_000);
    expect([...seen]).toEqual(["before", "meanwhile"]);
    await end();
  });

  it("T24: eight workers never work on one key at a time, and leave none out", async () => {
    const busy = new Set<string>();
    const done = new Map<string, number>();
    const clock = new VirtualClock();
    const api = new MemoryApi(clock);
    const manager = createManager({ clock, transport: api, log: silentLogger });
    let most = 0;
    const controller = controllerFor(manager)
      .for(SETTINGS)
      .withOptions({ maxConcurrentReconciles: 8 })
      .complete({
        async reconcile({ key: { name } }) {
          expect(busy.has(name)).toBe(false);
          busy.add(name);
          most = Math.max(most, busy.size);
          await clock.sleep(clock.random() * 20);
          busy.delete(name);
          done.set(name, (done.get(name) ?? 0) + 1);
        },
      });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await clock.advance(100);
    for (let round = 0; round < 100; round++) {
      for (let index = 0; index < 100; index++) controller.enqueue({ name: `key-${index}` });
      await clock.advance(7);
    }
    await clock.advance(5000);
    expect(most).toBe(8);
    expect(done.size).toBe(100);
    expect(Math.min(...done.values())).toBeGreaterThan(1);
    stop.abort();
    await clock.advance(1000);
    await running;
  });

  it("T47: a finalizer is added and removed, and those of others stay, or it is tried again", async () => {
    const { clock, api, end } = await build(async () => undefined);
    const rest = new LiveClient(new RestClient(api, clock), { fieldManager: "test" });
    const stored = api.put(PATH, settings({})) as Settings;
    const foreign = { ...settings({}), metadata: { ...KEY, finalizers: ["theirs"] } };
    api.put(PATH, foreign);
    await expect(addFinalizer(rest, SETTINGS, stored, "ours")).rejects.toMatchObject({ code: 409 });
    const both = await addFinalizer(rest, SETTINGS, await rest.get(SETTINGS, KEY), "ours");
    expect(both.metadata.finalizers).toEqual(["theirs", "ours"]);
    const left = await removeFinalizer(rest, SETTINGS, both, "ours");
    expect(left.metadata.finalizers).toEqual(["theirs"]);
    await end();
  });
});
