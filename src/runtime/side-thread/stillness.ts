/** How long the main thread has been blocked, as the side thread sees it. */
import type { Clock } from "../../clock.ts";
import { BEAT_MS } from "./protocol.ts";
import type { SharedMemory } from "./shared-memory.ts";

/**
 * Counts the side thread's own rounds in which the main thread made none. Time alone would not do:
 * after a stop of the whole process no thread is stuck.
 */
export class Stillness {
  readonly #memory: SharedMemory;
  readonly #clock: Clock;
  #seen = -1n;
  #rounds = 0;

  constructor(memory: SharedMemory, clock: Clock) {
    this.#memory = memory;
    this.#clock = clock;
  }

  /** How long the main thread has been blocked, in milliseconds. */
  get ms(): number {
    return this.#rounds * BEAT_MS;
  }

  /** Checks for heartbeats as long as the thread runs. */
  start(): void {
    const { beats } = this.#memory;
    this.#rounds = beats === this.#seen ? this.#rounds + 1 : 0;
    this.#seen = beats;
    this.#clock.after(BEAT_MS, () => {
      this.start();
    });
  }
}
