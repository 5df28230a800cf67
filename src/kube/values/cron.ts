import { tableOf } from "../../table.ts";

/**
 * Schedules of CronJobs: five fields, or a word such as `@daily`, in a time zone.
 *
 * The language and the error texts are those of the parser that the API server uses.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
 */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const LONGEST_REPEAT_MS = 3 * 3_600_000;
/**
 * How many days to search: a schedule for a day that does not exist, such as the 30th of February,
 * never runs.
 */
const HORIZON_DAYS = 5 * 366;

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAYS = "sun mon tue wed thu fri sat".split(" ");
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const WORDS = tableOf<string>({
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
});

interface Field {
  readonly values: ReadonlySet<number>;
  /** Whether it is written as `*` or `?`, without a restriction. */
  readonly isAny: boolean;
}

/** A parsed schedule. */
export interface CronSchedule {
  /** The next time after `afterMs`, in milliseconds; `undefined` when there is none. */
  next(afterMs: number): number | undefined;
}

/**
 * Reads a schedule.
 *
 * @param timeZone - an IANA name
 * @throws RangeError with the API server's message
 */
export function parseCron(text: string, timeZone = "UTC"): CronSchedule {
  if (text === "") throw new RangeError("empty spec string");
  const prefix = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/.exec(text);
  if (prefix) return parseCron((prefix[2] ?? "").trim(), prefix[1] === "" ? "UTC" : prefix[1]);
  if (text.startsWith("@")) {
    const known = WORDS.get(text);
    if (known !== undefined) return parseCron(known, timeZone);
    if (text.startsWith("@every ")) return every(text);
    throw new RangeError(`unrecognized descriptor: ${text}`);
  }
  const parts = text.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== FIELDS.length) {
    throw new RangeError(`expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`);
  }
  const fields = FIELDS.map((bounds, index) => parseField(parts[index] ?? "", bounds));
  const offset = offsetIn(timeZone);
  return { next: (afterMs) => nextAfter(fields, afterMs, offset) };
}

/** `@every 1h30m`: a fixed interval, at least a second. */
function every(text: string): CronSchedule {
  const duration = text.slice("@every ".length);
  const units: Readonly<Record<string, number>> = { h: 3_600_000, m: MINUTE_MS, s: 1000, ms: 1 };
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  const isWhole = parts.map(([part]) => part).join("") === duration;
  if (!isWhole || duration === "") {
    throw new RangeError(
      `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`,
    );
  }
  const sum = parts.reduce(
    (ms, [, count, unit]) => ms + Number(count) * (units[unit ?? ""] ?? 0),
    0,
  );
  const intervalMs = Math.max(1000, Math.floor(sum / 1000) * 1000);
  return { next: (afterMs) => Math.floor(afterMs / 1000) * 1000 + intervalMs };
}

function parseField(text: string, bounds: Bounds): Field {
  const values = new Set<number>();
  let isAny = false;
  for (const part of text.split(",").filter((piece) => piece !== "")) {
    const range = parseRange(part, bounds);
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
    isAny ||= range.isAny;
  }
  return { values, isAny };
}

function parseRange(
  text: string,
  bounds: Bounds,
): { start: number; end: number; step: number; isAny: boolean } {
  const [range = "", stepText, ...surplus] = text.split("/");
  const [low = "", high, ...more] = range.split("-");
  let start: number;
  let end: number;
  let isAny = false;
  if (low === "*" || low === "?") {
    start = bounds.min;
    end = bounds.max;
    isAny = true;
  } else {
    start = valueOf(low, bounds);
    if (more.length > 0) throw new RangeError(`too many hyphens: ${text}`);
    end = high === undefined ? start : valueOf(high, bounds);
  }
  if (surplus.length > 0) throw new RangeError(`too many slashes: ${text}`);
  let step = 1;
  if (stepText !== undefined) {
    step = wholeNumber(stepText);
    if (high === undefined) end = bounds.max;
    if (step > 1) isAny = false;
  }
  if (start < bounds.min) {
    throw new RangeError(`beginning of range (${start}) below minimum (${bounds.min}): ${text}`);
  }
  if (end > bounds.max) {
    throw new RangeError(`end of range (${end}) above maximum (${bounds.max}): ${text}`);
  }
  if (start > end) {
    throw new RangeError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  }
  if (step === 0) throw new RangeError(`step of range should be a positive number: ${text}`);
  return { start, end, step, isAny };
}

function valueOf(text: string, { names, min }: Bounds): number {
  const index = names?.indexOf(text.toLowerCase()) ?? -1;
  return index >= 0 ? index + min : wholeNumber(text);
}

function wholeNumber(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    const problem = `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
    throw new RangeError(`failed to parse int from ${text}: ${problem}`);
  }
  const value = Number(text);
  if (value < 0) throw new RangeError(`negative number (${value}) not allowed: ${text}`);
  return value;
}

function nextAfter(
  [minutes, hours, days, months, weekdays]: readonly Field[],
  afterMs: number,
  offset: Offset,
): number | undefined {
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  const local = afterMs + offset(afterMs);
  const firstDay = Math.floor(local / DAY_MS) * DAY_MS;
  for (let count = 0; count <= HORIZON_DAYS; count++) {
    const day = firstDay + count * DAY_MS;
    if (!isDueOn(new Date(day), days, months, weekdays)) continue;
    // Clocks are never put back by more than this: earlier local times are over.
    const from = Math.max(0, Math.floor((local - LONGEST_REPEAT_MS - day) / MINUTE_MS));
    for (let minute = from; minute < 1440; minute++) {
      if (!hours.values.has(Math.floor(minute / 60)) || !minutes.values.has(minute % 60)) continue;
      const moment = momentOf(day + minute * MINUTE_MS, offset);
      if (moment !== undefined && moment > afterMs) return moment;
    }
  }
  return undefined;
}

function isDueOn(day: Date, days: Field, months: Field, weekdays: Field): boolean {
  if (!months.values.has(day.getUTCMonth() + 1)) return false;
  const inMonth = days.values.has(day.getUTCDate());
  const inWeek = weekdays.values.has(day.getUTCDay());
  return days.isAny || weekdays.isAny ? inMonth && inWeek : inMonth || inWeek;
}

/** The moment at which clocks show `localMs`; `undefined` where they skip it. */
function momentOf(localMs: number, offset: Offset): number | undefined {
  const guess = localMs - offset(localMs);
  const moment = localMs - offset(guess);
  return moment + offset(moment) === localMs ? moment : undefined;
}

/** How many milliseconds clocks are ahead of UTC at a moment. */
type Offset = (ms: number) => number;

/** @throws RangeError on its first call, for an unknown zone */
function offsetIn(timeZone: string): Offset {
  if (timeZone === "UTC" || timeZone === "Etc/UTC") return () => 0;
  let format: Intl.DateTimeFormat | undefined;
  return (ms) => {
    // Creating a format costs far more than using it.
    format ??= new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    const parts = format.formatToParts(ms);
    const part = (type: Intl.DateTimeFormatPartTypes): number =>
      Number(parts.find((one) => one.type === type)?.value ?? 0);
    const shown = Date.UTC(
      part("year"),
      part("month") - 1,
      part("day"),
      part("hour"),
      part("minute"),
      part("second"),
    );
    return shown - Math.floor(ms / 1000) * 1000;
  };
}
