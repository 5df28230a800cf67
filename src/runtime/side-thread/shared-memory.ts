/** Memory that both threads can read at any moment, also while one of them is blocked. */
import type { LeaderTerm } from "../leader-election/leader-election.ts";

const TERM = 0;
const BEATS = 1;
const WORDS = 2;
// The value before the process was ever the leader, and after it released the Lease.
const NEVER = 0n;
const OVER = 1n;

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

  /** The number of heartbeats of the main thread. */
  get beats(): bigint {
    return Atomics.load(this.#words, BEATS);
  }

  /** Counts a heartbeat of the main thread. */
  beat(): void {
    Atomics.add(this.#words, BEATS, 1n);
  }
}
