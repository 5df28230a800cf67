/**
 * Times that users give, in milliseconds.
 *
 * @module
 */
import { TsopError } from "../../../errors.ts";

/**
 * The time, if something can be done again and again after it.
 *
 * @param what - for the message: `everyMs of the poll of buckets`
 * @throws TsopError `bad-period` for 0, what is negative, endless or no number
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
