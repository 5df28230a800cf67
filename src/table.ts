/**
 * A table by names that come from outside. An object would answer for `constructor` and `toString`, too: it inherits them.
 */
export function tableOf<T>(entries: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(entries));
}
