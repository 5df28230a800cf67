/** Waits until a controller has done its work. */
import { systemClock, VirtualClock, type Clock } from "../clock.ts";

/** The options of `eventually`. */
export interface EventuallyOptions {
  /**
   * The limit: 4 s when absent, less than the 5 s after which vitest ends a test and hides the
   * error of `check`. An hour on a `VirtualClock`.
   */
  readonly timeoutMs?: number;
  /**
   * The time between two attempts: 20 ms when absent. With a `VirtualClock`, `check` runs after
   * each of its timers instead.
   */
  readonly intervalMs?: number;
  /** The clock: a `VirtualClock` is advanced, from timer to timer, until `check` passes. */
  readonly clock?: Clock;
}

const HOUR_MS = 3_600_000;

/**
 * Calls `check` until it does not throw, and returns its value: for the work that a controller will
 * soon have done.
 *
 * @example
 * const ready = await eventually(async () => {
 *   const found = await client.get(Web, key);
 *   if (findCondition(found.status?.conditions, "Ready")?.status !== "True") throw new Error("not ready");
 *   return found;
 * });
 *
 * @throws the last error of `check`, when the time is over
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<T> {
  const { intervalMs = 20, clock = systemClock } = options;
  const virtual = clock instanceof VirtualClock ? clock : undefined;
  const { timeoutMs = virtual ? HOUR_MS : 4000 } = options;
  const endsAtMs = clock.monotonicMs() + timeoutMs;
  let isLastTry = false;
  for (;;) {
    await virtual?.advance(0);
    try {
      return await check();
    } catch (error) {
      if (isLastTry || clock.monotonicMs() >= endsAtMs) throw error;
    }
    const leftMs = endsAtMs - clock.monotonicMs();
    if (!virtual) await clock.sleep(intervalMs);
    else if (!(await virtual.advanceToNext(leftMs))) {
      await virtual.advance(leftMs);
      isLastTry = true;
    }
  }
}
