/**
 * A map that forgets what was used least recently.
 *
 * @module
 */

/** At most `limit` entries; both reading and writing count as use. */
export class LruMap<V> {
  readonly #limit: number;
  // A Map keeps insertion order: what is used is put in again, so the first entry is the oldest.
  readonly #entries = new Map<string, V>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
