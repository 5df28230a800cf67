/** The clock of one of several processes that share a world. */
import type { Clock, Timer } from "../../../src/clock.ts";

/** A process that can be stopped as SIGSTOP does: its timers wait, while the time goes on. */
export class StoppableClock implements Clock {
  readonly #clock: Clock;
  #waiting: (() => void)[] | undefined;
  #lostMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  stop(): void {
    this.#waiting ??= [];
  }

  resume(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const run of waiting) run();
  }

  /** The wall clock is set to another time. */
  jump(ms: number): void {
    this.#lostMs += ms;
  }

  now(): number {
    return this.#clock.now() + this.#lostMs;
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  after(delayMs: number, run: () => void): Timer {
    return this.#clock.after(delayMs, () => {
      if (this.#waiting) this.#waiting.push(run);
      else run();
    });
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const aborted = (): void => {
        timer.cancel();
        reject(signal?.reason as Error);
      };
      const timer = this.after(delayMs, () => {
        signal?.removeEventListener("abort", aborted);
        resolve();
      });
      if (signal?.aborted) aborted();
      else signal?.addEventListener("abort", aborted, { once: true });
    });
  }

  random(): number {
    return this.#clock.random();
  }
}
