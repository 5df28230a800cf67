/** T38 to T40: who may write, and when, while the API server or the process itself stands still. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { StoppableClock } from "../support/stoppable-clock.ts";

const CONFIG_MAPS = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};

function start(world: VirtualClock, api: MemoryApi, identity: string) {
  const clock = new StoppableClock(world);
  const manager = createManager({
    clock,
    transport: api,
    log: silentLogger,
    leaderElection: { id: "web", identity },
  });
  let leads = false;
  manager.add({
    start: async (signal) => {
      leads = true;
      await clock.sleep(2 ** 40, signal).catch(() => undefined);
      leads = false;
    },
  });
  const stop = new AbortController();
  let failure: unknown;
  const running = manager.start(stop.signal).catch((error: unknown) => {
    failure = error;
  });
  const write = (): Promise<unknown> =>
    manager.client.create(CONFIG_MAPS, {
      metadata: { namespace: "d", name: `by-${identity}-${world.now()}` },
    });
  return {
    clock,
    write,
    leads: () => leads,
    failure: () => failure,
    async end() {
      stop.abort();
      await world.advance(60_000);
      await running;
    },
  };
}

describe("leadership under faults", () => {
  it("T38: survives a slow server and jumps of the wall clock, and ends before its lease does", async () => {
    const world = new VirtualClock();
    const api = new MemoryApi(world);
    const one = start(world, api, "one");
    await world.advance(5000);
    expect(one.leads()).toBe(true);

    api.latencyMs = 4000;
    await world.advance(60_000);
    expect(one.leads()).toBe(true);
    api.latencyMs = 0;
    one.clock.jump(3_600_000);
    await world.advance(20_000);
    one.clock.jump(-7_200_000);
    await world.advance(20_000);
    expect(one.leads()).toBe(true);

    api.down = true;
    await world.advance(7000);
    expect(one.leads()).toBe(true);
    await world.advance(6000);
    expect(one.failure()).toMatchObject({ code: "leadership-lost" });
    await one.end();
  });

  it("T39: a leader that was stopped writes nothing when it wakes up", async () => {
    const world = new VirtualClock();
    const api = new MemoryApi(world);
    const one = start(world, api, "one");
    await world.advance(5000);
    const two = start(world, api, "two");
    await one.write();
    one.clock.stop();
    await world.advance(30_000);
    expect(two.leads()).toBe(true);

    const written = api.objects("/api/v1/configmaps").length;
    const late = one.write().catch((error: unknown) => error);
    one.clock.resume();
    await world.advance(1000);
    expect(await late).toMatchObject({ code: "leadership-lost" });
    expect(api.objects("/api/v1/configmaps").length).toBe(written);
    await expect(one.write()).rejects.toMatchObject({ code: "leadership-lost" });
    expect(one.failure()).toMatchObject({ code: "leadership-lost" });
    await two.write();
    await one.end();
    await two.end();
  });

  it("T40: gives the lease back, so that the next one leads at once", async () => {
    const world = new VirtualClock();
    const api = new MemoryApi(world);
    const one = start(world, api, "one");
    await world.advance(5000);
    const two = start(world, api, "two");
    await world.advance(1000);
    const ending = one.end();
    await world.advance(5000);
    expect(two.leads()).toBe(true);
    await ending;
    await two.end();
  });

  it("leads until its last reconcile has ended, however long the Lease alone would last", async () => {
    const world = new VirtualClock();
    const api = new MemoryApi(world);
    const manager = createManager({
      clock: world,
      transport: api,
      log: silentLogger,
      leaderElection: { id: "web", identity: "one" },
    });
    manager.add({
      start: async (signal) => {
        await world.sleep(2 ** 40, signal).catch(() => undefined);
        await world.sleep(25_000);
        await manager.client.create(CONFIG_MAPS, { metadata: { namespace: "d", name: "last" } });
      },
    });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await world.advance(5000);
    stop.abort();
    await world.advance(26_000);
    await running;
    expect(api.objects("/api/v1/configmaps").length).toBe(1);
    expect(api.objects("/apis/coordination.k8s.io/v1/leases")).toMatchObject([
      { spec: { holderIdentity: "" } },
    ]);
    expect(world.pending).toBe(0);
  });

  it("T42: a process that never led starts nothing when it ends", async () => {
    const world = new VirtualClock();
    const api = new MemoryApi(world);
    const one = start(world, api, "one");
    await world.advance(5000);
    const two = start(world, api, "two");
    await world.advance(10_000);
    const ending = two.end();
    expect(two.leads()).toBe(false);
    await ending;
    expect([two.leads(), two.failure()]).toEqual([false, undefined]);
    await one.end();
  });

  it.each(Array.from({ length: 40 }, (_, index) => index + 1))(
    "lets never two processes write (seed %i)",
    async (seed) => {
      const world = new VirtualClock({ seed });
      const dice = new VirtualClock({ seed: seed + 1000 });
      const api = new MemoryApi(world);
      const all = ["one", "two", "three"].map((identity) => start(world, api, identity));
      for (let step = 0; step < 40; step++) {
        const victim = all[Math.floor(dice.random() * all.length)]!;
        const fault = dice.random();
        if (fault < 0.25) victim.clock.stop();
        else if (fault < 0.6) victim.clock.resume();
        else if (fault < 0.7) api.latencyMs = Math.floor(dice.random() * 6000);
        else if (fault < 0.8) api.down = !api.down;
        else victim.clock.jump((dice.random() - 0.5) * 7_200_000);
        await world.advance(dice.random() * 8000);
        const { down, latencyMs } = api;
        // Whoever may write now, and is not only about to hear that it leads no more.
        api.down = false;
        api.latencyMs = 0;
        const writers = await Promise.all(
          all
            .filter(({ leads }) => leads())
            .map(({ write }) =>
              write().then(
                () => 1,
                () => 0,
              ),
            ),
        );
        expect(writers.reduce((sum: number, one) => sum + one, 0)).toBeLessThanOrEqual(1);
        api.down = down;
        api.latencyMs = latencyMs;
      }
      for (const process of all) process.clock.resume();
      await Promise.all(all.map((process) => process.end()));
    },
  );
});
