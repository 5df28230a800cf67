/** T16, T26, T29, T41, T49 and T50: whole processes that come back, end, and run for long. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { TerminalError } from "../../../src/errors.ts";
import { silentLogger } from "../../../src/log.ts";
import type { SentObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import { controllerFor } from "../../../src/runtime/builder/builder.ts";
import { timerSource } from "../../../src/runtime/controller/sources/timers.ts";
import type { Outcome } from "../../../src/runtime/controller/reconciler.ts";
import { informersOf } from "../../../src/runtime/cache/cache.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import type { ManagerOptions } from "../../../src/runtime/manager/manager-options.ts";
import { FaultyTransport } from "../../../src/runtime/transport/faulty-transport.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { widget, WIDGETS } from "../support/widgets.ts";

const SETTINGS: ResourceType = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};
const settings = (namespace: string, name: string): SentObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace, name },
});
const pathOf = (namespace: string, name: string): string =>
  `/api/v1/namespaces/${namespace}/configmaps/${name}`;

function build(options: Partial<ManagerOptions> = {}) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const manager = createManager({ clock, transport: api, log: silentLogger, ...options });
  const stop = new AbortController();
  return {
    clock,
    api,
    manager,
    stop,
    start: () => manager.start(stop.signal),
    total: async (name: string, label?: string): Promise<number> => {
      const metric = await manager.metrics.registry.getSingleMetric(name)?.get();
      return (metric?.values ?? [])
        .filter(({ labels }) => label === undefined || Object.values(labels).includes(label))
        .reduce((sum, { value }) => sum + value, 0);
    },
  };
}

describe("processes under faults", () => {
  it("T16: a hundred informers that lose their server do not come back in one moment", async () => {
    const { clock, api, manager, stop, start } = build({ cache: { watchList: false } });
    const atMs: number[] = [];
    const request = api.request.bind(api);
    api.request = (asked) => {
      if (asked.path.includes("watch=true")) atMs.push(clock.monotonicMs());
      return request(asked);
    };
    for (let index = 0; index < 100; index++) {
      informersOf(manager.cache).informersFor({
        ...WIDGETS,
        kind: `Kind${index}`,
        plural: `kind${index}s`,
      });
    }
    const running = start();
    await clock.advance(60_000);
    expect(manager.cache.health().every(({ synced }) => synced)).toBe(true);
    expect(api.openWatches).toBe(100);
    const before = atMs.length;
    api.cut();
    await clock.advance(60_000);
    expect(api.openWatches).toBe(100);
    const back = atMs.slice(before);
    for (const from of back) {
      expect(back.filter((at) => at >= from && at < from + 500).length).toBeLessThanOrEqual(61);
    }
    expect(Math.max(...back) - Math.min(...back)).toBeGreaterThan(2000);
    stop.abort();
    await clock.advance(1000);
    await running;
  });

  it("T26: a worker that does not end holds the shutdown up no longer than said, and writes nothing after it", async () => {
    const { clock, api, manager, stop, start } = build({ gracefulShutdownMs: 5000 });
    let late: unknown;
    controllerFor(manager)
      .for(SETTINGS)
      .complete({
        async reconcile({ key }) {
          await clock.sleep(60_000);
          late = await manager.client.live.apply(SETTINGS, { metadata: key }).catch(String);
        },
      });
    const ended = expect(start()).rejects.toMatchObject({ code: "shutdown-timeout" });
    api.put(pathOf("d", "one"), settings("d", "one"));
    await clock.advance(100);
    stop.abort();
    await clock.advance(5000);
    await ended;
    await clock.advance(60_000);
    expect(late).toContain("was not sent");
    expect(api.requests.some((asked) => asked.startsWith("PATCH"))).toBe(false);
  });

  it.each<[string, () => Outcome, string, number]>([
    ["nothing", () => undefined, "success", 1],
    ["requeueAfterMs", () => ({ requeueAfterMs: 10_000 }), "requeue_after", 2],
    [
      "an error",
      () => {
        throw new Error("no");
      },
      "error",
      12,
    ],
    [
      "a TerminalError",
      () => {
        throw new TerminalError("never");
      },
      "error",
      1,
    ],
    [
      "undefined, thrown",
      () => {
        // oxlint-disable-next-line typescript/only-throw-error
        throw undefined;
      },
      "error",
      12,
    ],
  ])("T29: %s: what follows is client-go's, and so is the label", async (...row) => {
    const [, outcome, result, runs] = row;
    const { clock, api, manager, stop, start, total } = build();
    let count = 0;
    controllerFor(manager)
      .for(SETTINGS)
      .complete({
        async reconcile() {
          count++;
          return outcome();
        },
      });
    const running = start();
    api.put(pathOf("d", "one"), settings("d", "one"));
    await clock.advance(15_000);
    expect([count, await total("controller_runtime_reconcile_total", result)]).toEqual([
      runs,
      runs,
    ]);
    stop.abort();
    await clock.advance(100);
    await running;
  });

  it("T41: a signal in the middle of a reconcile: it ends, then the cache, then the lease is given back", async () => {
    const { clock, api, manager, stop, start } = build({ leaderElection: { id: "web" } });
    const order: string[] = [];
    controllerFor(manager)
      .for(SETTINGS)
      .complete({
        async reconcile(_, { signal }) {
          await clock.sleep(60_000, signal).catch(() => undefined);
          await clock.sleep(1000);
          order.push("reconcile ended");
          await manager.client.live.apply(SETTINGS, { metadata: { namespace: "d", name: "last" } });
          order.push(`wrote; watches: ${api.openWatches}`);
        },
      });
    const running = start();
    await clock.advance(100);
    api.put(pathOf("d", "one"), settings("d", "one"));
    await clock.advance(100);
    const leases = (): unknown[] => api.objects("/apis/coordination.k8s.io/v1/leases");
    expect(leases()).toMatchObject([{ spec: { holderIdentity: expect.stringMatching(/.+/) } }]);
    stop.abort();
    await clock.advance(500);
    expect([order, api.openWatches]).toEqual([[], 1]);
    await clock.advance(5000);
    await running;
    expect(order).toEqual(["reconcile ended", "wrote; watches: 1"]);
    expect([api.openWatches, clock.pending]).toEqual([0, 0]);
    expect(leases()).toMatchObject([{ spec: { holderIdentity: "" } }]);
  });

  it("T49: a cache of two namespaces knows no third, and follows one that goes and comes back", async () => {
    const { clock, api, manager, stop, start } = build({ cache: { namespaces: ["a", "b"] } });
    informersOf(manager.cache).informersFor(SETTINGS);
    for (const namespace of ["a", "b", "c"]) {
      api.put(pathOf(namespace, "one"), settings(namespace, "one"));
    }
    const running = start();
    await clock.advance(100);
    const known = async (): Promise<string[]> => {
      const objects = await manager.client.list(SETTINGS);
      return objects.map(({ metadata }) => metadata.namespace!).sort();
    };
    expect(await known()).toEqual(["a", "b"]);
    await expect(
      manager.client.live.get(SETTINGS, { namespace: "c", name: "one" }),
    ).resolves.toBeDefined();
    // A namespace ends by the end of everything in it.
    api.remove(pathOf("b", "one"));
    await clock.advance(100);
    expect(await known()).toEqual(["a"]);
    api.put(pathOf("b", "two"), settings("b", "two"));
    api.put(pathOf("c", "two"), settings("c", "two"));
    await clock.advance(100);
    expect(await known()).toEqual(["a", "b"]);
    stop.abort();
    await clock.advance(100);
    await running;
  });

  it("T49: namespaces are added to a running cache, and taken out of it", async () => {
    const { clock, api, manager, stop, start } = build({ cache: { namespaces: ["a", "b"] } });
    const seen: string[] = [];
    controllerFor(manager)
      .for(SETTINGS, { indexes: { initial: ({ metadata }) => [metadata.name.at(0) ?? ""] } })
      .watchesSource(timerSource(manager, SETTINGS, { everyMs: 60_000, initialDelayMs: 60_000 }))
      .complete({
        async reconcile({ key }) {
          seen.push(`${key.namespace ?? ""}/${key.name}`);
        },
      });
    for (const namespace of ["a", "b", "c"]) {
      api.put(pathOf(namespace, "one"), settings(namespace, "one"));
    }
    const running = start();
    const during = async (durationMs: number): Promise<string[]> => {
      seen.length = 0;
      await clock.advance(durationMs);
      return seen.toSorted();
    };
    expect(await during(100)).toEqual(["a/one", "b/one"]);
    expect(await during(60_000)).toEqual(["a/one", "b/one"]);

    manager.cache.setNamespaces(["b", "c"]);
    expect(await during(100)).toEqual(["c/one"]);
    expect(api.openWatches).toBe(2);
    const listed = await manager.client.list(SETTINGS, { index: { name: "initial", value: "o" } });
    expect(listed.map(({ metadata }) => metadata.namespace).toSorted()).toEqual(["b", "c"]);
    api.put(pathOf("a", "two"), settings("a", "two"));
    api.put(pathOf("c", "two"), settings("c", "two"));
    expect(await during(100)).toEqual(["c/two"]);
    expect(await during(120_000)).not.toContain("a/one");

    manager.cache.setNamespaces(undefined);
    await during(100);
    expect(manager.cache.health().map(({ resource }) => resource)).toEqual(["configmaps"]);
    expect((await manager.client.list(SETTINGS)).length).toBe(5);
    manager.cache.setNamespaces([]);
    api.remove(pathOf("a", "one"));
    expect(await during(180_000)).toEqual([]);
    expect(api.openWatches).toBe(0);
    stop.abort();
    await clock.advance(100);
    await running;
    expect(clock.pending).toBe(0);
  });

  it("T50: a day with one fault in a hundred: the cache is the server, and nothing piles up", async () => {
    const clock = new VirtualClock({ seed: 50 });
    const dice = new VirtualClock({ seed: 51 });
    const draw = (below: number): number => Math.floor(dice.random() * below);
    const api = new MemoryApi(clock);
    const transport = new FaultyTransport(api, clock, {
      refuse: 0.01,
      reset: 0.01,
      cut: 0.01,
      status: { 410: 0.01, 429: 0.01, 500: 0.01 },
    });
    const manager = createManager({ clock, transport, log: silentLogger });
    const done = new Map<string, string>();
    controllerFor(manager)
      .for(WIDGETS)
      .complete({
        async reconcile({ key }) {
          const object = await manager.client.find(WIDGETS, key);
          if (object) done.set(key.name, object.metadata.resourceVersion);
          else done.delete(key.name);
        },
      });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    const path = (index: number): string => `/apis/example.com/v1/namespaces/d/widgets/w${index}`;
    const timers: number[] = [];
    for (let step = 0; step < 24 * 12; step++) {
      for (let change = 0; change < 5; change++) {
        const index = draw(500);
        if (draw(5) === 0) api.remove(path(index));
        else api.put(path(index), widget(`w${index}`, 1));
      }
      if (draw(20) === 0) api.compact();
      await clock.advance(300_000);
      timers.push(clock.pending);
    }
    transport.healthy = true;
    await clock.advance(700_000);
    const stored = new Map(
      api
        .objects("/apis/example.com/v1/widgets")
        .map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
    );
    expect(new Map([...done].sort())).toEqual(new Map([...stored].sort()));
    expect(Math.max(...timers)).toBeLessThan(20);
    expect(Object.keys(transport.counts).length).toBeGreaterThan(4);
    stop.abort();
    await clock.advance(60_000);
    await running;
    expect([clock.pending, api.openWatches]).toEqual([0, 0]);
  });
});
