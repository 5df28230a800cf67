/**
 * The memory of a server for requests: everything that clients can make it keep is taken from here, and given back.
 *
 * Three quarters are for large requests and for those that have not come in completely. So a review of usual size finds memory beside any number of them. When the memory is short, the requests that wait for their clients longest are given up.
 */
import type { Clock } from "../../clock.ts";

/** A request that is not larger can use all of the memory, once it is complete. */
const SMALL_BYTES = 256 * 1024;
const LARGE_SHARE = 0.75;
/** A client on a usual network has sent any body, and taken any answer, after that. */
const PATIENCE_MS = 3000;

/** What waits for a client: a body that comes in, or an answer that is not taken. */
export interface Waiting {
  /** Called when others need the memory: gives it back before it returns. */
  giveUp(): void;
}

export class RequestMemory {
  readonly maxBytes: number;
  readonly #clock: Clock;
  // In the order in which they began to wait, with the time.
  readonly #waiting = new Map<Waiting, number>();
  #bytes = 0;

  constructor(maxBytes: number, clock: Clock) {
    this.maxBytes = maxBytes;
    this.#clock = clock;
  }

  /** The most that one request can have. */
  get largestBytes(): number {
    return Math.floor(this.maxBytes * LARGE_SHARE);
  }

  /** What is taken now. */
  get takenBytes(): number {
    return this.#bytes;
  }

  /**
   * Takes memory, if there is enough.
   *
   * @param isComplete - whether the request has come in
   */
  take(bytes: number, isComplete: boolean): boolean {
    const max = isComplete && bytes <= SMALL_BYTES ? this.maxBytes : this.largestBytes;
    if (this.#bytes + bytes > max && !this.#makeRoom(max - bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Something waits for its client from now on. */
  waits(waiting: Waiting): void {
    this.#waiting.set(waiting, this.#clock.monotonicMs());
  }

  /** It does not wait any more. */
  goesOn(waiting: Waiting): void {
    this.#waiting.delete(waiting);
  }

  /** Gives up what has waited too long until no more than `bytes` are taken; whether that is so. */
  #makeRoom(bytes: number): boolean {
    const beganBeforeMs = this.#clock.monotonicMs() - PATIENCE_MS;
    for (const [waiting, beganMs] of this.#waiting) {
      if (beganMs > beganBeforeMs || this.#bytes <= bytes) break;
      this.#waiting.delete(waiting);
      waiting.giveUp();
    }
    return this.#bytes <= bytes;
  }
}
