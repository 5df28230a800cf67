import { describe, expect, it, vi } from "vitest";
import { VirtualClock, settlePromises, systemClock, timeoutSignal } from "../src/clock.ts";

describe("VirtualClock", () => {
  it("runs timers in the order of their time, each at its own time", async () => {
    const clock = new VirtualClock({ startMs: 0 });
    const seen: [string, number][] = [];
    clock.after(20, () => seen.push(["late", clock.now()]));
    clock.after(10, () => {
      seen.push(["early", clock.now()]);
      clock.after(5, () => seen.push(["nested", clock.now()]));
    });
    await clock.advance(30);
    expect(seen).toEqual([
      ["early", 10],
      ["nested", 15],
      ["late", 20],
    ]);
    expect(clock.now()).toBe(30);
  });

  it("does not run a timer that was cancelled", async () => {
    const clock = new VirtualClock();
    let ran = false;
    clock
      .after(1, () => {
        ran = true;
      })
      .cancel();
    await clock.advance(10);
    expect(ran).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it("draws the same numbers from the same seed", () => {
    const draw = (seed: number): number[] => {
      const clock = new VirtualClock({ seed });
      return Array.from({ length: 5 }, () => clock.random());
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it("tells of a sleep that nobody ends for three seconds: which one, and how time passes", async () => {
    const told: Error[] = [];
    const listen = (warning: Error): void => {
      if (warning.name === "VirtualClockWarning") told.push(warning);
    };
    process.on("warning", listen);
    const real = new VirtualClock();
    const after = vi
      .spyOn(systemClock, "after")
      .mockImplementation((ms, run) => real.after(ms, run));
    try {
      const forgotten = new VirtualClock();
      const moved = new VirtualClock();
      const asleep = forgotten.sleep(60_000);
      const ended = moved.sleep(60_000);
      await moved.advance(60_000);
      await ended;
      await real.advance(2999);
      expect(told).toEqual([]);
      await real.advance(1);
      await settlePromises();
      expect(told).toHaveLength(1);
      expect(told[0]?.message).toContain("`await clock.advance(60000)`");
      expect(told[0]?.message).toContain("clock.test.ts");
      await forgotten.advance(60_000);
      await asleep;
    } finally {
      after.mockRestore();
      process.off("warning", listen);
    }
  });

  it("rejects a sleep with the reason of its signal, and leaves no timer", async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const asleep = clock.sleep(1000, controller.signal);
    controller.abort(new Error("stopped"));
    await expect(asleep).rejects.toThrow("stopped");
    expect(clock.pending).toBe(0);
  });

  it("aborts a timeout signal at its time, unless it was cleared", async () => {
    const clock = new VirtualClock();
    const late = timeoutSignal(clock, 100);
    const cleared = timeoutSignal(clock, 100);
    cleared.clear();
    await clock.advance(100);
    expect(late.signal.aborted).toBe(true);
    expect(cleared.signal.aborted).toBe(false);
  });
});

describe("systemClock", () => {
  it("sleeps at once when its signal is already aborted", async () => {
    await expect(systemClock.sleep(60_000, AbortSignal.abort(new Error("no")))).rejects.toThrow(
      "no",
    );
  });
});

it("comes to the time that a timer was set for, to the fraction of a millisecond", async () => {
  const clock = new VirtualClock();
  await clock.advance(545_000);
  const readyAtMs = clock.monotonicMs() + 1 / 3;
  let tries = 0;
  const look = (): void => {
    tries++;
    if (clock.monotonicMs() < readyAtMs && tries < 10) {
      clock.after(readyAtMs - clock.monotonicMs(), look);
    }
  };
  look();
  await clock.advance(1);
  expect(tries).toBeLessThan(4);
});
