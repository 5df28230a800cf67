/** Turns of the event loop for large bodies, one for each: between two of them all that came in meanwhile is answered. */
import { settlePromises } from "../../../clock.ts";

export class LargeTurns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn. */
  next(): Promise<void> {
    const turn = this.#last.then(settlePromises);
    this.#last = turn;
    return turn;
  }
}
