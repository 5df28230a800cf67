/** The queues against client-go's rules, written down a second time as simply as can be. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { PriorityQueue, WorkQueue } from "../../../src/runtime/queue/work-queue.ts";

/** client-go's rules: a line without duplicates, keys in hand, keys that are dirty again, keys that wait for a time. */
class Model {
  line: string[] = [];
  inHand = new Set<string>();
  dirty = new Set<string>();
  waiting = new Map<string, number>();
  nowMs = 0;
  ended = false;

  add(key: string): void {
    if (this.ended || this.dirty.has(key)) return;
    this.dirty.add(key);
    if (!this.inHand.has(key)) this.line.push(key);
  }

  addAfter(key: string, delayMs: number): void {
    if (this.ended) return;
    if (delayMs <= 0) this.add(key);
    else {
      const at = this.nowMs + delayMs;
      this.waiting.set(key, Math.min(at, this.waiting.get(key) ?? at));
    }
  }

  take(): string | undefined {
    const key = this.line.shift();
    if (key === undefined) return undefined;
    this.dirty.delete(key);
    this.inHand.add(key);
    return key;
  }

  done(key: string): void {
    this.inHand.delete(key);
    if (this.dirty.has(key)) this.line.push(key);
  }

  advance(durationMs: number): string[] {
    this.nowMs += durationMs;
    const due = [...this.waiting].filter(([, at]) => at <= this.nowMs);
    for (const [key] of due) this.waiting.delete(key);
    return due.sort(([, one], [, other]) => one - other).map(([key]) => key);
  }
}

interface Real {
  readonly queue: WorkQueue;
  readonly clock: VirtualClock;
}

const KEYS = ["a", "b", "c", "d"];
const key = fc.constantFrom(...KEYS);

type Step = (model: Model, real: Real) => Promise<void>;

/** Steps of both; each compares what can be seen. */
const steps = (sameOrder: boolean): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: key.map((name): Step => async (model, { queue }) => {
        model.add(name);
        queue.add(name, name.charCodeAt(0));
      }),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(key, fc.integer({ min: -1, max: 30 }))
        .map(([name, delayMs]): Step => async (model, { queue }) => {
          model.addAfter(name, delayMs);
          queue.addAfter(name, delayMs);
        }),
    },
    {
      weight: 4,
      arbitrary: fc.constant<Step>(async (model, { queue }) => {
        const taken = queue.take();
        if (sameOrder) expect(taken).toBe(model.take());
        else {
          expect(taken === undefined).toBe(model.line.length === 0);
          if (taken === undefined) return;
          expect(model.line).toContain(taken);
          model.line = [taken, ...model.line.filter((other) => other !== taken)];
          model.take();
        }
      }),
    },
    {
      weight: 3,
      arbitrary: key.map((name): Step => async (model, { queue }) => {
        if (!model.inHand.has(name)) return;
        model.done(name);
        queue.done(name);
      }),
    },
    {
      weight: 2,
      arbitrary: fc
        .integer({ min: 1, max: 40 })
        .map((durationMs): Step => async (model, { clock }) => {
          // One millisecond after the other, so that both see the keys fall due in one order.
          for (let ms = 0; ms < durationMs; ms++) {
            const due = model.advance(1);
            if (due.length > 1) due.sort((one, other) => KEYS.indexOf(one) - KEYS.indexOf(other));
            for (const name of due) model.add(name);
            await clock.advance(1);
          }
        }),
    },
  );

async function compare(all: readonly Step[], create: (clock: VirtualClock) => WorkQueue) {
  const clock = new VirtualClock();
  const real = { clock, queue: create(clock) };
  const model = new Model();
  for (const step of all) {
    await step(model, real);
    expect(real.queue.length).toBe(model.line.length);
  }
  // Nothing is lost: worked off, everything that was ever due is handed out once more.
  for (const name of [...model.inHand]) {
    model.done(name);
    real.queue.done(name);
  }
  const left = new Set(model.line);
  for (let taken = real.queue.take(); taken !== undefined; taken = real.queue.take()) {
    expect(left.delete(taken)).toBe(true);
  }
  expect(left.size).toBe(0);
  real.queue.shutDown();
  real.queue.add("late");
  expect([real.queue.length, clock.pending]).toEqual([0, 0]);
}

describe("the queues and client-go's rules", () => {
  it("are one for the first-come queue, whatever is done with it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps(false), { maxLength: 40 }), (all) =>
        compare(all, (clock) => new WorkQueue(clock)),
      ),
      { numRuns: 150 },
    );
  });

  it("are one for the first-come queue and its order, where no keys fall due together", async () => {
    const untimed = steps(true);
    await fc.assert(
      fc.asyncProperty(fc.array(untimed, { maxLength: 40 }), async (all) => {
        const clock = new VirtualClock();
        const queue = new WorkQueue(clock);
        // Without timers: the order of two that are due in the same moment is nobody's promise.
        queue.addAfter = (name, delayMs) => {
          if (delayMs <= 0) queue.add(name);
        };
        const model = new Model();
        model.addAfter = (name, delayMs) => {
          if (delayMs <= 0) model.add(name);
        };
        for (const step of all) await step(model, { queue, clock });
      }),
      { numRuns: 150 },
    );
  });

  it("are one for the priority queue, but for the order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps(false), { maxLength: 40 }), (all) =>
        compare(all, (clock) => new PriorityQueue(clock)),
      ),
      { numRuns: 150 },
    );
  });
});
