/** Remembers messages, in bounded memory, so that each is told once. */
import { LruMap } from "./lru.ts";

const REMEMBERED = 1000;

/** Remembers the last thousand messages; a forgotten one is told again. */
export class ToldBefore {
  readonly #told = new LruMap<true>(REMEMBERED);

  /** Whether this is the first time. */
  isFirst(what: string): boolean {
    if (this.#told.get(what)) return false;
    this.#told.set(what, true);
    return true;
  }
}
