/**
 * Waits for what a controller will have done soon.
 *
 * @module
 */
import { systemClock, type Clock } from "../clock.ts";

/** How long `eventually` keeps trying. */
export interface EventuallyOptions {
  /** 4 s when absent: less than the 5 s after which vitest ends a test, which would hide what `check` threw. */
  readonly timeoutMs?: number;
  /** Between two tries: 20 ms when absent. */
  readonly intervalMs?: number;
  readonly clock?: Clock;
}

/**
 * Tries `check` until it does not throw, and returns its value: for what a controller will have done soon.
 *
 * @throws what `check` threw last, when the time is over
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<T> {
  const { timeoutMs = 4000, intervalMs = 20, clock = systemClock } = options;
  const until = clock.monotonicMs() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (clock.monotonicMs() >= until) throw error;
    }
    await clock.sleep(intervalMs);
  }
}
