/**
 * Spreads the lists and watches that a process begins: after an outage a hundred informers must not come back in one
 * moment.
 */
import type { Clock } from "../../clock.ts";
import type { KubeObject } from "../../kube/object.ts";
import { BucketRateLimiter } from "../queue/rate-limiters.ts";
import type { ListerWatcher } from "./lister-watcher.ts";

// A process that watches fewer kinds than the burst is never delayed.
const PER_SECOND = 20;
const BURST = 50;

/** The rate limit that all informers of a process share. */
export class ConnectBudget {
  readonly #clock: Clock;
  readonly #bucket: BucketRateLimiter;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#bucket = new BucketRateLimiter(clock, PER_SECOND, BURST);
  }

  /** The same lister-watcher, whose requests wait for their turn. */
  spread<T extends KubeObject>(listerWatcher: ListerWatcher<T>): ListerWatcher<T> {
    return {
      resource: listerWatcher.resource,
      list: async (options, signal, receive) => {
        await this.#turn(signal);
        return listerWatcher.list(options, signal, receive);
      },
      watch: async (options, signal) => {
        await this.#turn(signal);
        return listerWatcher.watch(options, signal);
      },
    };
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const waitMs = this.#bucket.when();
    if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
  }
}
