/** Keys that come from the time, from outside, and what reconcilers wait for. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../src/clock.ts";
import { silentLogger, type Logger } from "../../../../src/log.ts";
import { formatKey, type ObjectKey } from "../../../../src/kube/object.ts";
import { type CacheOptions, informersOf } from "../../../../src/runtime/cache/cache.ts";
import { controllerFor } from "../../../../src/runtime/builder/builder.ts";
import { Expectations } from "../../../../src/runtime/controller/expectations.ts";
import { PollSource } from "../../../../src/runtime/controller/sources/polling.ts";
import { kindSource } from "../../../../src/runtime/controller/sources/sources.ts";
import {
  timerSource,
  type TimerOptions,
} from "../../../../src/runtime/controller/sources/timers.ts";
import { createManager } from "../../../../src/runtime/manager/create-manager.ts";
import { MemoryApi } from "../../support/memory-api.ts";
import { widget, WIDGETS } from "../../support/widgets.ts";

const pathOf = (name: string): string => `/apis/example.com/v1/namespaces/d/widgets/${name}`;

async function startTimers(
  options: TimerOptions<ReturnType<typeof widget>>,
  cache: CacheOptions = {},
) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const manager = createManager({ clock, transport: api, log: silentLogger, cache });
  const looks: string[] = [];
  controllerFor(manager)
    .named("timers")
    .watchesSource(timerSource(manager, WIDGETS, options))
    .complete({
      reconcile({ key }) {
        looks.push(`${key.name} ${Math.round(clock.monotonicMs() / 1000)}`);
        return Promise.resolve();
      },
    });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clock.advance(0);
  return {
    clock,
    api,
    manager,
    looks,
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
      expect(clock.pending).toBe(0);
    },
  };
}

describe("timerSource", () => {
  it("looks at each object at its own pace, from its creation to its deletion", async () => {
    const { clock, api, looks, end } = await startTimers({
      everyMs: ({ metadata }) => (metadata.name === "never" ? undefined : 60_000),
      initialDelayMs: 10_000,
    });
    api.put(pathOf("a"), widget("a", 1));
    api.put(pathOf("never"), widget("never", 1));
    await clock.advance(30_000);
    api.put(pathOf("b"), widget("b", 1));
    await clock.advance(105_000);
    expect(looks).toEqual(["a 10", "b 40", "a 70", "b 100", "a 130"]);
    api.remove(pathOf("a"));
    await clock.advance(60_000);
    expect(looks.slice(5)).toEqual(["b 160"]);
    await end();
  });

  it("spreads the first looks, and leaves alone what changes all the time", async () => {
    const spread = await startTimers({ everyMs: 100_000 });
    for (const name of ["a", "b", "c", "d"]) spread.api.put(pathOf(name), widget(name, 1));
    await spread.clock.advance(100_000);
    expect(new Set(spread.looks.map((look) => look.split(" ")[1])).size).toBe(4);
    await spread.end();

    const idle = await startTimers({ everyMs: 10_000, initialDelayMs: 0, idleMs: 25_000 });
    for (let round = 0; round < 10; round++) {
      idle.api.put(pathOf("a"), widget("a", 1));
      await idle.clock.advance(10_000);
    }
    expect(idle.looks).toEqual([]);
    await idle.clock.advance(30_000);
    expect(idle.looks.length).toBeGreaterThan(0);
    await idle.end();
  });
});

describe("a timer", () => {
  const paced = (name: string, seconds: number | undefined) => {
    const object = widget(name, 1);
    const annotations = seconds === undefined ? {} : { every: String(seconds) };
    return { ...object, metadata: { ...object.metadata, annotations } };
  };
  const byAnnotation: TimerOptions<ReturnType<typeof widget>> = {
    everyMs: ({ metadata }) => {
      const seconds = metadata.annotations?.["every"];
      return seconds === undefined ? undefined : Number(seconds) * 1000;
    },
    initialDelayMs: 10_000,
  };

  it("begins a new period when the object asks for another one, and ends when it asks for none", async () => {
    const { clock, api, looks, end } = await startTimers(byAnnotation);
    api.put(pathOf("a"), paced("a", 100));
    await clock.advance(15_000);
    expect(looks.splice(0)).toEqual(["a 10"]);
    api.put(pathOf("a"), paced("a", 20));
    await clock.advance(45_000);
    expect(looks.splice(0)).toEqual(["a 35", "a 55"]);
    api.put(pathOf("a"), paced("a", undefined));
    await clock.advance(100_000);
    expect(looks).toEqual([]);
    await end();
  });

  it("keeps its pace whatever else changes in the object", async () => {
    const { clock, api, looks, end } = await startTimers(byAnnotation);
    api.put(pathOf("a"), paced("a", 30));
    for (let count = 0; count < 10; count++) {
      await clock.advance(7000);
      api.put(pathOf("a"), paced("a", 30));
    }
    expect(looks).toEqual(["a 10", "a 40", "a 70"]);
    await end();
  });

  it("takes a resync for no change", async () => {
    const options = { everyMs: 60_000, initialDelayMs: 0, idleMs: 25_000 };
    const { clock, api, looks, end } = await startTimers(options, { resyncMs: 5000 });
    api.put(pathOf("a"), widget("a", 1));
    await clock.advance(90_000);
    expect(looks).toEqual(["a 25", "a 85"]);
    await end();
  });

  it.each([
    ["the only one", ["d"]],
    ["one of two", ["d", "e"]],
  ])("ends with its namespace, which is %s that was watched", async (_, namespaces) => {
    const options = { everyMs: 10_000, initialDelayMs: 10_000 };
    const { clock, api, manager, looks, end } = await startTimers(options, { namespaces });
    api.put(pathOf("a"), widget("a", 1));
    const inOther = { ...widget("b", 1).metadata, namespace: "e" };
    api.put(pathOf("b").replace("/d/", "/e/"), { ...widget("b", 1), metadata: inOther });
    await clock.advance(15_000);
    manager.cache.setNamespaces(["e"]);
    looks.length = 0;
    await clock.advance(100_000);
    expect(looks.length).toBeGreaterThan(0);
    expect(looks.filter((look) => !look.startsWith("b"))).toEqual([]);
    await end();
  });
});

describe("kindSource", () => {
  it("brings all objects again at a resync, one after the other, and those alone that are still there", async () => {
    const clock = new VirtualClock();
    const api = new MemoryApi(clock);
    for (const name of ["a", "b", "c"]) api.put(pathOf(name), widget(name, 1));
    const manager = createManager({ clock, transport: api, log: silentLogger });
    let [open, most] = [0, 0];
    let heard: string[] = [];
    const source = kindSource(
      { cache: informersOf(manager.cache), clock },
      WIDGETS,
      async ({ object }) => {
        most = Math.max(most, ++open);
        heard.push(object.metadata.name);
        await clock.sleep(100);
        open--;
      },
      [],
    );
    const stop = new AbortController();
    const run = source.start(() => undefined, stop.signal);
    const running = manager.start(stop.signal);
    await clock.advance(1000);
    [heard, most] = [[], 0];
    run.resync?.();
    await clock.advance(150);
    api.remove(pathOf("c"));
    await clock.advance(1000);
    expect(heard).toEqual(["a", "b", "c"]);
    heard = [];
    run.resync?.();
    // Once more, while the first one waits.
    run.resync?.();
    await clock.advance(1000);
    expect(heard).toEqual(["a", "a", "b"]);
    expect(most).toBeLessThanOrEqual(2);
    stop.abort();
    await clock.advance(60_000);
    await running;
  });
});

describe("PollSource", () => {
  it("brings all its keys again at a resync, and counts as synced though the first poll failed", async () => {
    const clock = new VirtualClock();
    const key = { namespace: "d", name: "a" };
    let polls = 0;
    const options = {
      name: "buckets",
      everyMs: 1000,
      poll: () =>
        ++polls === 1
          ? Promise.reject(new Error("the cloud is away"))
          : Promise.resolve([[key, 1] as const]),
    };
    const source = new PollSource({ clock, log: silentLogger }, options);
    const causes: (string | undefined)[] = [];
    const stop = new AbortController();
    const run = source.start((_, hint) => void causes.push(hint?.cause), stop.signal);
    await run.synced;
    expect(polls).toBe(1);
    await clock.advance(1000);
    run.resync?.();
    expect(causes).toEqual(["poll of buckets", "resync"]);
    stop.abort();
    await run.ended;
  });

  it("brings the keys whose values changed, came or went, and survives what is away", async () => {
    const clock = new VirtualClock();
    const warnings: string[] = [];
    const log: Logger = {
      ...silentLogger,
      warn: (_: object | string, message?: string) => void warnings.push(message ?? ""),
    };
    const key = (name: string): ObjectKey => ({ namespace: "d", name });
    const answers: (Error | [ObjectKey, { size: number }][])[] = [
      [
        [key("a"), { size: 1 }],
        [key("b"), { size: 1 }],
      ],
      [
        [key("a"), { size: 1 }],
        [key("b"), { size: 2 }],
      ],
      new Error("the cloud is away"),
      [[key("b"), { size: 2 }]],
    ];
    const source = new PollSource(
      { clock, log },
      {
        name: "buckets",
        everyMs: 1000,
        poll: async () => {
          const answer = answers.shift() ?? [];
          if (answer instanceof Error) throw answer;
          return answer;
        },
      },
    );
    const keys: string[] = [];
    const stop = new AbortController();
    const { synced, ended } = source.start((found, hint) => {
      keys.push(`${formatKey(found)}: ${hint?.cause ?? ""}`);
    }, stop.signal);
    await synced;
    expect(keys.splice(0)).toEqual(["d/a: poll of buckets", "d/b: poll of buckets"]);
    expect(source.find(key("b"))).toEqual({ size: 1 });
    await clock.advance(1000);
    expect(keys.splice(0)).toEqual(["d/b: poll of buckets"]);
    await clock.advance(1000);
    expect([keys, warnings]).toEqual([[], ["cannot poll buckets: the cloud is away"]]);
    expect(source.find(key("b"))).toEqual({ size: 2 });
    await clock.advance(1000);
    expect(keys).toEqual(["d/a: poll of buckets"]);
    stop.abort();
    await ended;
    expect(clock.pending).toBe(0);
  });
});

describe("Expectations", () => {
  it("of one key are told apart, and begun anew they last as long again", async () => {
    const clock = new VirtualClock();
    const expectations = new Expectations(clock);
    const key = { namespace: "d", name: "a" };
    expectations.expect(key, "volume", 10_000);
    expectations.expect(key, "address", 60_000);
    expect(expectations.check(key, "volume", true).state).toBe("fulfilled");
    expect(expectations.check(key, "address", false).state).toBe("waiting");
    await clock.advance(30_000);
    expectations.expect(key, "address", 60_000);
    expect(expectations.check(key, "address", false)).toEqual({
      state: "waiting",
      requeueAfterMs: 60_000,
    });
  });

  it("say whether a thing was begun, is there, or takes too long", async () => {
    const clock = new VirtualClock();
    const expectations = new Expectations(clock);
    const key = { namespace: "d", name: "a" };
    expect(expectations.check(key, "volume", false)).toEqual({ state: "none" });
    expectations.expect(key, "volume", 30_000);
    await clock.advance(10_000);
    expect(expectations.check(key, "volume", false)).toEqual({
      state: "waiting",
      requeueAfterMs: 20_000,
    });
    expect(expectations.check({ ...key, name: "b" }, "volume", false).state).toBe("none");
    await clock.advance(20_000);
    expect(expectations.check(key, "volume", false)).toEqual({
      state: "timed-out",
      sinceMs: 30_000,
    });
    expect(expectations.check(key, "volume", true).state).toBe("fulfilled");
    expect(expectations.check(key, "volume", true).state).toBe("none");
    expectations.expect(key, "volume", 1);
    expectations.forget(key);
    expect(expectations.check(key, "volume", false).state).toBe("none");
  });
});
