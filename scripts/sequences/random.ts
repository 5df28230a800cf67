/**
 * Seeded choices for generated scenarios: the same seed gives the same scenarios for ever.
 *
 * @module
 */

/** A stream of choices. */
export interface Random {
  /** A whole number from 0, below `limit`. */
  below(limit: number): number;
  /** True in `share` (0 to 1) of the cases. */
  chance(share: number): boolean;
  one<T>(items: readonly T[]): T;
  /** Some of the items, in their order; each with the probability `share`. */
  some<T>(items: readonly T[], share?: number): T[];
  shuffled<T>(items: readonly T[]): T[];
}

/** Mulberry32: small, and good enough to spread test cases. */
export function randomOf(seed: number): Random {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const random: Random = {
    below,
    chance: (share) => next() < share,
    one: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError("nothing to choose from");
      return item;
    },
    some: (items, share = 0.5) => items.filter(() => next() < share),
    shuffled: (items) => {
      const rest = [...items];
      const result: (typeof items)[number][] = [];
      while (rest.length > 0) result.push(...rest.splice(below(rest.length), 1));
      return result;
    },
  };
  return random;
}
