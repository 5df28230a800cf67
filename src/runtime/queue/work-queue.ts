/**
 * Keys that wait to be reconciled: never twice in line, never with two workers at once; also after
 * a delay, or with a limited rate. The behaviour is that of client-go's rate-limiting queue.
 *
 * @see https://pkg.go.dev/k8s.io/client-go/util/workqueue
 */
import { abortReason, type Clock, type Timer } from "../../clock.ts";
import { DelayHeap } from "./delay-heap.ts";
import { FifoLine, OUT, PriorityLine, type Line, type Waiting } from "./line.ts";
import { ItemExponentialFailureRateLimiter, type RateLimiter } from "./rate-limiters.ts";

/** Observes a queue; the metrics do so. */
export interface QueueObserver {
  /** Called when a key goes in line, or is marked to go in line once its worker is done. */
  added(key: string): void;
  /**
   * Called when a worker takes the key.
   *
   * @param addedAtMs - when it was added, on the monotonic clock
   */
  taken(key: string, addedAtMs: number): void;
  /** Called when the worker of the key is done. */
  done(key: string): void;
  /** Called when a key is delayed. */
  delayed(key: string): void;
}

/** The queue of a controller; its order may differ from first-come. */
export interface RateLimitingQueue {
  /** The number of keys in line. */
  readonly length: number;
  readonly shuttingDown: boolean;
  /**
   * Puts `key` in line. A key that is in hand goes in line once its worker is done.
   *
   * @param priority - 0 when absent; of two for one key the higher counts
   */
  add(key: string, priority?: number): void;
  /** Puts `key` in line after `delayMs`; of two times for one key the earlier counts. */
  addAfter(key: string, delayMs: number, priority?: number): void;
  /** Puts `key` in line after the wait of its limiter, and returns that wait in milliseconds. */
  addRateLimited(key: string, priority?: number): number;
  /** Resets the limiter's count of `key`. */
  forget(key: string): void;
  /** The limiter's count of `key`. */
  retries(key: string): number;
  /** The priority that a key in hand had in line. */
  priority(key: string): number;
  /** The delayed keys, and their times on the monotonic clock; for `manager.idle()`. */
  delayed?(): readonly { readonly key: string; readonly readyAtMs: number }[];
  /** The next key, if one is in line: `get` without waiting. Optional. */
  take?(): string | undefined;
  /** Waits for the next key, and returns it; `undefined` when the queue is shut down and empty. */
  get(signal?: AbortSignal): Promise<string | undefined>;
  /** Ends the work on `key`. Every `get` is followed by exactly one `done`. */
  done(key: string): void;
  /** Accepts no more keys and drops delayed ones; keys in line are still handed out. */
  shutDown(): void;
}

interface Waiter {
  readonly resolve: (key: string | undefined) => void;
}

/** A key in line, in hand or delayed. */
interface Item extends Waiting {
  inHand: boolean;
  /** Whether it was handed to a worker that has not woken up yet: the work on it has not begun. */
  isOnItsWay: boolean;
  /** The priority with which it goes in line once its worker is done; `undefined`: it does not. */
  again: number | undefined;
  addedAtMs: number;
}

/**
 * Keys that wait for their turn, or for their time; in the order of a `Line`, first come first
 * served when absent.
 *
 * @example
 * const queue = new WorkQueue(manager.clock);
 * queue.add("default/one");
 */
export class WorkQueue implements RateLimitingQueue {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter;
  readonly #observer: QueueObserver | undefined;
  readonly #line: Line;
  readonly #items = new Map<string, Item>();
  readonly #delayedPriorities = new Map<string, number>();
  readonly #waiters: Waiter[] = [];
  readonly #delayed = new DelayHeap();
  #timer: Timer | undefined;
  #timerAtMs: number | undefined;
  #shuttingDown = false;

  constructor(
    clock: Clock,
    limiter: RateLimiter = new ItemExponentialFailureRateLimiter(),
    observer?: QueueObserver,
    line: Line = new FifoLine(),
  ) {
    this.#clock = clock;
    this.#limiter = limiter;
    this.#observer = observer;
    this.#line = line;
  }

  get length(): number {
    return this.#line.size;
  }

  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  add(key: string, priority = 0): void {
    if (this.#shuttingDown) return;
    const known = this.#items.get(key);
    if (!known) {
      const addedAtMs = this.#added(key);
      const states = { inHand: false, isOnItsWay: false, again: undefined };
      const item: Item = { key, priority, turn: OUT, ...states, addedAtMs };
      this.#items.set(key, item);
      this.#enqueue(item);
    } else if (known.turn !== OUT) this.#line.raise(known, priority);
    else if (known.isOnItsWay) known.priority = Math.max(priority, known.priority);
    else if (known.again !== undefined) known.again = Math.max(priority, known.again);
    else {
      known.again = priority;
      known.addedAtMs = this.#added(key);
    }
  }

  addAfter(key: string, delayMs: number, priority = 0): void {
    if (this.#shuttingDown) return;
    this.#observer?.delayed(key);
    if (delayMs <= 0) {
      this.add(key, priority);
      return;
    }
    this.#delayed.push(key, this.#clock.monotonicMs() + delayMs);
    const known = this.#delayedPriorities.get(key) ?? priority;
    this.#delayedPriorities.set(key, Math.max(priority, known));
    this.#schedule();
  }

  addRateLimited(key: string, priority = 0): number {
    const waitMs = this.#limiter.when(key);
    this.addAfter(key, waitMs, priority);
    return waitMs;
  }

  forget(key: string): void {
    this.#limiter.forget(key);
  }

  retries(key: string): number {
    return this.#limiter.retries(key);
  }

  priority(key: string): number {
    return this.#items.get(key)?.priority ?? 0;
  }

  delayed(): readonly { readonly key: string; readonly readyAtMs: number }[] {
    return this.#delayed.entries();
  }

  take(): string | undefined {
    return this.#takeItem()?.key;
  }

  #takeItem(): Item | undefined {
    // All items of this line belong to this queue.
    const next = this.#line.take() as Item | undefined;
    if (!next) return undefined;
    next.inHand = true;
    this.#observer?.taken(next.key, next.addedAtMs);
    return next;
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
    this.#observer?.done(key);
    const item = this.#items.get(key);
    if (!item?.inHand) return;
    item.inHand = false;
    if (item.again === undefined) {
      this.#items.delete(key);
      return;
    }
    item.priority = item.again;
    item.again = undefined;
    this.#enqueue(item);
  }

  shutDown(): void {
    this.#shuttingDown = true;
    this.#delayed.clear();
    this.#delayedPriorities.clear();
    this.#timer?.cancel();
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(undefined);
  }

  #added(key: string): number {
    if (!this.#observer) return 0;
    this.#observer.added(key);
    return this.#clock.monotonicMs();
  }

  #enqueue(item: Item): void {
    this.#line.add(item);
    const waiter = this.#waiters.shift();
    const next = waiter && this.#takeItem();
    if (!next) return;
    // An event may concern a key twice: added again before the worker begins, it is one work. The
    // microtask of the worker that wakes up comes right after this one.
    next.isOnItsWay = true;
    queueMicrotask(() => {
      next.isOnItsWay = false;
    });
    waiter.resolve(next.key);
  }

  /** One timer for the earliest key. */
  #schedule(): void {
    const nextAtMs = this.#delayed.nextAtMs;
    if (nextAtMs !== undefined && nextAtMs === this.#timerAtMs) return;
    this.#timer?.cancel();
    this.#timerAtMs = nextAtMs;
    if (nextAtMs === undefined) return;
    this.#timer = this.#clock.after(nextAtMs - this.#clock.monotonicMs(), () => {
      this.#timerAtMs = undefined;
      const nowMs = this.#clock.monotonicMs();
      for (let key = this.#delayed.popReady(nowMs); key !== undefined;) {
        const priority = this.#delayedPriorities.get(key);
        this.#delayedPriorities.delete(key);
        this.add(key, priority);
        key = this.#delayed.popReady(nowMs);
      }
      this.#schedule();
    });
  }
}

/**
 * The queue of controllers: objects that changed come before objects that merely exist, and no key
 * waits for ever.
 *
 * @example
 * const queue = new PriorityQueue(manager.clock);
 */
export class PriorityQueue extends WorkQueue {
  constructor(clock: Clock, limiter?: RateLimiter, observer?: QueueObserver) {
    super(clock, limiter, observer, new PriorityLine());
  }
}
