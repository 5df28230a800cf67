/**
 * The Lease of one of several processes that share the keys: it shows that the process is alive,
 * and the members by which it works. Only this process writes it.
 */
import { timeoutSignal, type Clock } from "../../clock.ts";
import { TsopError } from "../../errors.ts";
import type { ObjectKey } from "../../kube/object.ts";
import { MANAGED_BY, MANAGER, SHARDS_LABEL } from "../../kube/operator-marks.ts";
import { isConflict, isNotFound } from "../../kube/status.ts";
import type { Client } from "../client/client.ts";
import { LEASE, type Lease } from "../leader-election/lease.ts";
import type { LeaderTerm } from "../leader-election/leader-election.ts";
import { RING_ANNOTATION } from "./neighbours.ts";

/** The Lease of a shard, and its times: plain data. */
export interface ShardSettings {
  /** The id of the operator: the same in all its processes. */
  readonly id: string;
  readonly namespace: string;
  /** The identity of this process, a part of the Lease's name. */
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** The Lease of this process, whichever thread writes it. */
export interface ShardPresence {
  /**
   * The time until which this process surely has its keys, on the monotonic clock; `undefined`
   * before it ever had any.
   */
  readonly endsAtMs: number | undefined;
  /**
   * Publishes the members by which this process works, and renews the term.
   *
   * @param anew - whether all keys were given up before; otherwise an expired term stays expired
   * @throws StatusError, ConnectionError; TsopError `shard-term-over`
   */
  publish(ring: readonly string[], anew: boolean): Promise<void>;
  withdraw(): Promise<void>;
}

export interface ShardLeaseParts extends ShardSettings {
  /** A client that is neither cached nor fenced. */
  readonly client: Client;
  readonly clock: Clock;
  /** The term, which this object updates. */
  readonly term: LeaderTerm;
}

export class ShardLease implements ShardPresence {
  readonly #parts: ShardLeaseParts;
  #lease: Lease | undefined;
  #ring: readonly string[] | undefined;
  #triedAtMs = -Infinity;
  #last: Promise<void> = Promise.resolve();

  constructor(parts: ShardLeaseParts) {
    this.#parts = parts;
  }

  get endsAtMs(): number | undefined {
    return this.#parts.term.endsAtMs;
  }

  publish(ring: readonly string[], anew: boolean): Promise<void> {
    return this.#afterOthers(() => this.#publish(ring, anew));
  }

  /** Publishes the last ring again, if that was `afterMs` ago and the term is not over. */
  async renew(afterMs: number): Promise<void> {
    await this.#afterOthers(async () => {
      const ring = this.#ring;
      const isDue = this.#parts.clock.monotonicMs() - this.#triedAtMs >= afterMs;
      if (ring && isDue && !this.#isOver) await this.#publish(ring, false);
    });
  }

  withdraw(): Promise<void> {
    return this.#afterOthers(async () => {
      this.#ring = undefined;
      if (this.#lease) await this.#parts.client.delete(LEASE, this.#key);
    });
  }

  /** Two concurrent requests could arrive in the wrong order. */
  #afterOthers(act: () => Promise<void>): Promise<void> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => undefined);
    return done;
  }

  get #isOver(): boolean {
    return this.#parts.clock.monotonicMs() >= (this.#parts.term.endsAtMs ?? -Infinity);
  }

  get #key(): ObjectKey {
    const { id, identity, namespace } = this.#parts;
    return { namespace, name: `${id}-${identity}` };
  }

  async #publish(ring: readonly string[], anew: boolean): Promise<void> {
    const { clock, term, renewDeadlineMs } = this.#parts;
    const timeout = timeoutSignal(clock, Math.max(1000, renewDeadlineMs / 2));
    const atMs = clock.monotonicMs();
    this.#ring = ring;
    this.#triedAtMs = atMs;
    try {
      if (!anew && this.#isOver) throw termOver();
      await this.#write(ring, timeout.signal);
      // A process whose term expired in between has to give up its keys first.
      if (!anew && this.#isOver) throw termOver();
      term.endsAtMs = atMs + renewDeadlineMs;
    } catch (error) {
      // To the others, a process without a Lease has left.
      if (isNotFound(error) && term.endsAtMs !== undefined) term.endsAtMs = -Infinity;
      throw error;
    } finally {
      timeout.clear();
    }
  }

  async #write(ring: readonly string[], signal: AbortSignal): Promise<void> {
    const { client, clock, id, identity, leaseDurationMs } = this.#parts;
    const marks = {
      labels: { [MANAGED_BY]: MANAGER, [SHARDS_LABEL]: id },
      annotations: { [RING_ANNOTATION]: ring.join() },
    };
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.round(leaseDurationMs / 1000),
      renewTime: new Date(clock.now()).toISOString().replace("Z", "000Z"),
    };
    try {
      const lease = this.#lease;
      this.#lease = lease
        ? await client.update(
            LEASE,
            { ...lease, metadata: { ...lease.metadata, ...marks }, spec },
            { signal },
          )
        : await client.create(LEASE, { metadata: { ...this.#key, ...marks }, spec }, { signal });
    } catch (error) {
      if (isNotFound(error)) this.#lease = undefined;
      // Somebody else wrote, or an answer got lost: the next attempt reads the Lease again.
      else if (isConflict(error) || this.#lease === undefined) {
        this.#lease = await client.live.find(LEASE, this.#key);
      }
      throw error;
    }
  }
}

function termOver(): TsopError {
  return new TsopError(
    "shard-term-over",
    "The shard's Lease was not renewed in time, so another process might have taken over its keys.",
    "No action is needed: the process gives up its keys and joins again.",
  );
}
