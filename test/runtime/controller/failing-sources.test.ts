/** Map functions, predicates, timers, polls and index functions that fail: nothing that they would have said is lost. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger, type Logger } from "../../../src/log.ts";
import { keyOf, type ObjectKey } from "../../../src/kube/object.ts";
import { controllerFor, type ControllerBuilder } from "../../../src/runtime/builder/builder.ts";
import { PollSource } from "../../../src/runtime/controller/sources/polling.ts";
import type { Result } from "../../../src/runtime/controller/reconciler.ts";
import { timerSource } from "../../../src/runtime/controller/sources/timers.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import type { Manager } from "../../../src/runtime/manager/manager.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { widget, WIDGETS } from "../support/widgets.ts";

const pathOf = (name: string): string => `/apis/example.com/v1/namespaces/d/widgets/${name}`;
const UNAVAILABLE = new Error("503 from the API server");

/** A controller that the test builds, and what it was called with, told and counted. */
async function start(
  build: (builder: ControllerBuilder, manager: Manager, clock: VirtualClock) => void,
  reconcile: (run: number) => Result | undefined = () => undefined,
) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const errors: string[] = [];
  const log: Logger = {
    ...silentLogger,
    error: (_: object | string, message?: string) => void errors.push(message ?? ""),
    child: () => log,
  };
  const manager = createManager({ clock, transport: api, log });
  const runs: string[] = [];
  const builder = controllerFor(manager).named("failing");
  build(builder, manager, clock);
  builder.complete({
    reconcile({ key }) {
      runs.push(`${key.name} ${Math.round(clock.monotonicMs())}`);
      return Promise.resolve(reconcile(runs.length));
    },
  });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clock.advance(0);
  return {
    clock,
    api,
    manager,
    errors,
    runs,
    names: () => runs.splice(0).map((run) => run.split(" ")[0]),
    counted: async () => {
      const text = await manager.metrics.registry.getSingleMetricAsString(
        "tsop_source_errors_total",
      );
      return Number(/} (\d+)/.exec(text)?.[1] ?? 0);
    },
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
      expect(clock.pending).toBe(0);
    },
  };
}

/** Fails as often as the test says, and then gives the name in the object's annotation. */
function mapper(asynchronous: boolean) {
  const state = { failures: 0 };
  const keysOf = (object: ReturnType<typeof widget>): ObjectKey[] => {
    if (state.failures-- > 0) throw UNAVAILABLE;
    return [{ namespace: "d", name: object.metadata.annotations?.["for"] ?? "none" }];
  };
  return {
    state,
    map: asynchronous
      ? async (object: ReturnType<typeof widget>) => {
          await Promise.resolve();
          return keysOf(object);
        }
      : keysOf,
  };
}

const widgetFor = (name: string, owner: string) => {
  const object = widget(name, 1);
  return { ...object, metadata: { ...object.metadata, annotations: { for: owner } } };
};

describe.each([
  ["a map function that rejects", true],
  ["a map function that throws", false],
])("%s", (_, asynchronous) => {
  it("is called again, later each time, until it says its keys", async () => {
    const { state, map } = mapper(asynchronous);
    const { clock, api, errors, names, counted, end } = await start((builder) =>
      builder.watches(WIDGETS, { map }),
    );
    state.failures = 3;
    api.put(pathOf("a"), widgetFor("a", "first"));
    await clock.advance(600);
    expect(names()).toEqual([]);
    await clock.advance(200);
    expect(names()).toEqual(["first"]);
    expect(errors).toEqual([
      "an event of Widget d/a could not be handled: 503 from the API server; it is tried again",
    ]);
    expect(await counted()).toBe(3);
    await end();
  });

  it("tells both sides of a change, also when the object changes again or is deleted meanwhile", async () => {
    const { state, map } = mapper(asynchronous);
    const { clock, api, names, end } = await start((builder) => builder.watches(WIDGETS, { map }));
    api.put(pathOf("a"), widgetFor("a", "first"));
    await clock.advance(10);
    expect(names()).toEqual(["first"]);
    state.failures = 2;
    api.put(pathOf("a"), widgetFor("a", "second"));
    await clock.advance(10);
    api.put(pathOf("a"), widgetFor("a", "third"));
    await clock.advance(10);
    expect(names()).toEqual([]);
    await clock.advance(1000);
    expect(names().sort()).toEqual(["first", "third"]);

    state.failures = 2;
    api.put(pathOf("a"), widgetFor("a", "fourth"));
    await clock.advance(10);
    api.remove(pathOf("a"));
    await clock.advance(1000);
    expect([...new Set(names())].sort()).toEqual(["fourth", "third"]);
    await end();
  });

  it("holds up nothing of other objects", async () => {
    const { clock, api, names, end } = await start((builder) =>
      builder.watches(WIDGETS, {
        map: ({ metadata }) => {
          if (metadata.name === "poison") throw UNAVAILABLE;
          return [{ namespace: "d", name: metadata.name }];
        },
      }),
    );
    api.put(pathOf("poison"), widget("poison", 1));
    api.put(pathOf("a"), widget("a", 1));
    await clock.advance(10);
    expect(names()).toEqual(["a"]);
    await end();
  });
});

describe("a predicate or a handler that throws", () => {
  it("loses no event, and says each key once", async () => {
    let failures = 2;
    const { clock, api, names, counted, end } = await start((builder) =>
      builder.watches(WIDGETS, {
        handler: ({ object }, enqueue) => {
          enqueue(keyOf(object));
          if (failures-- > 0) throw UNAVAILABLE;
        },
        predicates: [
          () => {
            if (failures-- > 0) throw UNAVAILABLE;
            return true;
          },
        ],
      }),
    );
    api.put(pathOf("a"), widget("a", 1));
    await clock.advance(10_000);
    expect(names()).toEqual(["a"]);
    expect(await counted()).toBe(2);
    await end();
  });
});

describe("times that are none", () => {
  const bad = [0, -1, NaN, Infinity];

  it.each(bad)("%d is refused as the period of a timer or a poll", (everyMs) => {
    const clock = new VirtualClock();
    const manager = createManager({ clock, transport: new MemoryApi(clock), log: silentLogger });
    const refusal = expect.objectContaining({ code: "bad-period" }) as Error;
    expect(() => timerSource(manager, WIDGETS, { everyMs })).toThrow(refusal);
    expect(() => new PollSource(manager, { name: "x", everyMs, poll: async () => [] })).toThrow(
      refusal,
    );
    if (everyMs === 0) return;
    expect(() => timerSource(manager, WIDGETS, { everyMs: 1, initialDelayMs: everyMs })).toThrow(
      refusal,
    );
    expect(() => timerSource(manager, WIDGETS, { everyMs: 1, idleMs: everyMs })).toThrow(refusal);
  });

  it.each(bad)(
    "%d for one object is that object's error, and the others are looked at",
    async (value) => {
      const { clock, api, runs, errors, end } = await start((builder, manager) =>
        builder.watchesSource(
          timerSource(manager, WIDGETS, {
            everyMs: ({ metadata }) => (metadata.name === "bad" ? value : 1000),
            initialDelayMs: 0,
          }),
        ),
      );
      api.put(pathOf("bad"), widget("bad", 1));
      api.put(pathOf("good"), widget("good", 1));
      await clock.advance(3500);
      expect(runs).toEqual(["good 0", "good 1000", "good 2000", "good 3000"]);
      expect(errors).toHaveLength(1);
      expect(errors[0]).toContain("d/bad could not be handled: everyMs of the timer of");
      await end();
    },
  );

  it("a requeue in the past means now, and does not keep the process busy", async () => {
    const build = (builder: ControllerBuilder): unknown => builder.for(WIDGETS);
    const over = [-5, 0, 1000];
    const { clock, api, runs, end } = await start(build, (run) => {
      const requeueAfterMs = over[run - 1];
      return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
    });
    api.put(pathOf("a"), widget("a", 1));
    await clock.advance(5000);
    expect(runs).toEqual(["a 0", "a 5", "a 15", "a 1015"]);
    await end();

    const always = await start(build, () => ({ requeueAfterMs: -1 }));
    always.api.put(pathOf("a"), widget("a", 1));
    await always.clock.advance(60_000);
    expect(always.runs.length).toBeLessThan(20);
    await always.end();
  });

  it.each([NaN, Infinity])(
    "a requeue after %d is a failure that says so",
    async (requeueAfterMs) => {
      const { clock, api, runs, errors, end } = await start(
        (builder) => builder.for(WIDGETS),
        (run) => (run === 1 ? { requeueAfterMs } : undefined),
      );
      api.put(pathOf("a"), widget("a", 1));
      await clock.advance(1000);
      expect(runs).toEqual(["a 0", "a 5"]);
      expect(errors[0]).toContain("The reconcile returned requeueAfterMs: ");
      await end();
    },
  );
});

describe("a poll that never ends", () => {
  it("is given up, counted, and tried again", async () => {
    let polls = 0;
    const { clock, counted, end } = await start((builder, manager) =>
      builder.watchesSource(
        new PollSource(manager, {
          name: "buckets",
          everyMs: 1000,
          timeoutMs: 5000,
          poll: () => {
            polls++;
            return new Promise<never>(() => undefined);
          },
        }),
      ),
    );
    await clock.advance(18_500);
    expect(polls).toBe(4);
    expect(await counted()).toBe(3);
    await end();
  });
});

describe("an index function that throws", () => {
  it("keeps its one object out of its index, which is true for the others", async () => {
    const { clock, api, manager, errors, end } = await start((builder) =>
      builder.for(WIDGETS, {
        indexes: {
          upper: ({ metadata }) => [metadata.annotations!["for"]!.toUpperCase()],
        },
      }),
    );
    const found = async (value: string) => {
      const objects = await manager.client.list(WIDGETS, { index: { name: "upper", value } });
      return objects.map(({ metadata }) => metadata.name);
    };
    api.put(pathOf("bad"), widget("bad", 1));
    api.put(pathOf("good"), widgetFor("good", "x"));
    await clock.advance(10);
    expect(await found("X")).toEqual(["good"]);
    expect(errors.filter((line) => line.startsWith("an index function failed"))).toHaveLength(1);
    // Mended, broken again, and another one that comes and goes: the index follows.
    api.put(pathOf("bad"), widgetFor("bad", "x"));
    api.put(pathOf("more"), widgetFor("more", "x"));
    await clock.advance(10);
    expect((await found("X")).sort()).toEqual(["bad", "good", "more"]);
    api.put(pathOf("bad"), widget("bad", 1));
    api.remove(pathOf("more"));
    await clock.advance(10);
    expect(await found("X")).toEqual(["good"]);
    expect(await manager.client.list(WIDGETS)).toHaveLength(2);
    const { counts } = manager.cache.health()[0]!;
    expect(counts["index-error"]).toBe(2);
    await end();
  });
});

/* oxlint-disable typescript/unbound-method -- that they are bound is what is tested */
describe("what a manager hands out", () => {
  it("works when it is taken out of its object", async () => {
    const { api, clock, manager, end } = await start((builder) => builder.for(WIDGETS));
    const { client, cache, recorder, addHealthCheck, addReadyCheck } = manager;
    const {
      apply,
      create,
      delete: remove,
      deleteAllOf,
      find,
      get,
      list,
      live,
      patch,
      status,
    } = client;
    const { health, stats, synced } = cache;
    addHealthCheck("one", () => undefined);
    addReadyCheck("two", () => undefined);
    recorder("web").event(widget("a", 1), { type: "Normal", reason: "Seen", message: "Seen." });
    api.put(pathOf("a"), widget("a", 1));
    await clock.advance(10);
    const key = { namespace: "d", name: "a" };
    await synced();
    expect(health()).toHaveLength(1);
    expect(stats()).toHaveLength(1);
    expect((await get(WIDGETS, key)).metadata.name).toBe("a");
    expect(await find(WIDGETS, key)).toBeDefined();
    expect(await list(WIDGETS)).toHaveLength(1);
    const { list: listLive, get: getLive } = live;
    expect(await listLive(WIDGETS)).toHaveLength(1);
    expect((await getLive(WIDGETS, key)).metadata.name).toBe("a");
    for (const method of [apply, create, remove, deleteAllOf, patch, status.patch, status.update]) {
      expect(method).toBeTypeOf("function");
    }
    await apply(WIDGETS, { metadata: key });
    await remove(WIDGETS, key);
    expect(await find(WIDGETS, key)).toBeUndefined();
    await end();
  });
});
