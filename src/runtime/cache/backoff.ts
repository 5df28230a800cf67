/**
 * The waits of a reflector between failures: client-go's backoff, from 0.8 s doubled up to 30 s,
 * each wait lengthened by a random part of itself, so that many clients do not come back together.
 */
import type { Clock } from "../../clock.ts";

const BASE_MS = 800;
const MAX_MS = 30_000;
const RESET_AFTER_MS = 120_000;

export class Backoff {
  readonly #clock: Clock;
  #stepMs = BASE_MS;
  #lastFailureMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The next wait in milliseconds; the first step again after two minutes without one. */
  nextMs(): number {
    const nowMs = this.#clock.monotonicMs();
    if (this.#lastFailureMs !== undefined && nowMs - this.#lastFailureMs >= RESET_AFTER_MS) {
      this.#stepMs = BASE_MS;
    }
    const delayMs = this.#stepMs * (1 + this.#clock.random());
    // Counted from the end of the wait, or the long waits themselves would reset the backoff.
    this.#lastFailureMs = nowMs + delayMs;
    this.#stepMs = Math.min(this.#stepMs * 2, MAX_MS);
    return delayMs;
  }
}
