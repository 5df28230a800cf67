/**
 * The other members, as their Leases describe them. No two clocks are compared: a member is alive
 * for the duration of its Lease after this process last saw it change. After a time without
 * looking, a process knows nothing new, and takes no member for dead.
 */
import type { Clock } from "../../clock.ts";
import type { Lease } from "../leader-election/lease.ts";

export interface Neighbour {
  readonly identity: string;
  /** The members by which it works. */
  readonly ring: readonly string[];
}

interface Seen extends Neighbour {
  readonly version: string;
  readonly changedAtMs: number;
  readonly lastsMs: number;
}

// A Lease that was not renewed for this many durations is deleted.
const FORGOTTEN_AFTER = 20;

export class Neighbours {
  readonly #clock: Clock;
  #seen = new Map<string, Seen>();
  #lookedAtMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The members whose Leases had not expired at the last look. */
  live(): readonly Neighbour[] {
    return [...this.#seen.values()].filter(
      ({ changedAtMs, lastsMs }) => this.#lookedAtMs < changedAtMs + lastsMs,
    );
  }

  /**
   * Takes in all present Leases.
   *
   * @param self - the identity of this process
   * @returns the Leases that expired so long ago that they can be deleted
   */
  update(leases: readonly Lease[], self: string, defaultMs: number): readonly Lease[] {
    const nowMs = this.#clock.monotonicMs();
    this.#lookedAtMs = nowMs;
    const before = this.#seen;
    this.#seen = new Map();
    const forgotten: Lease[] = [];
    for (const lease of leases) {
      const identity = lease.spec?.holderIdentity ?? "";
      if (identity === "" || identity === self) continue;
      const version = lease.metadata.resourceVersion;
      const known = before.get(identity);
      const changedAtMs = known?.version === version ? known.changedAtMs : nowMs;
      const seconds = lease.spec?.leaseDurationSeconds;
      const lastsMs = seconds === undefined ? defaultMs : seconds * 1000;
      this.#seen.set(identity, { identity, ring: ringOf(lease), version, changedAtMs, lastsMs });
      if (nowMs >= changedAtMs + FORGOTTEN_AFTER * lastsMs) forgotten.push(lease);
    }
    return forgotten;
  }
}

/** The annotation with a member's ring: identities, sorted, separated by commas. */
export const RING_ANNOTATION = "tsop.dev/ring";

function ringOf({ metadata }: Lease): readonly string[] {
  return (metadata.annotations?.[RING_ANNOTATION] ?? "").split(",").filter((name) => name !== "");
}
