/**
 * The pace of a loop of controllers. Two controllers that keep undoing each other's changes would never leave the
 * loop, and nothing else of the process would have a turn: a key that comes again and again has to wait for the clock.
 */

/** How often a key is synced without a wait: this often at once, and then this often in each second. */
const BURST = 250;
const SYNCS_PER_SECOND = 100;
const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 5000;

/** What a key has left. */
interface Allowance {
  syncs: number;
  atMs: number;
  /** The wait before its last sync; 0 for none. */
  waitMs: number;
}

/** The allowances of keys, by their ids. */
export class Pace {
  readonly #allowances = new Map<string, Allowance>();

  /** Counts a sync of a key; returns how long its next one has to wait. */
  waitAfterSync(id: string, nowMs: number): number {
    const allowance = this.#allowances.get(id) ?? { syncs: BURST, atMs: nowMs, waitMs: 0 };
    const gained = ((nowMs - allowance.atMs) * SYNCS_PER_SECOND) / 1000;
    allowance.syncs = Math.min(BURST, allowance.syncs + gained);
    allowance.atMs = nowMs;
    if (allowance.syncs === BURST) allowance.waitMs = 0;
    this.#allowances.set(id, allowance);
    if (allowance.syncs >= 1) {
      allowance.syncs -= 1;
      return 0;
    }
    allowance.waitMs = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, allowance.waitMs * 2));
    return allowance.waitMs;
  }

  /** The busiest key of each controller that synced at least half as often as one key may at once. */
  busiest(): string[] {
    const spent = new Map<string, { all: number; most: number; id: string }>();
    for (const [id, { syncs }] of this.#allowances) {
      const controller = id.slice(0, id.indexOf("/"));
      const { all = 0, most = 0, id: busiest = id } = spent.get(controller) ?? {};
      const own = BURST - syncs;
      spent.set(controller, {
        all: all + own,
        most: Math.max(most, own),
        id: own > most ? id : busiest,
      });
    }
    return [...spent.values()].filter(({ all }) => all >= BURST / 2).map(({ id }) => id);
  }

  /** Gives all keys all they may do: nothing is left to do, so no two undo each other. */
  reset(): void {
    this.#allowances.clear();
  }
}
