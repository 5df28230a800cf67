/** Keys that come from the time, from outside, and what reconcilers wait for. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger, type Logger } from "../../../src/log.ts";
import { formatKey, type ObjectKey } from "../../../src/kube/object.ts";
import { controllerFor } from "../../../src/runtime/controller/builder.ts";
import { Expectations } from "../../../src/runtime/controller/expectations.ts";
import { PollSource } from "../../../src/runtime/controller/polling.ts";
import { timerSource, type TimerOptions } from "../../../src/runtime/controller/timers.ts";
import { createManager } from "../../../src/runtime/manager/manager.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { widget, WIDGETS } from "../support/widgets.ts";

const pathOf = (name: string): string => `/apis/example.com/v1/namespaces/d/widgets/${name}`;

async function startTimers(options: TimerOptions<ReturnType<typeof widget>>) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const manager = createManager({ clock, transport: api, log: silentLogger });
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

describe("PollSource", () => {
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
