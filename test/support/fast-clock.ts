/** Time that passes faster than elsewhere: for a control plane that real processes speak to, where a virtual clock has nobody to advance it. */
import { systemClock, type Clock } from "../../src/clock.ts";

/** A kubelet waits 5 s before its first probe, and 10 s before the next one. */
const FACTOR = 20;

/**
 * The machine's clock, from now on twenty times as fast. Not for control planes that call webhooks: their limits are as much
 * shorter, and the processes that answer are not faster.
 */
export function fastClock(): Clock {
  const startMs = systemClock.now();
  const startedAtMs = systemClock.monotonicMs();
  const elapsedMs = (): number => (systemClock.monotonicMs() - startedAtMs) * FACTOR;
  return {
    now: () => startMs + Math.floor(elapsedMs()),
    monotonicMs: elapsedMs,
    after: (delayMs, run, options) => systemClock.after(delayMs / FACTOR, run, options),
    sleep: (delayMs, signal) => systemClock.sleep(delayMs / FACTOR, signal),
    random: () => systemClock.random(),
  };
}
