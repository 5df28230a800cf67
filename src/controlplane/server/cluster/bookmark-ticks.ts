/** The timer of bookmarks, which all watches share: a thousand of them wait for one timer. */
import type { Clock, Timer } from "../../../clock.ts";

const INTERVAL_MS = 60_000;

/** Calls watches when a bookmark is due. */
export class BookmarkTicks {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Calls `listener` within a minute, and each minute from then on.
   *
   * @returns a function that ends it
   */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= this.#next();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#timer?.cancel();
      this.#timer = undefined;
    };
  }

  #next(): Timer {
    return this.#clock.after(
      INTERVAL_MS,
      () => {
        this.#timer = this.#next();
        // A watch may end with its bookmark.
        for (const listener of [...this.#listeners]) listener();
      },
      { unref: true },
    );
  }
}
