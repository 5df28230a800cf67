/** The bodies of writes that are kept, of all objects together: few, whatever is written. */

const MOST_CHARACTERS = 256 * 1024;
// An object takes about twice the memory of its text.
const MOST_CHARACTERS_OF_ALL = 4 * 1024 * 1024;

/** A write whose body may be kept. */
interface KeepingWrite {
  readonly atMs: number;
  body?: unknown;
}

export class KeptBodies {
  readonly #windowMs: number;
  // The oldest first, with the length of the text.
  readonly #kept = new Map<KeepingWrite, number>();
  #characters = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /**
   * Keeps the body of the latest write, at the cost of the oldest ones; not one that is too large.
   *
   * @param characters - the length of its text
   */
  keep(write: KeepingWrite, body: unknown, characters: number): void {
    if (characters <= MOST_CHARACTERS) {
      write.body = body;
      this.#kept.set(write, characters);
      this.#characters += characters;
    }
    for (const oldest of this.#kept.keys()) {
      const isOver = oldest.atMs < write.atMs - this.#windowMs;
      if (!isOver && this.#characters <= MOST_CHARACTERS_OF_ALL) break;
      this.drop(oldest);
    }
  }

  /** Forgets the body of a write. */
  drop(write: KeepingWrite): void {
    this.#characters -= this.#kept.get(write) ?? 0;
    this.#kept.delete(write);
    delete write.body;
  }
}
