/** Gives the event loop a turn while reconciles that never wait keep it busy. */
import { settlePromises, type Clock } from "../../clock.ts";

// The number of reconciles, and the time, after which the loop gets a turn.
const RECONCILES_PER_TURN = 100;
const MS_PER_TURN = 10;

export class LoopTurns {
  readonly #clock: Clock;
  #turn: Promise<void> | undefined;
  #lastMs = 0;
  #reconciles = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a reconcile; returns the promise to await before the next one, where a turn is due or
   * under way.
   */
  due(): Promise<void> | undefined {
    if (!this.#turn && ++this.#reconciles >= RECONCILES_PER_TURN) {
      if (this.#clock.monotonicMs() - this.#lastMs >= MS_PER_TURN) this.#turn = this.#take();
    }
    return this.#turn;
  }

  /** Notes that the loop had a turn, because the queue was empty. */
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
