/** Periods that users give, in milliseconds. */
import { TsopError } from "../../../errors.ts";

/**
 * The period, checked to be usable for repetition.
 *
 * @param what - for the message: `everyMs of the poll of buckets`
 * @throws TsopError `bad-period` for 0, and for a negative or infinite value or one that is not a
 *   number
 */
export function periodMs(what: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value;
  throw badPeriod(what, value, "Give a number of milliseconds above 0.");
}

/** The same for a wait, which may be 0. @throws TsopError `bad-period` */
export function waitMs(what: string, value: number): number {
  if (Number.isFinite(value) && value >= 0) return value;
  throw badPeriod(what, value, "Give a number of milliseconds, 0 or more.");
}

function badPeriod(what: string, value: number, fix: string): TsopError {
  return new TsopError(
    "bad-period",
    `${what} is ${String(value)}, which is not a time to wait.`,
    fix,
  );
}
