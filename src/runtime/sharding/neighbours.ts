/**
 * The other members, as their Leases tell of them. No two clocks are compared: a member is there for as long as its
 * Lease lasts after it was last seen to change. Who did not look for a while knows nothing new: nobody has gone meanwhile.
 */
import type { Clock } from "../../clock.ts";
import type { Lease } from "../lease.ts";

/** Another member. */
export interface Neighbour {
  readonly identity: string;
  /** The members by which it says that it works. */
  readonly ring: readonly string[];
}

interface Seen extends Neighbour {
  readonly version: string;
  readonly changedAtMs: number;
  readonly lastsMs: number;
}

// A Lease that nobody renewed for this many of its lengths is deleted.
const FORGOTTEN_AFTER = 20;

/** The last known state of the other members. */
export class Neighbours {
  readonly #clock: Clock;
  #seen = new Map<string, Seen>();
  #lookedAtMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Those whose Leases were not over at the last look. */
  live(): readonly Neighbour[] {
    return [...this.#seen.values()].filter(
      ({ changedAtMs, lastsMs }) => this.#lookedAtMs < changedAtMs + lastsMs,
    );
  }

  /**
   * Takes in all Leases that there are.
   *
   * @param self - the identity that is none of the others
   * @returns those that are over for so long that nobody will come back for them
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

/** Where a member publishes its ring: identities, sorted, with commas between. */
export const RING_ANNOTATION = "tsop.dev/ring";

function ringOf({ metadata }: Lease): readonly string[] {
  return (metadata.annotations?.[RING_ANNOTATION] ?? "").split(",").filter((name) => name !== "");
}
