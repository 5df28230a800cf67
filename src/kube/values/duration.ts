/**
 * Spans of time: as Go writes them, `1h30m`, and as ISO 8601 does, `PT1H30M`.
 *
 * @see https://pkg.go.dev/time#ParseDuration
 */
import { TsopError } from "../../errors.ts";
import { tableOf } from "../../table.ts";

const MICROSECOND = 1000n;
const MILLISECOND = 1000n * MICROSECOND;
const SECOND = 1000n * MILLISECOND;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;
const DAY_MS = 86_400_000;
// Go's longest duration: 64 bits of nanoseconds, some 292 years.
const LONGEST = 2n ** 63n - 1n;

const UNIT_NANOS = tableOf<bigint>({
  ns: 1n,
  us: MICROSECOND,
  µs: MICROSECOND,
  μs: MICROSECOND,
  ms: MILLISECOND,
  s: SECOND,
  m: MINUTE,
  h: HOUR,
});

/**
 * The milliseconds of a duration as Go reads it, `1h30m`: fields of type `Duration`,
 * `metav1.Duration`.
 *
 * @example
 * return { requeueAfterMs: parseDuration("1h30m") };
 *
 * @throws TsopError `bad-duration`
 */
export function parseDuration(text: string): number {
  const nanos = parseGoNanos(text);
  if (nanos === undefined) {
    throw new TsopError(
      "bad-duration",
      `${JSON.stringify(text)} is not a duration.`,
      "Write numbers with their units, such as 1h30m, 45s or 250ms; there are no days.",
    );
  }
  return Number(nanos / MILLISECOND) + Number(nanos % MILLISECOND) / 1e6;
}

/**
 * A duration as Go writes it.
 *
 * @example
 * formatDuration(5_400_000); // "1h30m0s"
 *
 * @throws TsopError `bad-duration` for a value that is not a number, or longer than Go has
 */
export function formatDuration(ms: number): string {
  const nanos = Number.isFinite(ms) ? nanosOf(ms) : LONGEST + 1n;
  if (nanos > LONGEST || nanos < -LONGEST - 1n) throw outOfRange(ms);
  return formatGoNanos(nanos);
}

/**
 * A wait for people, in whole milliseconds: `6h54m11.665s`. What Go's durations cannot hold is said
 * in milliseconds.
 */
export function waitText(ms: number): string {
  const isGos = Math.abs(ms) < Number(LONGEST / MILLISECOND);
  return isGos ? formatDuration(Math.round(ms)) : `${ms} ms`;
}

function nanosOf(ms: number): bigint {
  const whole = Math.trunc(ms);
  return BigInt(whole) * MILLISECOND + BigInt(Math.round((ms - whole) * 1e6));
}

/** The nanoseconds of a duration as Go reads it; `undefined` when the text is not one. */
export function parseGoNanos(text: string): bigint | undefined {
  const negative = text.startsWith("-");
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return 0n;
  if (unsigned === "") return undefined;
  let total = 0n;
  const pattern = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;
  while (pattern.lastIndex < unsigned.length) {
    const match = pattern.exec(unsigned);
    if (!match) return undefined;
    const [, whole = "", fraction = "", unit = ""] = match;
    if (whole === "" && fraction === "") return undefined;
    const nanos = UNIT_NANOS.get(unit) ?? 0n;
    total += BigInt(whole || "0") * nanos + fractionNanos(fraction, nanos);
    if (total > LONGEST + (negative ? 1n : 0n)) return undefined;
  }
  return negative ? -total : total;
}

/**
 * The nanoseconds of a fraction, in floating point as in Go: a third of an hour with enough digits
 * is 20 minutes.
 */
function fractionNanos(fraction: string, unit: bigint): bigint {
  // Go's digits of a fraction: as many as fit in 63 bits.
  let digits = 0n;
  let scale = 1;
  for (const digit of fraction) {
    const next = digits * 10n + BigInt(digit);
    if (digits > LONGEST / 10n || next > LONGEST + 1n) break;
    digits = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(digits) * (Number(unit) / scale)));
}

/** Nanoseconds as Go's `time.Duration` writes itself. */
export function formatGoNanos(nanos: bigint): string {
  if (nanos === 0n) return "0s";
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  if (size < MICROSECOND) return `${sign}${size}ns`;
  if (size < MILLISECOND) return `${sign}${decimal(size, MICROSECOND)}µs`;
  if (size < SECOND) return `${sign}${decimal(size, MILLISECOND)}ms`;
  const hours = size / HOUR;
  const minutes = (size / MINUTE) % 60n;
  const seconds = `${decimal(size % MINUTE, SECOND)}s`;
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}` : sign + seconds;
}

/** The number of times that `unit` is in `size`, without zeros at the end. */
function decimal(size: bigint, unit: bigint): string {
  const fraction = String(size % unit)
    .padStart(String(unit).length - 1, "0")
    .replace(/0+$/, "");
  return `${size / unit}${fraction && `.${fraction}`}`;
}

/** The units of ISO 8601 that have one length. */
const ISO =
  /^([+-]?)P(?:([\d.,]+)W|(?:([\d.,]+)D)?(?:T(?:([\d.,]+)H)?(?:([\d.,]+)M)?(?:([\d.,]+)S)?)?)$/;
const ISO_UNIT_MS = [7 * DAY_MS, DAY_MS, 3_600_000, 60_000, 1000] as const;
const ISO_NUMBER = /^\d+(?:[.,]\d+)?$/;

/**
 * The milliseconds of a duration of ISO 8601: `P1DT12H`, `PT0.5S`, `P2W`. A day has 24 hours; years
 * and months are refused, because they have no one length. Only the last number may have a
 * fraction.
 *
 * @example
 * parseIsoDuration("PT1H30M"); // 5_400_000
 *
 * @throws TsopError `bad-duration`
 */
export function parseIsoDuration(text: string): number {
  const [whole, sign, ...groups] = ISO.exec(text) ?? [];
  // Groups that match nothing are undefined, which their type does not say.
  const numbers: readonly (string | undefined)[] = groups;
  const given = numbers.filter((number) => number !== undefined);
  const isWhole = given.every((number, index) =>
    index < given.length - 1 ? /^\d+$/.test(number) : ISO_NUMBER.test(number),
  );
  if (whole === undefined || given.length === 0 || text.endsWith("T") || !isWhole) {
    throw new TsopError(
      "bad-duration",
      `${JSON.stringify(text)} is not an ISO 8601 duration of weeks, days, hours, minutes and seconds.`,
      "Write it like P1DT12H, PT90M or P2W; the length of years and months varies.",
    );
  }
  const ms = numbers.reduce<number>((sum, number, index) => {
    return sum + Number((number ?? "0").replace(",", ".")) * (ISO_UNIT_MS[index] ?? 0);
  }, 0);
  return sign === "-" ? -ms : ms;
}

/**
 * A duration as ISO 8601 writes it, in days, hours, minutes and seconds.
 *
 * @example
 * formatIsoDuration(129_600_000); // "P1DT12H"
 *
 * @throws TsopError `bad-duration` for a value that is not a number
 */
export function formatIsoDuration(ms: number): string {
  if (!Number.isFinite(ms)) throw outOfRange(ms);
  const size = Math.abs(ms);
  const part = (value: number, unit: string): string => (value === 0 ? "" : `${value}${unit}`);
  const days = Math.floor(size / DAY_MS);
  const hours = Math.floor(size / 3_600_000) % 24;
  const minutes = Math.floor(size / 60_000) % 60;
  const seconds = Number(((size % 60_000) / 1000).toFixed(9));
  const time = part(hours, "H") + part(minutes, "M") + part(seconds, "S");
  const date = part(days, "D");
  const text = `P${date}${time && `T${time}`}`;
  return text === "P" ? "PT0S" : `${ms < 0 ? "-" : ""}${text}`;
}

function outOfRange(ms: number): TsopError {
  return new TsopError(
    "bad-duration",
    `${ms} milliseconds cannot be written as a duration.`,
    "Give a finite number of milliseconds, below 292 years.",
  );
}
