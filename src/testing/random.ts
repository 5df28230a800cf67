/** Random choices that a seed determines. */
import { VirtualClock } from "../clock.ts";

export class Random {
  readonly #clock: VirtualClock;

  constructor(seed: number) {
    this.#clock = new VirtualClock({ seed });
  }

  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.#clock.random() * (max - min + 1));
  }

  /** `true` with that probability. */
  chance(share: number): boolean {
    return this.#clock.random() < share;
  }

  pick<T>(values: readonly [T, ...T[]]): T;
  pick<T>(values: readonly T[]): T | undefined;
  pick<T>(values: readonly T[]): T | undefined {
    return values[this.between(0, values.length - 1)];
  }
}
