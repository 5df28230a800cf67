/**
 * The waits of failed keys: client-go's limiters, in milliseconds. Pure bookkeeping; the work queue
 * owns the timers. All but the bucket count failures by key.
 *
 * @see https://pkg.go.dev/k8s.io/client-go/util/workqueue
 */
import type { Clock } from "../../clock.ts";

/** Decides how long a failed key waits. */
export interface RateLimiter {
  /** Counts a failure of `key`, and returns its wait in milliseconds. */
  when(key: string): number;
  /** Resets the count of `key`: it succeeded, or is given up. */
  forget(key: string): void;
  /** The failures of `key` since its last reset. */
  retries(key: string): number;
}

/** Adds one to the failures of a key, and returns the count before. */
function increment(failures: Map<string, number>, key: string): number {
  const before = failures.get(key) ?? 0;
  failures.set(key, before + 1);
  return before;
}

/**
 * `baseMs` doubled for each further failure, up to `maxMs`. client-go's numbers are 5 ms and 1000 s.
 *
 * @example
 * const limiter = new ItemExponentialFailureRateLimiter(100, 60_000);
 */
export class ItemExponentialFailureRateLimiter implements RateLimiter {
  readonly #baseMs: number;
  readonly #maxMs: number;
  readonly #failures = new Map<string, number>();

  constructor(baseMs = 5, maxMs = 1_000_000) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  when(key: string): number {
    // 2 ** n is exact up to n = 1023 and Infinity above, which `min` cuts too.
    return Math.min(this.#baseMs * 2 ** increment(this.#failures, key), this.#maxMs);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  retries(key: string): number {
    return this.#failures.get(key) ?? 0;
  }
}

/**
 * `fastMs` for the first `fastAttempts` failures, `slowMs` from then on.
 *
 * @example
 * const limiter = new ItemFastSlowRateLimiter(100, 60_000, 5);
 */
export class ItemFastSlowRateLimiter implements RateLimiter {
  readonly #fastMs: number;
  readonly #slowMs: number;
  readonly #fastAttempts: number;
  readonly #failures = new Map<string, number>();

  constructor(fastMs: number, slowMs: number, fastAttempts: number) {
    this.#fastMs = fastMs;
    this.#slowMs = slowMs;
    this.#fastAttempts = fastAttempts;
  }

  when(key: string): number {
    return increment(this.#failures, key) < this.#fastAttempts ? this.#fastMs : this.#slowMs;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  retries(key: string): number {
    return this.#failures.get(key) ?? 0;
  }
}

/**
 * A token bucket over all keys: `burst` at once, then `qps` a second. Knows no keys, so it forgets none.
 *
 * @example
 * const limiter = new BucketRateLimiter(manager.clock, 10, 100);
 */
export class BucketRateLimiter implements RateLimiter {
  readonly #clock: Clock;
  readonly #qps: number;
  readonly #burst: number;
  #tokens: number;
  #updatedMs: number;

  constructor(clock: Clock, qps = 10, burst = 100) {
    this.#clock = clock;
    this.#qps = qps;
    this.#burst = burst;
    this.#tokens = burst;
    this.#updatedMs = clock.monotonicMs();
  }

  when(): number {
    this.#gain();
    // Below zero, tokens are promised: the wait is the time until they have come in.
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#qps) * 1000;
  }

  /** Takes a token if there is one; otherwise nothing is promised. */
  allow(): boolean {
    this.#gain();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  #gain(): void {
    const nowMs = this.#clock.monotonicMs();
    const gained = ((nowMs - this.#updatedMs) / 1000) * this.#qps;
    this.#updatedMs = nowMs;
    this.#tokens = Math.min(this.#burst, this.#tokens + gained);
  }

  forget(): void {
    // Tokens do not belong to keys.
  }

  retries(): number {
    return 0;
  }
}

/**
 * The longest wait of several limiters; each of them counts.
 *
 * @example
 * const limiter = new MaxOfRateLimiter(
 *   new ItemExponentialFailureRateLimiter(),
 *   new BucketRateLimiter(manager.clock),
 * );
 */
export class MaxOfRateLimiter implements RateLimiter {
  readonly #limiters: readonly RateLimiter[];

  constructor(...limiters: readonly RateLimiter[]) {
    this.#limiters = limiters;
  }

  when(key: string): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.when(key)));
  }

  forget(key: string): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  retries(key: string): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.retries(key)));
  }
}

/**
 * Another limiter's wait, cut at `maxMs`.
 *
 * @example
 * const limiter = new WithMaxWaitRateLimiter(new ItemExponentialFailureRateLimiter(), 60_000);
 */
export class WithMaxWaitRateLimiter implements RateLimiter {
  readonly #limiter: RateLimiter;
  readonly #maxMs: number;

  constructor(limiter: RateLimiter, maxMs: number) {
    this.#limiter = limiter;
    this.#maxMs = maxMs;
  }

  when(key: string): number {
    return Math.min(this.#limiter.when(key), this.#maxMs);
  }

  forget(key: string): void {
    this.#limiter.forget(key);
  }

  retries(key: string): number {
    return this.#limiter.retries(key);
  }
}
