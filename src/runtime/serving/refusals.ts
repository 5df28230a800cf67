/** The log of what servers refuse: any number of clients can cause any number of refusals, so each limit is logged once a minute. */
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";

const INTERVAL_MS = 60_000;

/** A limit, in the log. */
export interface Limit {
  /** The name that its refusals share: `request-memory`. */
  readonly limit: string;
  /** What is refused and why, as a sentence. */
  readonly message: string;
  /** The next step. */
  readonly fix: string;
}

interface Told {
  readonly atMs: number;
  since: number;
}

export class Refusals {
  readonly #clock: Clock;
  readonly #log: Logger;
  // As many as there are limits.
  readonly #told = new Map<string, Told>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Logs a refusal, or counts it for the next line about this limit. */
  tell({ limit, message, fix }: Limit): void {
    const nowMs = this.#clock.monotonicMs();
    const told = this.#told.get(limit);
    if (told && nowMs - told.atMs < INTERVAL_MS) {
      told.since++;
      return;
    }
    const refusedBefore = told?.since ?? 0;
    this.#told.set(limit, { atMs: nowMs, since: 0 });
    this.#log.warn({ limit, refusedBefore }, `${message} ${fix}`);
  }
}
