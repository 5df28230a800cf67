/** The log of what servers refuse: any number of clients can cause any number of refusals, so each limit is logged once a minute. */
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import { ReportLimit } from "../report-limit.ts";

/** A limit, in the log. */
export interface Limit {
  /** The name that its refusals share: `request-memory`. */
  readonly limit: string;
  /** What is refused and why, as a sentence. */
  readonly message: string;
  /** The next step. */
  readonly fix: string;
}

export class Refusals {
  readonly #clock: Clock;
  readonly #log: Logger;
  // As many as there are limits.
  readonly #limits = new Map<string, ReportLimit>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Logs a refusal, or counts it for the next line about this limit. */
  tell({ limit, message, fix }: Limit): void {
    const lines = this.#limits.get(limit) ?? new ReportLimit(this.#clock, 1);
    this.#limits.set(limit, lines);
    const refusedBefore = lines.admit();
    if (refusedBefore === undefined) return;
    this.#log.warn({ limit, refusedBefore }, `${message} ${fix}`);
  }
}
