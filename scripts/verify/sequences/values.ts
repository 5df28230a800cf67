/** Makers of values: fields that are there or not, lists with keys, sets and maps. */
import type { Random } from "../../../test/support/random.ts";
import type { Json } from "./scenario.ts";

/** Makes a value. */
export type Value = (random: Random) => unknown;

/** A short text. */
export const text: Value = (random) => random.pick(["a", "b", "c", ""]);
/** A small number. */
export const number: Value = (random) => random.below(3);
/** An object with some of the fields, and those that are always there. */
export const struct =
  (
    fields: Readonly<Record<string, Value>>,
    always: readonly string[] = [],
    share = 0.45,
  ): ((random: Random) => Json) =>
  (random) =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([name]) => always.includes(name) || random.chance(share))
        .map(([name, value]) => [name, value(random)]),
    );
/** Items with distinct keys: duplicates now and then. */
export const listMap =
  (keys: readonly Json[], fields: Readonly<Record<string, Value>>): Value =>
  (random) => {
    const some = random.shuffled(random.some(keys, 0.45));
    if (some.length > 0 && random.chance(0.03)) some.push(some[0] ?? {});
    return some.map((key) => ({ ...key, ...struct(fields)(random) }));
  };
/** Some of the items; one twice now and then. */
export const setOf =
  (items: readonly unknown[]): Value =>
  (random) => {
    const some = random.shuffled(random.some(items));
    if (some.length > 0 && random.chance(0.03)) some.push(some[0]);
    return some;
  };
/** A map with some of a few keys. */
export const mapOf =
  (value: Value): Value =>
  (random) =>
    Object.fromEntries(
      random.some(["x", "y", "z.example.com/k"]).map((key) => [key, value(random)]),
    );
/** The value, or null now and then. */
export const rarelyNull =
  (value: Value): Value =>
  (random) =>
    random.chance(0.04) ? null : value(random);
