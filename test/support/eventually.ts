/** `eventually` of tsop/testing, which gives up only shortly before the test would: a shared machine may be ten times slower. */
import { eventually as eventuallyWithin, VirtualClock } from "../../src/testing.ts";

const REAL_MS = 50_000;

/** Calls `check` again and again until it does not fail. */
export function eventually<T>(
  check: () => T | Promise<T>,
  options: NonNullable<Parameters<typeof eventuallyWithin>[1]> = {},
): Promise<T> {
  const isVirtual = options.clock instanceof VirtualClock;
  return eventuallyWithin(check, isVirtual ? options : { timeoutMs: REAL_MS, ...options });
}
