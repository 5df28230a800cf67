/** How long the API server waits for an answer. */
import { manyListeners, type Clock } from "../../../clock.ts";
import { ReviewFailure } from "./replies.ts";
import { tableOf } from "../../../table.ts";

const UNITS_MS = tableOf<number>({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 });
const MARGIN_SHARE = 0.05;
const MIN_MARGIN_MS = 100;
// The API server waits for 30 seconds at most.
const MAX_MS = 60_000;

/**
 * How long an answer may take, by the query that the API server sends: `?timeout=10s`. It is a little less than that,
 * because an answer that says what took so long is worth more than none.
 */
export function patienceOf(query: string, defaultMs: number): number {
  const [, amount, unit] = /(?:^|&)timeout=(\d+(?:\.\d+)?)(ms|s|m|h)(?:&|$)/.exec(query) ?? [];
  const askedMs = Number(amount) * (UNITS_MS.get(unit ?? "") ?? Number.NaN);
  const timeoutMs = Number.isFinite(askedMs) ? Math.min(askedMs, MAX_MS) : defaultMs;
  const marginMs = Math.max(MIN_MARGIN_MS, timeoutMs * MARGIN_SHARE);
  return Math.max(timeoutMs - marginMs, timeoutMs / 2);
}

/** The time limit of an answer. The signal is made on first use: most handlers need none. */
export class Patience {
  readonly #clock: Clock;
  readonly #endsAtMs: number;
  readonly #durationMs: number;
  #controller: AbortController | undefined;
  #reason: Error | undefined;
  #fail: ((reason: Error) => void) | undefined;

  /** @param durationMs - how long there is, from now on */
  constructor(clock: Clock, durationMs: number) {
    this.#clock = clock;
    this.#durationMs = durationMs;
    this.#endsAtMs = clock.monotonicMs() + durationMs;
  }

  /** Aborted when nobody waits any more. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = manyListeners(new AbortController());
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /**
   * The result of the work, if it ends in time. @throws ReviewFailure 504; the reason given to
   * `end`
   */
  async of<T>(work: Promise<T>, name: string): Promise<T> {
    const leftMs = Math.max(0, this.#endsAtMs - this.#clock.monotonicMs());
    const timer = this.#clock.after(
      leftMs,
      () => {
        const seconds = Number((this.#durationMs / 1000).toFixed(2));
        this.end(new ReviewFailure(504, `${name} did not answer within ${seconds} s`));
      },
      { unref: true },
    );
    try {
      return await Promise.race([
        work,
        new Promise<never>((_, reject) => {
          if (this.#reason) reject(this.#reason);
          else this.#fail = reject;
        }),
      ]);
    } finally {
      timer.cancel();
    }
  }

  /** Nobody waits any more. */
  end(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
    this.#fail?.(this.#reason);
  }
}
