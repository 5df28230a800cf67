/** `eventually` of tsop/testing, which gives up only shortly before the test would: a shared machine may be ten times slower. */
import { eventually as eventuallyWithin, VirtualClock } from "../../src/testing.ts";

const REAL_MS = 50_000;

export const eventually: typeof eventuallyWithin = (check, options) =>
  eventuallyWithin(
    check,
    options?.clock instanceof VirtualClock ? options : { timeoutMs: REAL_MS, ...options },
  );
