/** Times in objects. */

/** A moment in milliseconds as RFC 3339 in UTC, to the second. */
export function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The milliseconds of a time in an object; 0 when it has none. */
export function msOf(time: string | null | undefined): number {
  const ms = time ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? 0 : ms;
}
