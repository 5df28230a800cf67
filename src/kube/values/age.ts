/** Durations and ages in the form of table cells. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * A duration with two or three significant figures: `119s`, `2m5s`, `3h`, `5d1h`, `2y3d`.
 *
 * Clocks may differ a little: down to -1 s it is `0s`, below it is `<invalid>`.
 *
 * @see https://pkg.go.dev/k8s.io/apimachinery/pkg/util/duration#HumanDuration
 */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / SECOND);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(durationMs / MINUTE);
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(durationMs / HOUR);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 24 * 8) return two(days, "d", hours % 24, "h");
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return hours < 24 * 365 * 8 ? two(years, "y", days % 365, "d") : `${years}y`;
}

/** Joins two units, without the second when it is zero. */
function two(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`;
}

/** The age of an RFC 3339 time; `<unknown>` when there is none. */
export function ageOf(time: unknown, nowMs: number): string {
  const then = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(then) ? "<unknown>" : humanDuration(nowMs - then);
}
