/**
 * Keys waiting to be reconciled: never twice in line, never with two workers at once; later, and with
 * a limited rate, on demand. The behaviour is that of client-go's rate-limiting queue.
 *
 * @see https://pkg.go.dev/k8s.io/client-go/util/workqueue
 * @module
 */
import { abortReason, type Clock, type Timer } from "../../clock.ts";
import { DelayHeap } from "./delay-heap.ts";
import { ItemExponentialFailureRateLimiter, type RateLimiter } from "./rate-limiters.ts";

/** Told of what a queue does; the metrics listen. */
export interface QueueObserver {
  /** A key goes in line, or is marked to go there once its worker is done. */
  added(key: string): void;
  /** A worker takes the key. */
  taken(key: string): void;
  /** Its worker is done. */
  done(key: string): void;
  /** A key is to come again later. */
  delayed(key: string): void;
}

/** What the controller needs of a queue; another order than first-come can stand behind it. */
export interface RateLimitingQueue {
  /** Keys in line. */
  readonly length: number;
  readonly shuttingDown: boolean;
  /** Puts `key` in line. A key that is in hand goes in line once its worker is done. */
  add(key: string): void;
  /** Puts `key` in line after `delayMs`; of two times for one key the earlier holds. */
  addAfter(key: string, delayMs: number): void;
  /** Puts `key` in line when its limiter says so. */
  addRateLimited(key: string): void;
  /** Ends the limiter's count of `key`. */
  forget(key: string): void;
  /** How often the limiter has counted `key`. */
  retries(key: string): number;
  /** The next key; waits for one. `undefined` when the queue is shut down and empty. */
  get(signal?: AbortSignal): Promise<string | undefined>;
  /** Ends the work on `key`. Every `get` is followed by exactly one `done`. */
  done(key: string): void;
  /** Takes in nothing more, drops what waits for its time; what is in line is still handed out. */
  shutDown(): void;
}

interface Waiter {
  readonly resolve: (key: string | undefined) => void;
}

/** First come, first served. */
export class WorkQueue implements RateLimitingQueue {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter;
  readonly #observer: QueueObserver | undefined;
  // A Set keeps insertion order, so it is both the line and the check for duplicates.
  readonly #line = new Set<string>();
  readonly #inHand = new Set<string>();
  readonly #addedMeanwhile = new Set<string>();
  readonly #waiters: Waiter[] = [];
  readonly #delayed = new DelayHeap();
  #timer: Timer | undefined;
  #shuttingDown = false;

  constructor(
    clock: Clock,
    limiter: RateLimiter = new ItemExponentialFailureRateLimiter(),
    observer?: QueueObserver,
  ) {
    this.#clock = clock;
    this.#limiter = limiter;
    this.#observer = observer;
  }

  get length(): number {
    return this.#line.size;
  }

  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  add(key: string): void {
    if (this.#shuttingDown || this.#line.has(key) || this.#addedMeanwhile.has(key)) return;
    this.#observer?.added(key);
    if (this.#inHand.has(key)) this.#addedMeanwhile.add(key);
    else this.#enqueue(key);
  }

  addAfter(key: string, delayMs: number): void {
    if (this.#shuttingDown) return;
    this.#observer?.delayed(key);
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    this.#delayed.push(key, this.#clock.monotonicMs() + delayMs);
    this.#schedule();
  }

  addRateLimited(key: string): void {
    this.addAfter(key, this.#limiter.when(key));
  }

  forget(key: string): void {
    this.#limiter.forget(key);
  }

  retries(key: string): number {
    return this.#limiter.retries(key);
  }

  /** The next key, if one is in line: `get` without waiting. */
  take(): string | undefined {
    const [key] = this.#line;
    if (key === undefined) return undefined;
    this.#line.delete(key);
    this.#inHand.add(key);
    this.#observer?.taken(key);
    return key;
  }

  get(signal?: AbortSignal): Promise<string | undefined> {
    const key = this.take();
    if (key !== undefined || this.#shuttingDown) return Promise.resolve(key);
    return new Promise((resolve, reject) => {
      const aborted = (): void => {
        const index = this.#waiters.indexOf(waiter);
        if (index >= 0) this.#waiters.splice(index, 1);
        reject(abortReason(signal));
      };
      const waiter = {
        resolve: (next: string | undefined) => {
          signal?.removeEventListener("abort", aborted);
          resolve(next);
        },
      };
      if (signal?.aborted) {
        aborted();
        return;
      }
      signal?.addEventListener("abort", aborted, { once: true });
      this.#waiters.push(waiter);
    });
  }

  done(key: string): void {
    this.#inHand.delete(key);
    this.#observer?.done(key);
    if (this.#addedMeanwhile.delete(key)) this.#enqueue(key);
  }

  shutDown(): void {
    this.#shuttingDown = true;
    this.#delayed.clear();
    this.#timer?.cancel();
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(undefined);
  }

  #enqueue(key: string): void {
    this.#line.add(key);
    const waiter = this.#waiters.shift();
    if (waiter) waiter.resolve(this.take());
  }

  /** One timer for the earliest key. */
  #schedule(): void {
    this.#timer?.cancel();
    const nextAtMs = this.#delayed.nextAtMs;
    if (nextAtMs === undefined) return;
    this.#timer = this.#clock.after(nextAtMs - this.#clock.monotonicMs(), () => {
      const nowMs = this.#clock.monotonicMs();
      for (let key = this.#delayed.popReady(nowMs); key !== undefined;) {
        this.add(key);
        key = this.#delayed.popReady(nowMs);
      }
      this.#schedule();
    });
  }
}
