/**
 * Turns of the event loop: reconciles that wait for nothing leave it none of its own.
 *
 * @module
 */
import { settlePromises, type Clock } from "../../clock.ts";

// After so many reconciles, and so long, it has one.
const RECONCILES_PER_TURN = 100;
const MS_PER_TURN = 10;

/** Gives the event loop a turn of its own now and then. */
export class LoopTurns {
  readonly #clock: Clock;
  #turn: Promise<void> | undefined;
  #lastMs = 0;
  #reconciles = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a reconcile; what to wait for before the next one, where a turn is due or under way. */
  due(): Promise<void> | undefined {
    if (!this.#turn && ++this.#reconciles >= RECONCILES_PER_TURN) {
      if (this.#clock.monotonicMs() - this.#lastMs >= MS_PER_TURN) this.#turn = this.#take();
    }
    return this.#turn;
  }

  /** The loop had a turn: nothing was left to do. */
  took(atMs: number): void {
    this.#reconciles = 0;
    this.#lastMs = atMs;
  }

  async #take(): Promise<void> {
    await settlePromises();
    this.#turn = undefined;
    this.took(this.#clock.monotonicMs());
  }
}
