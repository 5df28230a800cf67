/** T53: several processes share the keys; they come, go, stand still and lose their server. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import { controllerFor } from "../../../src/runtime/builder/builder.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import { ownerOf } from "../../../src/runtime/sharding/rendezvous.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { StoppableClock } from "../support/stoppable-clock.ts";

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
const KEYS = Array.from({ length: 30 }, (_, index) => `key-${index}`);
const pathOf = (name: string): string => `/api/v1/namespaces/d/configmaps/${name}`;

/** One process; its reconcile of a key writes at its begin and at its end. */
function start(world: VirtualClock, api: MemoryApi, identity: string, workMs: () => number) {
  const clock = new StoppableClock(world);
  const manager = createManager({
    clock,
    transport: api,
    log: silentLogger,
    sharding: { id: "web", identity, namespace: "d" },
  });
  const seen = new Map<string, string>();
  let runs = 0;
  controllerFor(manager)
    .for(SETTINGS)
    .withOptions({ maxConcurrentReconciles: 4 })
    .complete({
      async reconcile({ key }) {
        const { data = {} } = (await manager.client.find(SETTINGS, key)) ?? {};
        seen.set(key.name, data["want"] ?? "");
        if (data["done"] === data["want"]) return;
        const run = `${identity} ${++runs}`;
        const write = async (step: string, done: object): Promise<void> => {
          await manager.client.live.apply(SETTINGS, {
            metadata: { namespace: "d", name: key.name },
            data: { run, step, ...done },
          });
        };
        await write("begin", {});
        await clock.sleep(workMs());
        await write("end", { done: data["want"] });
      },
    });
  const stop = new AbortController();
  const running = manager.start(stop.signal).catch((error: unknown) => error);
  return {
    identity,
    clock,
    manager,
    seen,
    end: async () => {
      stop.abort();
      await world.advance(40_000);
      expect(await running).toBeUndefined();
    },
  };
}

function put(api: MemoryApi, name: string, want = "one"): void {
  const metadata = { namespace: "d", name };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { want } };
  api.put(pathOf(name), object);
}

/** Fails when somebody else wrote between the begin and the end of a run. */
class Referee {
  readonly #last = new Map<string, string>();

  wrote({ metadata, data }: Settings): void {
    const { run = "", step } = data ?? {};
    const last = this.#last.get(metadata.name);
    if (run === "") return;
    if (step === "end" && last !== run) {
      throw new Error(`${run} ended ${metadata.name}, after ${String(last)} had begun`);
    }
    this.#last.set(metadata.name, run);
  }
}

function watchWrites(api: MemoryApi): void {
  const referee = new Referee();
  const put = api.put.bind(api);
  api.put = (path, object) => {
    const stored = put(path, object);
    if (stored.kind === "ConfigMap") referee.wrote(stored);
    return stored;
  };
}

describe("ownerOf", () => {
  it("spreads the keys evenly, and moves only those of who goes", () => {
    const keys = Array.from({ length: 3000 }, (_, index) => `d/key-${index}`);
    const members = ["a", "b", "c"];
    const before = keys.map((key) => ownerOf(key, members)!);
    for (const member of members) {
      const share = before.filter((owner) => owner === member).length;
      expect(share).toBeGreaterThan(850);
      expect(share).toBeLessThan(1150);
    }
    for (const [index, key] of keys.entries()) {
      const after = ownerOf(key, ["b", "a"])!;
      if (before[index] !== "c") expect(after).toBe(before[index]);
    }
    expect(ownerOf("a", [])).toBeUndefined();
  });
});

describe("shards", () => {
  it("T53: each key is one process's; who ends hands over at once, who dies after its lease", async () => {
    const world = new VirtualClock();
    const api = new MemoryApi(world);
    watchWrites(api);
    for (const name of KEYS) put(api, name);
    const one = start(world, api, "one", () => 50);
    await world.advance(3000);
    expect(one.seen.size).toBe(KEYS.length);
    const two = start(world, api, "two", () => 50);
    await world.advance(10_000);
    expect(one.manager.shards?.members).toEqual(["one", "two"]);
    const share = KEYS.filter((key) => two.manager.shards?.mayWork(`d/${key}`)).length;
    expect(share).toBeGreaterThan(5);
    expect(share).toBeLessThan(25);
    for (const key of KEYS) {
      const owners = [one, two].filter(({ manager }) => manager.shards?.mayWork(`d/${key}`));
      expect(owners.length, key).toBe(1);
    }

    const ending = one.end();
    await world.advance(5000);
    expect(KEYS.every((key) => two.manager.shards?.mayWork(`d/${key}`))).toBe(true);
    await ending;

    const three = start(world, api, "three", () => 50);
    await world.advance(10_000);
    two.clock.stop();
    await world.advance(30_000);
    expect(three.manager.shards?.members).toEqual(["three"]);
    expect(KEYS.every((key) => three.manager.shards?.mayWork(`d/${key}`))).toBe(true);
    two.clock.resume();
    await Promise.all([two.end(), three.end()]);
    expect(api.objects("/apis/coordination.k8s.io/v1/leases")).toEqual([]);
  });

  it("T53: a key changes hands only when its reconcile has ended", async () => {
    const world = new VirtualClock();
    const api = new MemoryApi(world);
    watchWrites(api);
    const one = start(world, api, "one", () => 20_000);
    await world.advance(3000);
    const moving = KEYS.find((key) => ownerOf(`d/${key}`, ["one", "two"]) === "two")!;
    put(api, moving);
    await world.advance(100);
    const two = start(world, api, "two", () => 100);
    await world.advance(15_000);
    expect(two.manager.shards?.mayWork(`d/${moving}`)).toBe(false);
    await world.advance(10_000);
    expect(two.manager.shards?.mayWork(`d/${moving}`)).toBe(true);
    expect(two.seen.has(moving)).toBe(true);
    await Promise.all([one.end(), two.end()]);
  });

  it.each(Array.from({ length: 8 }, (_, index) => index + 1))(
    "T53: no key is on two shards, and none on none once it is quiet (seed %i)",
    async (seed) => {
      const world = new VirtualClock({ seed });
      const dice = new VirtualClock({ seed: seed + 1000 });
      const draw = (below: number): number => Math.floor(dice.random() * below);
      const api = new MemoryApi(world);
      watchWrites(api);
      const all = ["one", "two", "three"].map((identity) =>
        start(world, api, identity, () => draw(4000)),
      );
      const ending: Promise<void>[] = [];
      let names = 3;
      for (let step = 0; step < 25; step++) {
        const victim = all[draw(all.length)]!;
        const fault = dice.random();
        if (fault < 0.2) victim.clock.stop();
        else if (fault < 0.5) victim.clock.resume();
        else if (fault < 0.6) api.latencyMs = draw(4000);
        else if (fault < 0.7) api.down = !api.down;
        else if (fault < 0.8 && all.length > 1) {
          victim.clock.resume();
          all.splice(all.indexOf(victim), 1);
          ending.push(victim.end());
        } else if (all.length < 4) {
          all.push(start(world, api, `new-${++names}`, () => draw(4000)));
        }
        put(api, KEYS[draw(KEYS.length)]!, `step ${step}`);
        await world.advance(draw(8000));
      }
      api.down = false;
      api.latencyMs = 0;
      for (const { clock } of all) clock.resume();
      await world.advance(90_000);
      for (const name of KEYS) put(api, name, "quiet");
      await world.advance(60_000);
      for (const name of KEYS) {
        const owners = all.filter(({ manager }) => manager.shards?.mayWork(`d/${name}`));
        expect(owners.length, `${name}, seed ${seed}`).toBe(1);
        expect(owners[0]?.seen.get(name), `${name}, seed ${seed}`).toBe("quiet");
      }
      await Promise.all([...ending, ...all.map((process) => process.end())]);
    },
  );
});
