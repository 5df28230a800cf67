/** Who keeps the event loop: told by what was seen before it stood still, and first after that. */
import { describe, expect, it } from "vitest";
import { VirtualClock, type Clock } from "../../../src/clock.ts";
import { LoopWatch } from "../../../src/runtime/controller/loop-watch.ts";
import { keptLog } from "../../logging/support.ts";

const scope = (controller: string, key: string) => ({ controller, key, id: `${controller}-1` });
const ONE = scope("web", "d/one");
const TWO = scope("db", "d/two");

/** A clock on which code can take time without giving way, as a computation does. */
function start() {
  const virtual = new VirtualClock();
  let blockedMs = 0;
  let processorMs = 0;
  const clock: Clock = {
    now: () => virtual.now() + blockedMs,
    monotonicMs: () => virtual.monotonicMs() + blockedMs,
    after: (delayMs, run) => virtual.after(delayMs, run),
    sleep: (delayMs, signal) => virtual.sleep(delayMs, signal),
    random: () => virtual.random(),
  };
  const { log, entries } = keptLog();
  const running = new Set([ONE, TWO]);
  const watch = new LoopWatch({
    clock,
    log,
    running: () => running,
    processorMs: () => processorMs,
  });
  watch.start();
  const block = (ms: number, share = 1): void => {
    blockedMs += ms;
    processorMs += ms * share;
  };
  const warnings = () => entries().filter(({ level }) => level === "warn");
  return { virtual, watch, block, warnings, running, entries };
}

describe("a watch of the event loop", () => {
  it("names the reconcile that was seen on both sides", async () => {
    const { virtual, watch, block, warnings } = start();
    await virtual.advance(1000);
    watch.see(TWO);
    watch.see(ONE);
    block(3000);
    watch.see(ONE);
    watch.see(TWO);
    await virtual.advance(300);
    expect(warnings()).toEqual([
      expect.objectContaining({
        controller: "web",
        object: "d/one",
        reconcileID: "web-1",
        seconds: 3,
        processorSeconds: 3,
        msg: "The event loop stood still for 3 s, by the reconcile web of d/one. Split long computations, or run them in a worker thread.",
      }),
    ]);
  });

  it("names both where one gave way to the other", async () => {
    const { virtual, watch, block, warnings } = start();
    await virtual.advance(1000);
    watch.see(TWO);
    block(2000);
    watch.see(ONE);
    await virtual.advance(300);
    expect(warnings()[0]?.["msg"]).toContain(
      "by the reconcile db of d/two, or that of web of d/one",
    );
  });

  it("does not guess: names what runs where nothing was seen, and a process that was stopped", async () => {
    const { virtual, watch, block, warnings, running } = start();
    watch.see(ONE);
    await virtual.advance(1000);
    block(5000, 0);
    await virtual.advance(300);
    expect(warnings()[0]?.["msg"]).toBe(
      "The event loop stood still for 5 s, by code that is not known: 2 reconciles were running (web of d/one, db of d/two). The processor was not used in that time: the process was stopped, or waited in a synchronous call.",
    );
    running.clear();
    block(5000);
    await virtual.advance(300);
    expect(warnings()[1]?.["msg"]).toContain("by code outside of reconciles");
  });

  it("is silent while reconciles wait, and on a few lines a minute in a storm", async () => {
    const { virtual, watch, block, warnings, entries } = start();
    for (let count = 0; count < 20; count++) {
      watch.see(ONE);
      await virtual.advance(10_000);
    }
    expect(entries()).toEqual([]);
    for (let count = 0; count < 100; count++) {
      watch.see(ONE);
      block(1500);
      watch.see(ONE);
      await virtual.advance(300);
    }
    expect(warnings().length).toBeLessThanOrEqual(5 * 4);
    expect(entries().length).toBe(100);
  });
});
