/** The causes of each enqueued key, so that a reconcile can say why it runs. */
import type { ObjectEvent } from "./sources/predicates.ts";
import type { Cause } from "./reconcile-observer.ts";
import type { CauseType } from "./sources/handlers.ts";

// The first few of a thousand events of one key in a burst are enough.
const MOST = 8;

/** The causes of one dequeued key. */
interface TakenCauses {
  readonly texts: string[];
  readonly origins: readonly Cause[];
}

interface LaterCause {
  /** On the monotonic clock. */
  readonly dueMs: number;
  readonly text: string;
  readonly type: CauseType;
}

export class Causes {
  readonly #causes = new Map<string, string[]>();
  /** The causes of keys that wait for a time; a reconcile before that time has another cause. */
  readonly #later = new Map<string, LaterCause>();
  /**
   * The events behind the causes; only for an observer that wants them, because events keep objects
   * in memory.
   */
  readonly #origins: Map<string, Cause[]> | undefined;

  constructor(keepsOrigins: boolean) {
    this.#origins = keepsOrigins ? new Map<string, Cause[]>() : undefined;
  }

  /** Adds a cause; a known one, or one above the limit, is left out. */
  add(key: string, text: string, type: CauseType, event?: ObjectEvent): void {
    if (this.#origins) this.#addOrigin(this.#origins, key, { type, text, event });
    const known = this.#causes.get(key);
    if (!known) this.#causes.set(key, [text]);
    else if (known.length < MOST && !known.includes(text)) known.push(text);
  }

  /** Adds a cause that counts from a time on; of two for one key the earlier holds, as in the queue. */
  addLater(key: string, later: LaterCause): void {
    const known = this.#later.get(key);
    if (!known || later.dueMs < known.dueMs) this.#later.set(key, later);
  }

  /** Takes the causes since the last time. */
  take(key: string, nowMs: number): TakenCauses {
    const later = this.#later.get(key);
    if (later && later.dueMs <= nowMs) {
      this.#later.delete(key);
      this.add(key, later.text, later.type);
    }
    const texts = this.#causes.get(key) ?? [];
    this.#causes.delete(key);
    const origins = this.#origins?.get(key) ?? [];
    this.#origins?.delete(key);
    return { texts, origins };
  }

  /** Of several updates of one object both ends are kept: what changed from the first to the last. */
  #addOrigin(origins: Map<string, Cause[]>, key: string, cause: Cause): void {
    const known = origins.get(key);
    if (!known) {
      origins.set(key, [cause]);
      return;
    }
    const same = known.findIndex(({ text }) => text === cause.text);
    const before = known[same];
    if (!before) {
      if (known.length < MOST) known.push(cause);
      return;
    }
    const isChain = before.event?.type === "update" && cause.event?.type === "update";
    known[same] = isChain ? { ...cause, event: { ...cause.event, old: before.event.old } } : cause;
  }
}
