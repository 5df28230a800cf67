/**
 * Reads see what this process wrote, at once: its answer goes into the store before the watch brings it.
 *
 * Handlers must not notice. So while the store is ahead of the watch, this remembers what they were told last;
 * the event, when it comes, is told from there.
 *
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";

/** An object whose state in the store did not come from the watch. */
export interface Ahead<T extends KubeObject> {
  /** What handlers were told last; `undefined`: nothing, or its deletion. */
  readonly seen: T | undefined;
  /** The object that was deleted; events about it are from before that. */
  readonly deletedUid?: string;
}

/** The objects for which the store is ahead of the watch, by key. */
export class OwnWrites<T extends KubeObject> {
  readonly #ahead = new Map<string, Ahead<T>>();

  get isEmpty(): boolean {
    return this.#ahead.size === 0;
  }

  get(key: string): Ahead<T> | undefined {
    return this.#ahead.get(key);
  }

  /** The store got a state that is newer than `known`, which handlers know. */
  written(key: string, known: T | undefined): void {
    this.#ahead.set(key, { seen: this.#seen(key, known) });
  }

  /** The store lost `known`, which is gone. */
  deleted(key: string, known: T): void {
    const { uid } = known.metadata;
    const seen = this.#seen(key, known);
    this.#ahead.set(key, { seen, deletedUid: uid });
  }

  /** The watch has caught up. */
  settle(key: string): void {
    this.#ahead.delete(key);
  }

  /** The objects as handlers know them: `stored`, but for where it is ahead. */
  *asSeen(stored: Iterable<[string, T]>): Generator<T> {
    for (const [key, object] of stored) if (!this.#ahead.has(key)) yield object;
    for (const { seen } of this.#ahead.values()) if (seen) yield seen;
  }

  /** Ends the waiting for deletions that a list shows as done; what handlers are still to be told of. */
  settleDeletions(listed: ReadonlySet<string>): T[] {
    const gone: T[] = [];
    for (const [key, { seen, deletedUid }] of this.#ahead) {
      if (deletedUid === undefined || listed.has(key)) continue;
      this.#ahead.delete(key);
      if (seen) gone.push(seen);
    }
    return gone;
  }

  #seen(key: string, known: T | undefined): T | undefined {
    const ahead = this.#ahead.get(key);
    return ahead ? ahead.seen : known;
  }
}
