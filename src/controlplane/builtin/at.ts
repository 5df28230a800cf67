/**
 * Reads a field of an object whose shape nobody checked.
 *
 * @module
 */

/** What stands under `path`; `undefined` as soon as a step is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Record<string, unknown>)[step];
  }
  return current;
}
