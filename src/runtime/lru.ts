/** A map that forgets its least recently used entries. */

/**
 * Keeps the `limit` entries that were used last, and some more: at most twice as many. Both reading
 * and writing count as use. It has two generations, so that a use costs one look-up: moving each
 * used entry to the end of a `Map` makes V8 rebuild the map all the time.
 */
export class LruMap<V> {
  readonly #limit: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): V | undefined {
    const known = this.#young.get(key);
    if (known !== undefined || this.#old.size === 0) return known;
    const value = this.#old.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#limit) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
