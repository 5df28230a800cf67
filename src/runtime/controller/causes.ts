/**
 * Why each key is in line, so that a reconcile can say why it runs.
 *
 * @module
 */

// Of a thousand events of one key in a burst the first few tell enough.
const MOST = 8;

/** The causes of keys that wait. */
export class Causes {
  readonly #causes = new Map<string, string[]>();

  /** Adds a cause; one that is known, or one too many, is left out. */
  add(key: string, cause: string): void {
    const known = this.#causes.get(key);
    if (!known) this.#causes.set(key, [cause]);
    else if (known.length < MOST && !known.includes(cause)) known.push(cause);
  }

  /** The causes since the last time, and begins anew. */
  take(key: string): string[] {
    const causes = this.#causes.get(key) ?? [];
    this.#causes.delete(key);
    return causes;
  }
}
