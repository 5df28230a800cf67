/** T23, T25 and T27: keys that are added while they wait, while they are worked on, and later. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import {
  BucketRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  WithMaxWaitRateLimiter,
} from "../../../src/runtime/queue/rate-limiters.ts";
import { PriorityQueue, WorkQueue } from "../../../src/runtime/queue/work-queue.ts";

describe.each([
  ["WorkQueue", (clock: VirtualClock) => new WorkQueue(clock)],
  ["PriorityQueue", (clock: VirtualClock) => new PriorityQueue(clock)],
])("%s under faults", (_, create) => {
  it("T23: a key that is added while it is worked on, however often, runs once more, and not at once", () => {
    const queue = create(new VirtualClock());
    queue.add("a");
    expect(queue.take()).toBe("a");
    for (let count = 0; count < 100; count++) queue.add("a");
    expect([queue.length, queue.take()]).toEqual([0, undefined]);
    queue.done("a");
    expect([queue.length, queue.take()]).toEqual([1, "a"]);
    queue.done("a");
    expect(queue.take()).toBeUndefined();
  });

  it("T25: of two waits the shorter holds, a key that is due now runs now, and forty days are not early", async () => {
    const clock = new VirtualClock();
    const queue = create(clock);
    queue.addAfter("a", 10_000);
    queue.addAfter("a", 1000);
    queue.add("a");
    expect(queue.take()).toBe("a");
    queue.done("a");
    await clock.advance(999);
    expect(queue.take()).toBeUndefined();
    await clock.advance(1);
    expect(queue.take()).toBe("a");
    queue.done("a");
    queue.addAfter("later", 40 * 24 * 3_600_000);
    await clock.advance(39 * 24 * 3_600_000);
    expect(queue.take()).toBeUndefined();
    await clock.advance(24 * 3_600_000);
    expect(queue.take()).toBe("later");
  });
});

describe("limiters", () => {
  it("T27: wait as client-go's, forget, and do not overflow", () => {
    const waits = (limiter: { when(key: string): number }, count: number): number[] =>
      Array.from({ length: count }, () => limiter.when("a"));
    const exponential = new ItemExponentialFailureRateLimiter(5, 1_000_000);
    expect(waits(exponential, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(exponential.retries("a")).toBe(5);
    exponential.forget("a");
    expect(waits(exponential, 1000).at(-1)).toBe(1_000_000);
    expect(waits(new ItemFastSlowRateLimiter(5, 3000, 2), 4)).toEqual([5, 5, 3000, 3000]);
    const bucket = new BucketRateLimiter(new VirtualClock(), 10, 1);
    expect(waits(bucket, 3)).toEqual([0, 100, 200]);
    const most = new MaxOfRateLimiter(
      new ItemExponentialFailureRateLimiter(5, 1000),
      new ItemFastSlowRateLimiter(7, 3000, 1),
    );
    expect(waits(most, 3)).toEqual([7, 3000, 3000]);
    const cut = new WithMaxWaitRateLimiter(new ItemExponentialFailureRateLimiter(5), 15);
    expect(waits(cut, 3)).toEqual([5, 10, 15]);
  });
});
