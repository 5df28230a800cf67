import { describe, expect, it } from "vitest";
import { controllerFor, createManager, type Client, type Manager } from "../../../src/index.ts";
import { ConfigMap, Secret } from "../../../src/k8s.ts";
import { deferred } from "../../../src/runtime/deferred.ts";
import { accessOf } from "../../../src/testing/access.ts";
import {
  clientFor,
  inProcess,
  silentLogger,
  startControlPlane,
  VirtualClock,
} from "../../../src/testing.ts";
import { eventually } from "../../support/eventually.ts";

const key = (name: string) => ({ namespace: "default", name });
const one = (name: string) => ({ metadata: key(name), data: {} });

interface World {
  readonly client: Client;
  readonly manager: Manager;
  readonly clock?: VirtualClock;
}

/** Runs with a manager that is started, over a socket or not. */
async function withManager(
  way: "https" | "in-process",
  build: (manager: Manager) => void,
  run: (world: World) => Promise<void>,
): Promise<void> {
  const clock = way === "https" ? undefined : new VirtualClock();
  await using cluster = await startControlPlane(clock ? { clock, listen: false } : {});
  const manager = createManager({ config: accessOf(cluster), log: silentLogger });
  build(manager);
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  try {
    await run({ client: clientFor(cluster), manager, ...(clock ? { clock } : {}) });
  } finally {
    stop.abort();
    await running;
  }
}

describe.each(["https", "in-process"] as const)("manager.idle() over %s", (way) => {
  it("knows what others wrote before it, and what was made of it", async () => {
    const copies = (manager: Manager): void => {
      controllerFor(manager)
        .for(ConfigMap)
        .watches(Secret, { map: () => [] })
        .complete({
          async reconcile({ key: { namespace = "", name } }) {
            if (!name.startsWith("source")) return;
            const source = await manager.client.find(ConfigMap, { namespace, name });
            const to = { namespace, name: `copy-of-${name}` };
            if (source) await manager.client.apply(Secret, { metadata: to });
            else await manager.client.delete(Secret, to);
          },
        });
    };
    await withManager(way, copies, async ({ client, manager }) => {
      const copyNames = async (): Promise<string[]> => {
        const { waiting } = await manager.idle();
        expect(waiting).toEqual([]);
        const secrets = await manager.client.list(Secret, { namespace: "default" });
        return secrets.map(({ metadata: { name } }) => name).sort();
      };
      for (let round = 0; round < 10; round++) {
        await client.create(ConfigMap, one(`source${round}`));
        expect(await copyNames()).toContain(`copy-of-source${round}`);
        await client.delete(ConfigMap, key(`source${round}`));
        expect(await copyNames()).toEqual([]);
      }
    });
  });

  it("says what waits for its time, with the earliest first", async () => {
    const slow = (manager: Manager): void => {
      controllerFor(manager)
        .for(ConfigMap)
        .named("slow")
        .complete({
          reconcile({ key: { name } }) {
            if (name === "bad") throw new Error("not now");
            const minutes = { soon: 5, late: 60 }[name];
            return Promise.resolve(minutes ? { requeueAfterMs: minutes * 60_000 } : undefined);
          },
        });
    };
    await withManager(way, slow, async ({ client, manager }) => {
      const nowMs = manager.clock.now();
      for (const name of ["late", "soon"]) await client.create(ConfigMap, one(name));
      const { waiting } = await manager.idle();
      expect(waiting).toEqual([
        { controller: "slow", key: key("soon"), atMs: expect.any(Number) as number },
        { controller: "slow", key: key("late"), atMs: expect.any(Number) as number },
      ]);
      expect((waiting[0]?.atMs ?? 0) - nowMs).toBeGreaterThanOrEqual(300_000);
      expect((waiting[0]?.atMs ?? 0) - nowMs).toBeLessThan(330_000);
    });
  });

  it("waits for real work, and names what does not end", async () => {
    let end: () => void = () => undefined;
    let ended = false;
    const begun = deferred();
    const hanging = (manager: Manager): void => {
      controllerFor(manager)
        .for(ConfigMap)
        .named("hanging")
        .withOptions({ maxConcurrentReconciles: 4 })
        .complete({
          reconcile: ({ key: { name } }) =>
            name === "one"
              ? new Promise<void>((resolve) => {
                  begun.resolve();
                  end = () => {
                    ended = true;
                    resolve();
                  };
                })
              : Promise.resolve(),
        });
    };
    await withManager(way, hanging, async ({ client, manager }) => {
      await client.create(ConfigMap, one("one"));
      await begun.promise;
      await expect(manager.idle({ timeoutMs: 300 })).rejects.toThrow(
        "The manager was not idle within 300 ms: hanging reconciles default/one.",
      );
      setTimeout(end, 50);
      await manager.idle();
      expect(ended).toBe(true);
    });
  });

  it("is refused before the start, after the end, and when a part fails", async () => {
    await using cluster = await startControlPlane(way === "https" ? {} : { listen: false });
    const manager = createManager({ config: accessOf(cluster), log: silentLogger });
    const notRunning = expect.objectContaining({ code: "manager-not-running" }) as Error;
    await expect(manager.idle()).rejects.toThrow("the manager was not started");
    const broken = new Error("the pump is broken");
    manager.add({
      start: async () => {
        await eventually(() => expect(manager.cache.health()).toEqual([]));
        throw broken;
      },
    });
    const running = manager.start(new AbortController().signal);
    await expect(running).rejects.toThrow(broken);
    await expect(manager.idle()).rejects.toThrow("has failed: the pump is broken");
    await expect(manager.idle()).rejects.toEqual(notRunning);
  });
});

describe("manager.idle() without a socket", () => {
  it("does not take virtual time, and a standby is idle", async () => {
    const clock = new VirtualClock();
    await using cluster = await startControlPlane({ clock, listen: false });
    const stops: AbortController[] = [];
    const worked: string[] = [];
    const replica = (identity: string) => {
      const manager = createManager({
        transport: inProcess(cluster),
        log: silentLogger,
        leaderElection: { id: "operator", identity },
      });
      controllerFor(manager)
        .for(ConfigMap)
        .complete({
          reconcile({ key: { name } }) {
            if (name.startsWith("own")) worked.push(`${identity} ${name}`);
            return Promise.resolve();
          },
        });
      const stop = new AbortController();
      stops.push(stop);
      return { manager, running: manager.start(stop.signal) };
    };
    const first = replica("a");
    await first.manager.idle();
    const second = replica("b");
    await second.manager.idle();
    expect(clock.monotonicMs()).toBe(0);
    await clientFor(cluster).create(ConfigMap, one("own1"));
    await first.manager.idle();
    expect(worked).toEqual(["a own1"]);
    // The first one goes, gives the Lease back, and the second one takes over within its next tries.
    stops[0]?.abort();
    await first.running;
    await clock.advance(5000);
    await second.manager.idle();
    expect(worked).toEqual(["a own1", "b own1"]);
    stops[1]?.abort();
    await clock.advance(1000);
    await second.running;
  });

  it("names an informer that has lost its watch", async () => {
    const watched = (manager: Manager): void => {
      controllerFor(manager)
        .for(ConfigMap)
        .complete({ reconcile: () => Promise.resolve() });
    };
    const clock = new VirtualClock();
    await using cluster = await startControlPlane({ clock, listen: false });
    const manager = createManager({
      transport: inProcess(cluster, { user: "uhura" }),
      log: silentLogger,
    });
    watched(manager);
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await expect(manager.idle({ timeoutMs: 100 })).rejects.toThrow(
      /configmaps are not listed yet \(denied: configmaps is forbidden/,
    );
    stop.abort();
    await running;
  });
});
