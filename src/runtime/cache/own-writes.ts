/**
 * Makes writes of this process visible to its reads at once: the answer goes into the store before
 * the watch brings it.
 *
 * Handlers must not notice. So while the store is ahead of the watch, this remembers the state that
 * they got last; the event, when it arrives, is a change from that state.
 */
import type { KubeObject } from "../../kube/object.ts";

/** An object whose state in the store did not come from the watch. */
export interface Ahead<T extends KubeObject> {
  /** The state that handlers got last; `undefined` when they got none, or its deletion. */
  readonly seen: T | undefined;
  /** The uid of the deleted object; events about it are from before the deletion. */
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

  /** Notes that the store got a state that is newer than `known`, which handlers have. */
  written(key: string, known: T | undefined): void {
    this.#ahead.set(key, { seen: this.#seen(key, known) });
  }

  /** Notes that `known` was deleted from the store. */
  deleted(key: string, known: T): void {
    const { uid } = known.metadata;
    const seen = this.#seen(key, known);
    this.#ahead.set(key, { seen, deletedUid: uid });
  }

  /** Notes that the watch has caught up with the object. */
  settle(key: string): void {
    this.#ahead.delete(key);
  }

  /** The objects as handlers know them: `stored`, except for those where it is ahead. */
  *asSeen(stored: Iterable<[string, T]>): Generator<T> {
    for (const [key, object] of stored) if (!this.#ahead.has(key)) yield object;
    for (const { seen } of this.#ahead.values()) if (seen) yield seen;
  }

  /**
   * Settles the deletions that a list confirms; returns the objects that handlers must still get as
   * deleted.
   */
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
