/** Remembers messages, in bounded memory, so that each is told once. */
import { hash } from "node:crypto";
import { LruMap } from "./lru.ts";

const REMEMBERED = 1000;

/**
 * Remembers the last thousand messages; a forgotten one is told again. Strangers choose some messages, and how long they
 * are, so it keeps digests of them only.
 */
export class ToldBefore {
  readonly #told = new LruMap<true>(REMEMBERED);

  /** Whether this is the first time. */
  isFirst(what: string): boolean {
    const digest = hash("sha256", what, "base64");
    if (this.#told.get(digest)) return false;
    this.#told.set(digest, true);
    return true;
  }
}
