/**
 * Detects keys whose reconcile makes the same change again and again: because another writer
 * reverts it, or because it writes a new value each time, such as the time of day. Such a key is
 * slowed down, or it would load the API server for nothing, for ever.
 */
import type { Clock } from "../../clock.ts";
import { LruMap } from "../lru.ts";
import type { Change } from "./own-writes.ts";

const WINDOW_MS = 60_000;
// How often the same request may be stored as a change: another writer reverts it each time.
const SAME_CHANGES = 10;
// How many reconciles may change something, whatever it is: no state takes so many steps to reach.
const CHANGING_RUNS = 120;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
const REMEMBERED_KEYS = 10_000;

interface History {
  readonly runs: { readonly atMs: number; readonly digests: readonly string[] }[];
  delayMs: number;
}

export interface HotLoop {
  /** The wait of the key from now on, in milliseconds. */
  readonly delayMs: number;
  /** The change that is repeated, or the last one of many. */
  readonly change: Change;
  /** How often it was made; `undefined` where the changes differ. */
  readonly times: number | undefined;
  /** The number of reconciles in a row that changed something. */
  readonly runs: number;
}

export class HotLoops {
  readonly #clock: Clock;
  readonly #histories = new LruMap<History>(REMEMBERED_KEYS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The minimum wait of the key, in milliseconds; 0 for all but those in a loop. */
  delayMs(key: string): number {
    return this.#histories.get(key)?.delayMs ?? 0;
  }

  /** Records the changes of a reconcile, and returns the loop that they complete, if any. */
  note(key: string, changes: readonly Change[]): HotLoop | undefined {
    const known = this.#histories.get(key);
    if (!known && changes.length === 0) return undefined;
    const nowMs = this.#clock.monotonicMs();
    const history = known ?? { runs: [], delayMs: 0 };
    // A slowed key runs so rarely that it needs a longer window.
    const sinceMs = nowMs - WINDOW_MS - SAME_CHANGES * history.delayMs;
    while (history.runs[0] && history.runs[0].atMs < sinceMs) history.runs.shift();
    if (changes.length === 0) {
      // Between two rounds of a loop a reconcile may find nothing to do; a whole window of that
      // ends the loop.
      if (history.runs.length === 0) history.delayMs = 0;
      return undefined;
    }
    const digests = changes.map(({ digest }) => digest);
    history.runs.push({ atMs: nowMs, digests });
    this.#histories.set(key, history);
    const repeated = repeatedOf(history, changes);
    const change = repeated?.change ?? changes.at(-1);
    if (!change || (!repeated && history.runs.length < CHANGING_RUNS)) return undefined;
    history.delayMs = Math.min(Math.max(history.delayMs * 2, FIRST_DELAY_MS), MAX_DELAY_MS);
    const { delayMs } = history;
    return { delayMs, change, times: repeated?.times, runs: history.runs.length };
  }
}

/** A change that was made too often. */
function repeatedOf(
  { runs }: History,
  changes: readonly Change[],
): { readonly change: Change; readonly times: number } | undefined {
  for (const change of changes) {
    const times = runs.filter(({ digests }) => digests.includes(change.digest)).length;
    if (times >= SAME_CHANGES) return { change, times };
  }
  return undefined;
}
