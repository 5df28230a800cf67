/** The properties of `T` that may be `undefined` become optional. */
type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/**
 * The properties that are not `undefined`: spread into an object literal, a field either has a
 * value or is absent.
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
