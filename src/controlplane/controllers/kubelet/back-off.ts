/** Waits that double with each failure, as client-go's `flowcontrol.Backoff`. */

const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;

interface Entry {
  waitMs: number;
  updatedMs: number;
}

/** The waits of containers and images, by their names. */
export class BackOff {
  readonly #entries = new Map<string, Entry>();

  /** Sets the wait that follows so many failures, the last of them at that time. */
  restore(key: string, failures: number, updatedMs: number): void {
    if (failures < 1) return;
    const waitMs = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
    this.#entries.set(key, { waitMs, updatedMs });
  }

  /** The current wait, in milliseconds. */
  waitMs(key: string): number {
    return this.#entries.get(key)?.waitMs ?? 0;
  }

  /** Whether the wait since that event is not over. */
  isWaitingSince(key: string, eventMs: number, nowMs: number): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && !isExpired(entry, eventMs) && nowMs - eventMs < entry.waitMs;
  }

  /** Whether the wait since its last change is not over. */
  isWaiting(key: string, nowMs: number): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && nowMs - entry.updatedMs < entry.waitMs;
  }

  /** When the wait since its last change is over. */
  endMs(key: string): number {
    const entry = this.#entries.get(key);
    return entry ? entry.updatedMs + entry.waitMs : 0;
  }

  /** Makes the next wait longer, or begins again after a long time without failures. */
  next(key: string, eventMs: number, nowMs: number): void {
    const entry = this.#entries.get(key);
    const waitMs =
      !entry || isExpired(entry, eventMs) ? FIRST_MS : Math.min(entry.waitMs * 2, LONGEST_MS);
    this.#entries.set(key, { waitMs, updatedMs: nowMs });
  }
}

const isExpired = ({ updatedMs }: Entry, eventMs: number): boolean =>
  eventMs - updatedMs > LONGEST_MS * 2;
