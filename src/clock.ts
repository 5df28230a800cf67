/**
 * The only access to time and randomness. Every part that waits, dates or draws takes a `Clock`.
 * Production uses the system's clock; a `VirtualClock` runs hours in milliseconds, and the same
 * seed repeats the same run.
 */

import { setMaxListeners } from "node:events";

/** A pending call of a clock; `cancel` is a no-op once it ran. */
export interface Timer {
  /** Cancels the call. */
  cancel(): void;
}

/** Time and randomness as a port. */
export interface Clock {
  /** Wall time, in milliseconds since the epoch. */
  now(): number;
  /** Time that never goes back, in milliseconds from an arbitrary start; the same in all threads of a process. */
  monotonicMs(): number;
  /** Calls `run` once, after `delayMs` (at least 0). A system timer does not keep the process alive when `unref` is set. */
  after(delayMs: number, run: () => void, options?: { readonly unref?: boolean }): Timer;
  /** Resolves after `delayMs`; rejects with the signal's reason when it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
  /**
   * Random bytes that the seed determines, for keys and serial numbers. Absent on a clock without a
   * seed: callers then use the machine's random bytes, which nobody can guess.
   */
  seededBytes?(size: number): Uint8Array;
}

/** Rejecting, cancellable sleep on any clock that has timers. */
function sleepOn(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      timer.cancel();
      reject(abortReason(signal));
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    });
    if (signal?.aborted) aborted();
    else signal?.addEventListener("abort", aborted, { once: true });
  });
}

/** The reason of an aborted signal, as an error. */
export function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error("aborted", { cause: reason });
}

/** The machine's clock and random numbers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // `performance.now` starts at zero in each thread, and its first use loads a good part of Node.
  monotonicMs() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  after(delayMs, run, options) {
    // A delay over 2^31-1 ms would fire at once in Node.
    const handle = setTimeout(run, Math.min(Math.max(delayMs, 0), 2 ** 31 - 1));
    if (options?.unref) handle.unref();
    return {
      cancel: () => {
        clearTimeout(handle);
      },
    };
  },
  sleep(delayMs, signal) {
    return sleepOn(systemClock, delayMs, signal);
  },
  random: () => Math.random(),
};

/**
 * A controller whose signal many wait for at the same time: each request of a reconcile, and each
 * reconcile of a controller. Node 20 takes more than ten for a leak.
 */
export function manyListeners(controller: AbortController): AbortController {
  setMaxListeners(0, controller.signal);
  return controller;
}

/**
 * A signal that aborts `delayMs` from now with a `TimeoutError`, unless `parent` does so before.
 * Call `clear` when the work is done, or the timer stays.
 */
export function timeoutSignal(
  clock: Clock,
  delayMs: number,
  parent?: AbortSignal,
): { readonly signal: AbortSignal; clear(): void } {
  const controller = manyListeners(new AbortController());
  const follow = (): void => {
    controller.abort(parent?.reason);
  };
  const timer = clock.after(
    delayMs,
    () => {
      controller.abort(new DOMException(`no answer within ${delayMs} ms`, "TimeoutError"));
    },
    { unref: true },
  );
  if (parent?.aborted) follow();
  else parent?.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    clear() {
      timer.cancel();
      parent?.removeEventListener("abort", follow);
    },
  };
}

/** Shorter than the time that vitest and jest give a test. */
const STANDSTILL_MS = 3000;

/** A wait for virtual time. */
interface Sleeper {
  readonly delayMs: number;
  /** The place where the sleep was started. */
  readonly call: Error;
}

/**
 * The folder of this file, in the first frame of a stack: tsop's own frames are below that folder.
 */
const OWN_FOLDER = /\(([^()]*[\\/])clock\.[jt]s:/;

/**
 * Whether the test or the operator sleeps; an informer that waits for its next attempt does not
 * count.
 */
function isOfAuthor({ call }: Sleeper): boolean {
  const [, own = "", caller = ""] = (call.stack ?? "").split("\n");
  const [, folder] = OWN_FOLDER.exec(own) ?? [];
  return folder === undefined || !caller.includes(folder);
}

function standstill({ delayMs, call }: Sleeper, count: number): string {
  const [, ...frames] = (call.stack ?? "").split("\n");
  const others = count > 1 ? `, as do ${count - 1} others` : "";
  return (
    `A sleep of ${delayMs} ms waits for a VirtualClock${others}, which has not been advanced for ${STANDSTILL_MS / 1000} s: ` +
    `virtual time advances only with \`await clock.advance(${delayMs})\`. ` +
    `A test that awaits the sleep itself starts it first: \`const slept = clock.sleep(...); await clock.advance(...); await slept;\`\n` +
    frames.slice(1).join("\n")
  );
}

interface Scheduled {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * A clock that stands still until it is advanced. Timers run in the order of their time, then of
 * their registration; random numbers come from the seed. With `shuffle`, timers that are due
 * together run in an order that the seed draws: this finds code that depends on their registration,
 * and each seed is a schedule of its own.
 *
 * @example
 * const clock = new VirtualClock({ seed: 7 });
 * clock.after(60_000, () => console.info("a minute later"));
 * await clock.advance(60_000);
 */
export class VirtualClock implements Clock {
  // Since the start: added to milliseconds since 1970 it would lose its fractions, and timers would
  // run too early.
  #elapsedMs = 0;
  readonly #startMs: number;
  #order = 0;
  #state: number;
  readonly #shuffle: boolean;
  readonly #timers = new Set<Scheduled>();
  readonly #sleepers = new Set<Sleeper>();
  #moves = 0;
  #isWatched = false;
  #isTold = false;

  constructor(
    options: {
      readonly startMs?: number;
      readonly seed?: number;
      readonly shuffle?: boolean;
    } = {},
  ) {
    this.#shuffle = options.shuffle ?? false;
    this.#startMs = options.startMs ?? Date.UTC(2026, 0, 1);
    this.#state = (options.seed ?? 1) >>> 0;
  }

  now(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, run: () => void): Timer {
    const order = this.#shuffle ? this.random() : this.#order++;
    const timer = { at: this.#elapsedMs + Math.max(delayMs, 0), order, run };
    this.#timers.add(timer);
    return {
      cancel: () => {
        this.#timers.delete(timer);
      },
    };
  }

  async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    const sleeper = { delayMs, call: new Error("asleep") };
    this.#sleepers.add(sleeper);
    this.#watchStandstill();
    try {
      await sleepOn(this, delayMs, signal);
    } finally {
      this.#sleepers.delete(sleeper);
    }
  }

  /**
   * Warns once of a sleep while nobody advances the clock: otherwise a test would hang without an
   * explanation.
   */
  #watchStandstill(): void {
    if (this.#isWatched || this.#isTold) return;
    this.#isWatched = true;
    const moves = this.#moves;
    const look = (): void => {
      this.#isWatched = false;
      const authors = [...this.#sleepers].filter(isOfAuthor);
      const sleeper = authors.at(-1);
      if (!sleeper) return;
      if (moves !== this.#moves) {
        this.#watchStandstill();
        return;
      }
      this.#isTold = true;
      process.emitWarning(standstill(sleeper, authors.length), {
        type: "VirtualClockWarning",
        code: "TSOP_VIRTUAL_TIME",
      });
    };
    systemClock.after(STANDSTILL_MS, look, { unref: true });
  }

  /** Mulberry32: small, seedable, good enough for jitter and schedules. */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  seededBytes(size: number): Uint8Array {
    return Uint8Array.from({ length: size }, () => Math.floor(this.random() * 256));
  }

  /** The number of waiting timers. */
  get pending(): number {
    return this.#timers.size;
  }

  /**
   * Advances by `durationMs`. Each timer runs at its own time, and the promises that it settles are
   * settled before the next one runs.
   */
  advance(durationMs: number): Promise<void> {
    return this.#advanceTo(this.#elapsedMs + durationMs);
  }

  /**
   * Advances to the next timer, if it is due within `withinMs`, and runs all timers of that time.
   *
   * @returns whether there was one
   */
  async advanceToNext(withinMs = Infinity): Promise<boolean> {
    const next = this.#next();
    if (!next || next.at > this.#elapsedMs + withinMs) return false;
    await this.#advanceTo(next.at);
    return true;
  }

  async #advanceTo(end: number): Promise<void> {
    this.#moves++;
    await settlePromises();
    for (let next = this.#next(); next && next.at <= end; next = this.#next()) {
      this.#timers.delete(next);
      this.#elapsedMs = Math.max(this.#elapsedMs, next.at);
      next.run();
      await settlePromises();
    }
    this.#elapsedMs = Math.max(this.#elapsedMs, end);
  }

  #next(): Scheduled | undefined {
    let first: Scheduled | undefined;
    for (const timer of this.#timers) {
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) {
        first = timer;
      }
    }
    return first;
  }
}

/** Lets settled promises and received data be processed: one turn of the real event loop. */
export function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
