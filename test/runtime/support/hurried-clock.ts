/** A clock by which back-offs are over sooner, for what runs against a server that lives in real time. */
import { systemClock, type Clock, type Timer } from "../../../src/clock.ts";

/** Time runs this many times as fast. */
const HURRY = 10;

/** The system's clock, hurried: all its times fit together. */
export class HurriedClock implements Clock {
  readonly #began = systemClock.now();

  now(): number {
    return this.#began + (systemClock.now() - this.#began) * HURRY;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() * HURRY;
  }

  after(delayMs: number, run: () => void, options?: Parameters<Clock["after"]>[2]): Timer {
    return systemClock.after(delayMs / HURRY, run, options);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(delayMs / HURRY, signal);
  }

  random(): number {
    return systemClock.random();
  }
}
