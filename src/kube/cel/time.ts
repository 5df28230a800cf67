/** Durations and timestamps, read and written as Go does. */
import { formatGoNanos, parseGoNanos } from "../values/duration.ts";
import { DURATION, TIMESTAMP } from "./types.ts";
import { CelError, CelObject, type CelValue, INT_MAX, INT_MIN } from "./values.ts";

const SECOND = 1_000_000_000n;
const DAY_SECONDS = 86_400n;
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const MIN_UNIX = -62_135_596_800n;
const MAX_UNIX = 253_402_300_799n;

const durationOverflow = (): CelError => new CelError("integer overflow");
const timestampOverflow = (): CelError => new CelError("timestamp overflow");

/** A length of time, in whole nanoseconds. */
export class Duration extends CelObject {
  readonly type = DURATION;
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }

  /** The duration, or the error that it is too long. */
  static of(nanos: bigint): Duration | CelError {
    return nanos > INT_MAX || nanos < INT_MIN ? durationOverflow() : new Duration(nanos);
  }

  equals(other: CelValue): boolean {
    return other instanceof Duration && other.nanos === this.nanos;
  }

  /** In seconds: `5400s`, `0.25s`. */
  seconds(): string {
    return `${plainNumber(Number(this.nanos / SECOND) + Number(this.nanos % SECOND) / 1e9)}s`;
  }

  /** As Go's `String`: `1h30m0s`. */
  toString(): string {
    return formatGoNanos(this.nanos);
  }
}

/** A point in time, with the zone that it was written in. */
export class Timestamp extends CelObject {
  readonly type = TIMESTAMP;
  /** Since 1970-01-01T00:00:00Z. */
  readonly nanos: bigint;
  readonly offsetSeconds: number;

  constructor(nanos: bigint, offsetSeconds = 0) {
    super();
    this.nanos = nanos;
    this.offsetSeconds = offsetSeconds;
  }

  /** Whole seconds since 1970, rounded down. */
  get unix(): bigint {
    return floorDivide(this.nanos, SECOND);
  }

  equals(other: CelValue): boolean {
    return other instanceof Timestamp && other.nanos === this.nanos;
  }

  plus(duration: Duration): Timestamp | CelError {
    const sum = new Timestamp(this.nanos + duration.nanos, this.offsetSeconds);
    return sum.unix < MIN_UNIX || sum.unix > MAX_UNIX ? timestampOverflow() : sum;
  }

  minus(other: Timestamp): Duration | CelError {
    return Duration.of(this.nanos - other.nanos);
  }

  /** RFC 3339 with as many fractional digits as are needed. */
  rfc3339(): string {
    const { year, month, day, hours, minutes, seconds, nanos } = this.parts(this.offsetSeconds);
    const pad = (value: number, width = 2): string => String(value).padStart(width, "0");
    const fraction = nanos === 0 ? "" : `.${pad(nanos, 9).replace(/0+$/, "")}`;
    const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
    return `${date}T${pad(hours)}:${pad(minutes)}:${pad(seconds)}${fraction}${formatOffset(this.offsetSeconds)}`;
  }

  toString(): string {
    return this.rfc3339();
  }

  /** The parts of the local time at an offset from UTC; months and days count from 1. */
  parts(offsetSeconds: number): {
    readonly year: number;
    readonly month: number;
    readonly day: number;
    readonly hours: number;
    readonly minutes: number;
    readonly seconds: number;
    readonly nanos: number;
    readonly weekday: number;
    readonly dayOfYear: number;
  } {
    const local = this.unix + BigInt(offsetSeconds);
    const days = Number(floorDivide(local, DAY_SECONDS));
    const inDay = Number(local - BigInt(days) * DAY_SECONDS);
    const { year, month, day } = civilDate(days);
    return {
      year,
      month,
      day,
      hours: Math.floor(inDay / 3600),
      minutes: Math.floor(inDay / 60) % 60,
      seconds: inDay % 60,
      nanos: Number(this.nanos - this.unix * SECOND),
      weekday: (((days + 4) % 7) + 7) % 7,
      dayOfYear: days - daysSinceEpoch(year, 1, 1),
    };
  }
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor < 0n ? quotient - 1n : quotient;
}

/** Days since 1970-01-01 of a date in the proleptic Gregorian calendar. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const inEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = inEra * 365 + Math.floor(inEra / 4) - Math.floor(inEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function civilDate(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

function formatOffset(seconds: number): string {
  if (seconds === 0) return "Z";
  const minutes = Math.floor(Math.abs(seconds) / 60);
  const pad = (value: number): string => String(value).padStart(2, "0");
  return `${seconds < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

const timePattern =
  /^(\d{4})-(\d{2})-(\d{2})[T]([01]\d|2[0-3]|\d):([0-5]\d):([0-5]\d)(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
}

/** A timestamp in RFC 3339; `undefined` when the text is not one. */
export function parseTimestamp(text: string): Timestamp | CelError | undefined {
  const match = timePattern.exec(text);
  if (!match) return undefined;
  const [year, month, day, hours, minutes, seconds] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (day < 1 || day > daysIn(year, month)) return undefined;
  const zone = Number(match[9] ?? 0) * 3600 + Number(match[10] ?? 0) * 60;
  if (Number(match[9] ?? 0) > 24 || Number(match[10] ?? 0) > 60) return undefined;
  const offset = match[8] === "-" ? -zone : zone;
  const local = daysSinceEpoch(year, month, day) * 86_400 + hours * 3600 + minutes * 60 + seconds;
  const nanos = BigInt((match[7] ?? "").slice(0, 9).padEnd(9, "0"));
  const timestamp = new Timestamp(BigInt(local - offset) * SECOND + nanos, offset);
  const { unix } = timestamp;
  return unix < MIN_UNIX || unix > MAX_UNIX ? timestampOverflow() : timestamp;
}

/** The start of a day, `2024-02-29`, in UTC; `undefined` when the text is not a date. */
export function parseDate(text: string): Timestamp | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return undefined;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  if (day < 1 || day > daysIn(year, month)) return undefined;
  return new Timestamp(BigInt(daysSinceEpoch(year, month, day)) * DAY_SECONDS * SECOND);
}

/** A timestamp from seconds since 1970. */
export function timestampFromUnix(seconds: bigint): Timestamp | CelError {
  if (seconds < MIN_UNIX || seconds > MAX_UNIX) return timestampOverflow();
  return new Timestamp(seconds * SECOND);
}

/** A duration as Go reads it, `1h30m`; `undefined` when the text is not one. */
export function parseDuration(text: string): Duration | undefined {
  const nanos = parseGoNanos(text);
  return nanos === undefined ? undefined : new Duration(nanos);
}

/** A number without an exponent, with as many digits as are needed to tell it from others. */
function plainNumber(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = "", first = "", rest = "", exponent = "0"] = match;
  const digits = first + rest;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (digits.length <= point) return sign + digits.padEnd(point, "0");
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/**
 * The offset from UTC, in seconds, of a zone at a time: `+02:00` or a name of the IANA database.
 */
export function zoneOffset(zone: string, at: Timestamp): number | CelError {
  const colon = zone.indexOf(":");
  if (colon >= 0) {
    const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
    for (const part of [hours, minutes]) {
      if (!/^[+-]?\d+$/.test(part)) {
        return new CelError(`strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`);
      }
    }
    const sign = zone.startsWith("-") ? -1 : 1;
    return (Number(hours) * 60 + sign * Number(minutes)) * 60;
  }
  if (zone === "" || zone === "UTC") return 0;
  if (zone === "Local") return 0;
  try {
    const milliseconds = Number(at.nanos / 1_000_000n);
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      timeZoneName: "longOffset",
    });
    const name = format
      .formatToParts(milliseconds)
      .find(({ type }) => type === "timeZoneName")?.value;
    const match = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(name ?? "");
    if (!match) return new CelError(`unknown time zone ${zone}`);
    const [, sign, hours = "0", minutes = "0", seconds = "0"] = match;
    const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    return sign === "-" ? -size : size;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new CelError(`unknown time zone ${zone}`);
  }
}
