/**
 * One of several processes that share the keys of an operator. Each has a Lease, in which it also
 * publishes its ring: the members by which it works. A key moves without any two processes ever
 * working on it: the process that loses it ends its work first, and then publishes a ring that does
 * not claim it; the process that gains it publishes its claim first, reads the claims of the others
 * after that, and starts only when no live member claims it. So of two processes that want a key,
 * at least one sees the other. A process that could not renew its Lease in time has no keys, and no
 * reconcile that it had started may write any more. While a reconcile keeps this thread busy, the
 * side thread renews the Lease as it is: no keys move meanwhile.
 */
import { timeoutSignal, type Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { unlessAborted } from "../abortable.ts";
import { SHARDS_LABEL } from "../../kube/operator-marks.ts";
import type { Client } from "../client/client.ts";
import { LEASE } from "../leader-election/lease.ts";
import type { KeyGate } from "./key-gate.ts";
import { Neighbours } from "./neighbours.ts";
import { ownerOf } from "./rendezvous.ts";
import type { ShardPresence, ShardSettings } from "./shard-lease.ts";

/** The options of sharding; the times have the same meaning as in leader election. */
export interface ShardingOptions {
  /** The id of the operator: the same in all its processes, and unique in the namespace. */
  readonly id: string;
  /** The namespace of the Leases; that of the pod or the kubeconfig when absent. */
  readonly namespace?: string;
  /**
   * The identity of this process, a part of a Lease's name; the host name and a random part when
   * absent.
   */
  readonly identity?: string;
  /**
   * The time for which a process keeps its keys although it was not seen to renew its Lease: 15 s
   * when absent. Whole seconds.
   */
  readonly leaseDurationMs?: number;
  /** The time after which a process that cannot renew gives up its keys: 10 s when absent. */
  readonly renewDeadlineMs?: number;
  /** The time between two renewals, and looks at the other members: 2 s when absent. */
  readonly retryPeriodMs?: number;
}

const NOBODY: readonly string[] = [];

export interface ShardMemberParts {
  /** A client that is neither cached nor fenced. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: ShardSettings;
  /** The Lease; `undefined` until a thread writes it. */
  readonly presence: () => ShardPresence | undefined;
  /** Called when the term of this process has expired: no open reconcile may write any more. */
  readonly expired: () => void;
}

/**
 * The keys that this process works on, where several share them: `manager.shards`.
 *
 * @example
 * if (manager.shards?.mayWork("default/one")) console.info("it is ours", manager.shards.members);
 */
export interface Shards {
  /** The processes that share the keys, as far as this process knows. */
  readonly members: readonly string[];
  /** Whether all members know each other, and no key is moving. */
  readonly settled: boolean;
  /** Whether this process has the key now. */
  mayWork(key: string): boolean;
  /** Calls `changed` when this process has got other keys, until `signal` is aborted. */
  onChange(changed: () => void, signal: AbortSignal): void;
}

export class ShardMember implements KeyGate, Shards {
  readonly needLeaderElection = false;
  readonly #parts: ShardMemberParts;
  readonly #neighbours: Neighbours;
  readonly #listeners = new Set<() => void>();
  readonly #inHand = new Map<string, number>();
  // The ring by which keys are worked on, and the next one; work on a key starts only if both give
  // it to this process.
  #ring = NOBODY;
  #next = NOBODY;
  #leaving = false;
  #claims = "";

  constructor(parts: ShardMemberParts) {
    this.#parts = parts;
    this.#neighbours = new Neighbours(parts.clock);
  }

  /**
   * The time until which this process surely has its keys, on the monotonic clock; `undefined`
   * before it ever had any.
   */
  get endsAtMs(): number | undefined {
    return this.#parts.presence()?.endsAtMs;
  }

  get settings(): ShardSettings {
    return this.#parts.settings;
  }

  get members(): readonly string[] {
    return this.#ring;
  }

  get settled(): boolean {
    const ring = this.#ring.join();
    return (
      !this.#isOver &&
      // A new member knows the others, but not yet which keys it will have.
      ring !== "" &&
      ring === this.#next.join() &&
      this.#neighbours.live().every((other) => other.ring.join() === ring)
    );
  }

  mayWork(key: string): boolean {
    const { identity } = this.#parts.settings;
    if (this.#leaving || this.#isOver) return false;
    if (ownerOf(key, this.#ring) !== identity || ownerOf(key, this.#next) !== identity)
      return false;
    return this.#neighbours.live().every((other) => ownerOf(key, other.ring) !== other.identity);
  }

  enter(key: string): boolean {
    if (!this.mayWork(key)) return false;
    this.#inHand.set(key, (this.#inHand.get(key) ?? 0) + 1);
    return true;
  }

  leave(key: string): void {
    const count = (this.#inHand.get(key) ?? 0) - 1;
    if (count > 0) this.#inHand.set(key, count);
    else this.#inHand.delete(key);
  }

  onChange(changed: () => void, signal: AbortSignal): void {
    this.#listeners.add(changed);
    signal.addEventListener("abort", () => this.#listeners.delete(changed), { once: true });
  }

  /**
   * Renews the Lease and reads the others until `signal` is aborted. Failures are logged; the term
   * runs out meanwhile.
   */
  async start(signal: AbortSignal): Promise<void> {
    const { clock, log, settings } = this.#parts;
    while (!signal.aborted) {
      try {
        await this.#turn(signal);
        // A planned ring without obstacles need not wait for the next period.
        if (this.#next !== this.#ring && this.#hasDrained()) continue;
      } catch (error) {
        log.warn({ err: error }, `the shard was not renewed: ${messageOf(error)}`);
      }
      const waitMs = settings.retryPeriodMs * (0.8 + 0.4 * clock.random());
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  /**
   * Gives up all keys, so that the others need not wait until the term expires. No key may be in
   * hand by now.
   */
  async end(): Promise<void> {
    const { presence, log } = this.#parts;
    this.#leaving = true;
    await presence()
      ?.withdraw()
      .catch((error: unknown) => {
        log.info({ err: error }, "the shard's Lease could not be released");
      });
  }

  get #isOver(): boolean {
    return this.#parts.clock.monotonicMs() >= (this.endsAtMs ?? -Infinity);
  }

  /** Publishes, then reads: everything depends on this order. */
  async #turn(parent: AbortSignal): Promise<void> {
    const { clock, settings, presence } = this.#parts;
    const timeout = timeoutSignal(clock, Math.max(1000, settings.renewDeadlineMs / 2), parent);
    try {
      const isFirst = this.endsAtMs === undefined;
      if (isFirst) await this.#look(timeout.signal);
      const anew = this.#isOver;
      if (anew && !isFirst) this.#giveUp();
      const published = this.#hasDrained() ? this.#next : this.#ring;
      await unlessAborted(presence()?.publish(published, anew), timeout.signal);
      await this.#look(timeout.signal);
      if (this.#ring !== published) this.#adopt(published);
    } finally {
      timeout.clear();
    }
    this.#plan();
    this.#tellChanges();
  }

  #giveUp(): void {
    const { log, expired } = this.#parts;
    if (this.#ring.length > 0)
      log.warn("the shard was not renewed in time, so it gives up its keys");
    expired();
    this.#ring = NOBODY;
    this.#next = NOBODY;
  }

  /** Whether no key is in hand that the next ring takes away. */
  #hasDrained(): boolean {
    return [...this.#inHand.keys()].every(
      (key) => ownerOf(key, this.#next) === this.#parts.settings.identity,
    );
  }

  #adopt(ring: readonly string[]): void {
    this.#ring = ring;
    this.#parts.log.info({ members: ring }, "the keys are redistributed");
  }

  /**
   * Computes the next ring from the live members; it is published once the keys that it takes away
   * are out of hand.
   */
  #plan(): void {
    const others = this.#neighbours.live().map((one) => one.identity);
    const next = [this.#parts.settings.identity, ...others].sort();
    if (next.join() !== this.#next.join()) this.#next = next;
  }

  #tellChanges(): void {
    const claims = JSON.stringify([
      this.#ring,
      this.#next,
      this.#neighbours.live().map(({ identity, ring }) => [identity, ring]),
    ]);
    if (claims === this.#claims) return;
    this.#claims = claims;
    for (const changed of this.#listeners) changed();
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { client, settings } = this.#parts;
    const { id, namespace, identity, leaseDurationMs } = settings;
    const labels = { [SHARDS_LABEL]: id };
    const leases = await client.live.list(LEASE, { namespace, labels, signal });
    const forgotten = this.#neighbours.update(leases, identity, leaseDurationMs);
    for (const { metadata } of forgotten) {
      const { name, uid, resourceVersion } = metadata;
      // Its process ended without a message; if it lives after all, the version has changed.
      await client
        .delete(LEASE, { namespace, name }, { preconditions: { uid, resourceVersion } })
        .catch(() => undefined);
    }
  }
}
