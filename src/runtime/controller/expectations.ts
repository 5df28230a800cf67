/**
 * Work that a reconciler began and waits for: it is not begun a second time meanwhile, and a
 * timeout is noticed. Kept in this process only: after a restart the reconciler begins again, which
 * it must be able to do anyway.
 */
import type { Clock } from "../../clock.ts";
import { formatKey, type ObjectKey } from "../../kube/object.ts";

/** The state of a wait. `none`: nothing is waited for, so the work may begin. */
export type Expectation =
  | { readonly state: "none" | "fulfilled" }
  /** `requeueAfterMs`: for the result of the reconcile, so that the timeout is noticed. */
  | { readonly state: "waiting"; readonly requeueAfterMs: number }
  | { readonly state: "timed-out"; readonly sinceMs: number };

/**
 * The waits of one reconciler, by key and name.
 *
 * @example
 * const expectations = new Expectations(manager.clock);
 * const { state } = expectations.check(key, "bucket", false);
 * if (state === "none") expectations.expect(key, "bucket", 120_000);
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #waits = new Map<string, Map<string, { readonly sinceMs: number; withinMs: number }>>();

  /** @param clock - the manager's clock */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins to wait for `what`, anew if there is a wait for it. */
  expect(key: ObjectKey, what: string, withinMs: number): void {
    const id = formatKey(key);
    const waits = this.#waits.get(id) ?? new Map<string, { sinceMs: number; withinMs: number }>();
    this.#waits.set(id, waits);
    waits.set(what, { sinceMs: this.#clock.monotonicMs(), withinMs });
  }

  /**
   * The state of the wait for `what`. A fulfilled one is over; one that timed out stays so until it
   * is begun again.
   *
   * @param isFulfilled - whether `what` has happened
   */
  check(key: ObjectKey, what: string, isFulfilled: boolean): Expectation {
    const waits = this.#waits.get(formatKey(key));
    const wait = waits?.get(what);
    if (!wait) return { state: "none" };
    if (isFulfilled) {
      waits?.delete(what);
      if (waits?.size === 0) this.forget(key);
      return { state: "fulfilled" };
    }
    const passedMs = this.#clock.monotonicMs() - wait.sinceMs;
    return passedMs < wait.withinMs
      ? { state: "waiting", requeueAfterMs: wait.withinMs - passedMs }
      : { state: "timed-out", sinceMs: passedMs };
  }

  /** Ends all waits of a key whose object is gone. */
  forget(key: ObjectKey): void {
    this.#waits.delete(formatKey(key));
  }
}
