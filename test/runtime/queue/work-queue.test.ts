import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import {
  BucketRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  WithMaxWaitRateLimiter,
  type RateLimiter,
} from "../../../src/runtime/queue/rate-limiters.ts";
import { PriorityQueue, WorkQueue } from "../../../src/runtime/queue/work-queue.ts";
import { describeShared, sharedPath } from "../../support/shared.ts";
import { printShare } from "../support/print-share.ts";

interface Operation {
  do:
    | "add"
    | "addAfter"
    | "addRateLimited"
    | "forget"
    | "numRequeues"
    | "get"
    | "done"
    | "step"
    | "shutDown";
  key?: string;
  ms?: number;
  result?: unknown;
  len: number;
}

interface Traces {
  queues: { seed: number; ops: Operation[] }[];
  limiters: {
    limiter: string;
    calls: { when?: string; forget?: string; numRequeues?: string; ms?: number; is?: number }[];
  }[];
}

async function perform(
  queue: WorkQueue,
  clock: VirtualClock,
  operation: Operation,
): Promise<unknown> {
  const key = operation.key ?? "";
  switch (operation.do) {
    case "add":
      queue.add(key);
      return undefined;
    case "addAfter":
      queue.addAfter(key, operation.ms ?? 0);
      return undefined;
    case "addRateLimited":
      queue.addRateLimited(key);
      return undefined;
    case "forget":
      queue.forget(key);
      return undefined;
    case "numRequeues":
      return queue.retries(key);
    case "get": {
      const next = await queue.get();
      return { key: next ?? "", shutdown: next === undefined };
    }
    case "done":
      queue.done(key);
      return undefined;
    case "step":
      await clock.advance(operation.ms ?? 0);
      return undefined;
    case "shutDown":
      queue.shutDown();
      return undefined;
  }
}

describeShared("traces", "client-go's queue, operation by operation", () => {
  const traces = JSON.parse(readFileSync(sharedPath("traces", "workqueue.json"), "utf8")) as Traces;

  let equal = 0;

  afterAll(() => {
    printShare("work queue traces", equal, traces.queues.length + traces.limiters.length);
  });

  it.each(traces.queues)("answers like the real one (seed $seed)", async ({ ops }) => {
    const clock = new VirtualClock();
    const queue = new WorkQueue(clock, new ItemExponentialFailureRateLimiter(100, 2000));
    for (const operation of ops) {
      const result = await perform(queue, clock, operation);
      expect({ ...operation, result, len: queue.length }).toEqual({
        result: undefined,
        ...operation,
      });
    }
    equal++;
  });

  const limiters: Record<string, () => RateLimiter> = {
    "exponential base 5 ms max 1000 s": () => new ItemExponentialFailureRateLimiter(5, 1_000_000),
    "fast 5 ms slow 10 s, 3 fast attempts": () => new ItemFastSlowRateLimiter(5, 10_000, 3),
    "max of (exponential 1 ms..50 ms, fast 5 ms slow 3 s after 2)": () =>
      new MaxOfRateLimiter(
        new ItemExponentialFailureRateLimiter(1, 50),
        new ItemFastSlowRateLimiter(5, 3000, 2),
      ),
    "max wait 20 ms over exponential 5 ms..1000 s": () =>
      new WithMaxWaitRateLimiter(new ItemExponentialFailureRateLimiter(), 20),
  };

  it.each(traces.limiters)("waits like the limiter: $limiter", ({ limiter: name, calls }) => {
    const limiter = limiters[name]!();
    for (const call of calls) {
      if (call.when !== undefined) expect(limiter.when(call.when)).toBe(call.ms);
      if (call.forget !== undefined) limiter.forget(call.forget);
      if (call.numRequeues !== undefined) expect(limiter.retries(call.numRequeues)).toBe(call.is);
    }
    equal++;
  });
});

describe("BucketRateLimiter", () => {
  it("lets a burst through, then keeps the rate", async () => {
    const clock = new VirtualClock();
    const limiter = new BucketRateLimiter(clock, 10, 2);
    expect([limiter.when(), limiter.when(), limiter.when(), limiter.when()]).toEqual([
      0, 0, 100, 200,
    ]);
    await clock.advance(1000);
    expect(limiter.when()).toBe(0);
  });
});

describe("WorkQueue", () => {
  it("hands a key to one worker at a time, and again if it was added meanwhile", async () => {
    const queue = new WorkQueue(new VirtualClock());
    queue.add("crew/kirk");
    expect(await queue.get()).toBe("crew/kirk");
    queue.add("crew/kirk"); // an event arrives while the worker is busy
    expect(queue.take()).toBeUndefined();
    queue.done("crew/kirk");
    expect(queue.take()).toBe("crew/kirk");
  });

  it("keeps the earlier of two times for one key", async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue(clock);
    queue.addAfter("a", 10_000);
    queue.addAfter("a", 1000);
    await clock.advance(1000);
    expect(queue.take()).toBe("a");
    queue.done("a");
    await clock.advance(20_000);
    expect(queue.take()).toBeUndefined();
  });

  it("does not run a key early that waits for forty days", async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue(clock);
    const fortyDaysMs = 40 * 24 * 3600 * 1000;
    queue.addAfter("a", fortyDaysMs);
    await clock.advance(fortyDaysMs - 1);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
  });

  it("hands out what is in line after the shutdown, then ends its workers", async () => {
    const queue = new WorkQueue(new VirtualClock());
    queue.add("a");
    queue.shutDown();
    queue.add("b");
    expect(await queue.get()).toBe("a");
    expect(await queue.get()).toBeUndefined();
  });

  it("ends a wait when its signal is aborted, and loses no key to it", async () => {
    const queue = new WorkQueue(new VirtualClock());
    const stop = new AbortController();
    const waiting = queue.get(stop.signal);
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    queue.add("a");
    expect(await queue.get()).toBe("a");
  });
});

describe("PriorityQueue", () => {
  it("hands out what is urgent first, and in the order in which it came", () => {
    const queue = new PriorityQueue(new VirtualClock());
    for (const key of ["old-1", "old-2"]) queue.add(key, -100);
    for (const key of ["new-1", "new-2"]) queue.add(key);
    queue.add("urgent", 10);
    expect([queue.take(), queue.take(), queue.take()]).toEqual(["urgent", "new-1", "new-2"]);
  });

  it("raises a key that becomes urgent while it waits, and never lowers one", () => {
    const queue = new PriorityQueue(new VirtualClock());
    queue.add("a", -100);
    queue.add("b", -100);
    queue.add("b", 0);
    queue.add("b", -100);
    expect([queue.take(), queue.priority("b")]).toEqual(["b", 0]);
  });

  it("keeps the priority of a key that waits for its time, or for its worker", async () => {
    const clock = new VirtualClock();
    const queue = new PriorityQueue(clock);
    queue.add("low", -100);
    queue.addAfter("later", 10, 5);
    queue.add("busy");
    expect(queue.take()).toBe("busy");
    queue.add("busy", 20);
    await clock.advance(10);
    queue.done("busy");
    expect([queue.take(), queue.take(), queue.take()]).toEqual(["busy", "later", "low"]);
  });

  it("keeps the priority of a key that waits for its time, and of two the higher", async () => {
    const clock = new VirtualClock();
    const queue = new PriorityQueue(clock);
    queue.addAfter("later", 10, -100);
    queue.addAfter("sooner", 10, 5);
    queue.addAfter("sooner", 20, 1);
    await clock.advance(10);
    expect([queue.take(), queue.take()]).toEqual(["sooner", "later"]);
    expect([queue.priority("sooner"), queue.priority("later")]).toEqual([5, -100]);
  });

  it("T28: finishes a restart's fifty thousand keys under a constant load of urgent ones", () => {
    const queue = new PriorityQueue(new VirtualClock());
    for (let index = 0; index < 50_000; index++) queue.add(`initial-${index}`, -100);
    let initial = 0;
    let turns = 0;
    for (; initial < 50_000 && turns < 250_000; turns++) {
      queue.add(`hot-${turns}`);
      const key = queue.take()!;
      queue.done(key);
      if (key.startsWith("initial")) initial++;
    }
    expect(turns).toBeLessThan(210_000);
    expect(queue.length).toBeLessThan(51_000);
  });
});
