/** Limits the lines of one kind: a few a minute, however often something happens. */
import type { Clock } from "../clock.ts";

const LINES = 5;
const WINDOW_MS = 60_000;

export class ReportLimit {
  readonly #clock: Clock;
  readonly #most: number;
  #sinceMs = -Infinity;
  #lines = 0;
  #omitted = 0;

  /** @param most - how many lines there are in a minute */
  constructor(clock: Clock, most = LINES) {
    this.#clock = clock;
    this.#most = most;
  }

  /**
   * Whether a line may be written now: the number of lines of its kind that were left out before it,
   * or `undefined` for one that is left out itself.
   */
  admit(): number | undefined {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#sinceMs >= WINDOW_MS) {
      this.#sinceMs = nowMs;
      this.#lines = 0;
    }
    if (this.#lines >= this.#most) {
      this.#omitted++;
      return undefined;
    }
    this.#lines++;
    const omitted = this.#omitted;
    this.#omitted = 0;
    return omitted;
  }
}

/** The words for the lines that were left out before this one. */
export function omittedText(omitted: number): string {
  return omitted === 0 ? "" : ` (${omitted} more lines of this kind were left out before)`;
}
