import { expect, it } from "vitest";
import { eventually, VirtualClock } from "../../src/testing.ts";

const after = (clock: VirtualClock, delayMs: number) => {
  const state = { isDone: false };
  clock.after(delayMs, () => {
    state.isDone = true;
  });
  return () => {
    if (!state.isDone) throw new Error("not yet");
  };
};

it.each([1, 60_000, 0.1 + 0.2, 1234.000001, 800 * 1.37])(
  "reaches a timer of a VirtualClock after %d ms, whose fractions wall time does not have",
  async (delayMs) => {
    const clock = new VirtualClock();
    await clock.advance(0.7);
    await eventually(after(clock, delayMs), { clock });
    expect(clock.monotonicMs()).toBeCloseTo(0.7 + delayMs, 6);
  },
);

it("throws what the check threw last, at the end of its time on a VirtualClock and not before", async () => {
  const clock = new VirtualClock();
  await clock.advance(0.1);
  clock.after(0.3, () => undefined);
  const check = after(clock, 1000.1);
  await expect(eventually(check, { clock, timeoutMs: 1000 })).rejects.toThrow("not yet");
  expect(clock.monotonicMs()).toBeCloseTo(1000.1, 6);
  await eventually(check, { clock, timeoutMs: 1000 });
});
