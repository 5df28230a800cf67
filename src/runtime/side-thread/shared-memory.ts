/** Memory that both threads see at any moment, also while one of them is blocked. */
import type { LeaderTerm } from "../manager/leader-election.ts";

const TERM = 0;
const BEATS = 1;
const WORDS = 2;
// Before the process ever led, and after it gave the lead back.
const NEVER = 0n;
const OVER = 1n;

/** The end of the term, and the main thread's heartbeat, in memory that is shared. */
export class SharedMemory implements LeaderTerm {
  readonly buffer: SharedArrayBuffer;
  readonly #words: BigInt64Array;

  constructor(buffer = new SharedArrayBuffer(WORDS * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#words = new BigInt64Array(buffer);
  }

  get endsAtMs(): number | undefined {
    const microseconds = Atomics.load(this.#words, TERM);
    return microseconds === NEVER ? undefined : Number(microseconds) / 1000;
  }

  set endsAtMs(endsAtMs: number | undefined) {
    const microseconds =
      endsAtMs === undefined ? NEVER : endsAtMs > 0 ? BigInt(Math.floor(endsAtMs * 1000)) : OVER;
    Atomics.store(this.#words, TERM, microseconds);
  }

  /** How often the main thread has come round. */
  get beats(): bigint {
    return Atomics.load(this.#words, BEATS);
  }

  /** The main thread comes round. */
  beat(): void {
    Atomics.add(this.#words, BEATS, 1n);
  }
}
