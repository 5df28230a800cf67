/** Random choices that a seed repeats. */

/** A stream of choices: the same seed makes the same ones. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    // Mulberry32.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of `items`, which may not be empty. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** Some of the items, in their order; each with the probability `share`. */
  some<T>(items: readonly T[], share = 0.5): T[] {
    return items.filter(() => this.chance(share));
  }

  shuffled<T>(items: readonly T[]): T[] {
    const rest = [...items];
    const result: T[] = [];
    while (rest.length > 0) result.push(...rest.splice(this.below(rest.length), 1));
    return result;
  }
}
