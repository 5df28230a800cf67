/** The properties of `T` that may be `undefined` become optional. */
type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/**
 * The properties that are not `undefined`: what an object literal spreads so that a field is either there with a value,
 * or not there at all.
 *
 * @example
 * present({ name: "web", image: undefined }) // { name: "web" }
 */
export function present<T extends object>(properties: T): Present<T> {
  const found: Present<T> = {};
  for (const name in properties) {
    const value = properties[name];
    if (value !== undefined) found[name] = value as Present<T>[typeof name];
  }
  return found;
}
