/**
 * Notices keys whose reconcile changes the same again and again: because somebody else changes it back, or because it
 * writes something that is new each time, such as the time of day. Such a key is slowed down, or it would keep the API
 * server busy for nothing, for ever.
 *
 * @module
 */
import { hash } from "node:crypto";
import type { Clock } from "../../clock.ts";
import { LruMap } from "../lru.ts";

const WINDOW_MS = 60_000;
// The same request, stored as a change each time: somebody takes it back each time.
const SAME_CHANGES = 10;
// Reconciles that changed something, whatever it was: no state takes so many steps to reach.
const CHANGING_RUNS = 120;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
const KEYS = 10_000;

interface History {
  readonly runs: { readonly atMs: number; readonly digests: readonly string[] }[];
  delayMs: number;
}

/** What was noticed. */
export interface HotLoop {
  /** How long the key waits from now on, in milliseconds. */
  readonly delayMs: number;
  /** What it writes, or how often. */
  readonly reason: string;
}

/** The changes of the last minute, by key. */
export class HotLoops {
  readonly #clock: Clock;
  readonly #histories = new LruMap<History>(KEYS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long the key has to wait at least; 0 for all but those in a loop. */
  delayMs(key: string): number {
    return this.#histories.get(key)?.delayMs ?? 0;
  }

  /** Takes down what a reconcile changed, and says whether it went round once more. */
  note(key: string, changes: readonly string[]): HotLoop | undefined {
    const known = this.#histories.get(key);
    if (!known && changes.length === 0) return undefined;
    const nowMs = this.#clock.monotonicMs();
    const history = known ?? { runs: [], delayMs: 0 };
    // A slowed key comes so seldom that it needs a longer look.
    const sinceMs = nowMs - WINDOW_MS - SAME_CHANGES * history.delayMs;
    while (history.runs[0] && history.runs[0].atMs < sinceMs) history.runs.shift();
    if (changes.length === 0) {
      // Between two rounds of a loop a reconcile may well find nothing to do; a whole window of that is its end.
      if (history.runs.length === 0) history.delayMs = 0;
      return undefined;
    }
    const digests = changes.map(digestOf);
    history.runs.push({ atMs: nowMs, digests });
    this.#histories.set(key, history);
    const reason = reasonOf(history, changes, digests);
    if (reason === undefined) return undefined;
    history.delayMs = Math.min(Math.max(history.delayMs * 2, FIRST_DELAY_MS), MAX_DELAY_MS);
    return { delayMs: history.delayMs, reason };
  }
}

function reasonOf(
  { runs }: History,
  changes: readonly string[],
  digests: readonly string[],
): string | undefined {
  for (const [index, digest] of digests.entries()) {
    const times = runs.filter((run) => run.digests.includes(digest)).length;
    if (times < SAME_CHANGES) continue;
    const what = (changes[index] ?? "").slice(0, 300);
    return `the same write changed something ${times} times, so somebody else changes it back: ${what}`;
  }
  if (runs.length < CHANGING_RUNS) return undefined;
  return `${runs.length} reconciles in a row changed something; does it write a value that is always new, such as a time?`;
}

function digestOf(change: string): string {
  return hash("sha1", change, "base64");
}
