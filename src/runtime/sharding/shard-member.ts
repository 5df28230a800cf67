/**
 * One of several processes that share the keys of an operator.
 *
 * Each has a Lease, in which it also publishes its ring: the members by which it works. A key changes hands without any
 * two processes ever working on it: who loses it ends its work first and then publishes a ring that does not claim it;
 * who gains it publishes its own claim first, reads what the others claim after that, and begins only when none of those
 * that live claims it. So of two that want a key at least one sees the other. Who could not renew its Lease in time has
 * no keys, and none of the reconciles that it had begun may write any more.
 *
 * @module
 */
import { timeoutSignal, type Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { ObjectKey } from "../../kube/object.ts";
import { isConflict, isNotFound } from "../../kube/status.ts";
import type { Client } from "../client/client.ts";
import { LEASE, type Lease } from "../lease.ts";
import type { KeyGate } from "./key-gate.ts";
import { Neighbours, RING_ANNOTATION } from "./neighbours.ts";
import { ownerOf } from "./rendezvous.ts";

/** How the keys are shared; the times mean what they mean in leader election. */
export interface ShardingOptions {
  /** Of the operator: the same in all its processes, and of no other one in the namespace. */
  readonly id: string;
  /** Of the Leases; that of the pod or the kubeconfig when absent. */
  readonly namespace?: string;
  /** Who this process is, as a part of a Lease's name; the host name and a random part when absent. */
  readonly identity?: string;
  /** How long a process that was not seen to renew its Lease keeps its keys: 15 s. Whole seconds. */
  readonly leaseDurationMs?: number;
  /** When a process that cannot renew gives up its keys: 10 s. */
  readonly renewDeadlineMs?: number;
  /** How often it renews, and looks who else is there: 2 s. */
  readonly retryPeriodMs?: number;
}

const NOBODY: readonly string[] = [];
const SHARDS_LABEL = "tsop.dev/shards";

/** What a member is made of. */
export interface ShardMemberParts {
  /** Neither cached nor fenced. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly id: string;
  readonly namespace: string;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  /** Told when the time of this process was over: nothing that is under way may write any more. */
  readonly expired: () => void;
}

/** This process among those that share the keys. */
export class ShardMember implements KeyGate {
  readonly needLeaderElection = false;
  readonly #parts: ShardMemberParts;
  readonly #neighbours: Neighbours;
  readonly #listeners = new Set<() => void>();
  readonly #inHand = new Map<string, number>();
  // The ring by which keys are worked on, and the one that is to come; only what both give is begun.
  #ring = NOBODY;
  #next = NOBODY;
  #renewedMs: number | undefined;
  #lease: Lease | undefined;
  #leaving = false;
  #claims = "";

  constructor(parts: ShardMemberParts) {
    this.#parts = parts;
    this.#neighbours = new Neighbours(parts.clock);
  }

  /** Until when this process surely has its keys, on the monotonic clock; `undefined` before it ever had any. */
  get endsAtMs(): number | undefined {
    return this.#renewedMs === undefined
      ? undefined
      : this.#renewedMs + this.#parts.renewDeadlineMs;
  }

  /** Who shares the keys, as far as this process knows. */
  get members(): readonly string[] {
    return this.#ring;
  }

  get settled(): boolean {
    const ring = this.#ring.join();
    return (
      !this.#isOver &&
      ring === this.#next.join() &&
      this.#neighbours.live().every((other) => other.ring.join() === ring)
    );
  }

  mayWork(key: string): boolean {
    const { identity } = this.#parts;
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

  /** Renews and looks around until `signal` is aborted. Failures are lines in the log; the term runs out meanwhile. */
  async start(signal: AbortSignal): Promise<void> {
    const { clock, log, retryPeriodMs } = this.#parts;
    while (!signal.aborted) {
      try {
        await this.#turn(signal);
        // What is planned and stands in nobody's way need not wait for its turn.
        if (this.#next !== this.#ring && this.#hasDrained()) continue;
      } catch (error) {
        log.warn({ err: error }, `the shard was not renewed: ${messageOf(error)}`);
      }
      const waitMs = retryPeriodMs * (0.8 + 0.4 * clock.random());
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  /** Gives up all keys, which must be out of hand by now, so that the others need not wait for the end of the term. */
  async end(): Promise<void> {
    const { client, log } = this.#parts;
    this.#leaving = true;
    if (!this.#lease) return;
    await client.delete(LEASE, this.#key).catch((error: unknown) => {
      log.info({ err: error }, "the shard's lease was not given back");
    });
  }

  get #isOver(): boolean {
    return this.#parts.clock.monotonicMs() >= (this.endsAtMs ?? -Infinity);
  }

  get #key(): ObjectKey {
    const { id, identity, namespace } = this.#parts;
    return { namespace, name: `${id}-${identity}` };
  }

  /** Publishes, then reads: the order on which it all rests. */
  async #turn(parent: AbortSignal): Promise<void> {
    const { clock, renewDeadlineMs } = this.#parts;
    const timeout = timeoutSignal(clock, Math.max(1000, renewDeadlineMs / 2), parent);
    try {
      if (this.#renewedMs === undefined) await this.#look(timeout.signal);
      else if (this.#isOver) this.#giveUp();
      const published = this.#hasDrained() ? this.#next : this.#ring;
      const atMs = clock.monotonicMs();
      await this.#publish(published, timeout.signal);
      this.#renewedMs = atMs;
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
    if (this.#ring.length > 0) log.warn("the shard was not renewed in time: its keys are given up");
    expired();
    this.#ring = NOBODY;
    this.#next = NOBODY;
  }

  /** Whether nothing is in hand that the next ring takes away. */
  #hasDrained(): boolean {
    return [...this.#inHand.keys()].every(
      (key) => ownerOf(key, this.#next) === this.#parts.identity,
    );
  }

  #adopt(ring: readonly string[]): void {
    this.#ring = ring;
    this.#parts.log.info({ members: ring }, "the keys are shared anew");
  }

  /** Who is there decides on the next ring; it is published once what it takes away is out of hand. */
  #plan(): void {
    const members = [this.#parts.identity, ...this.#neighbours.live().map((one) => one.identity)];
    const next = members.sort();
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
    const { client, id, namespace, identity, leaseDurationMs } = this.#parts;
    const labels = { [SHARDS_LABEL]: id };
    const leases = await client.live.list(LEASE, { namespace, labels, signal });
    const forgotten = this.#neighbours.update(leases, identity, leaseDurationMs);
    for (const { metadata } of forgotten) {
      const { name = "", resourceVersion = "" } = metadata;
      // Its process ended without a word; if it did not, its version has changed.
      await client
        .delete(LEASE, { namespace, name }, { preconditions: { resourceVersion } })
        .catch(() => undefined);
    }
  }

  async #publish(ring: readonly string[], signal: AbortSignal): Promise<void> {
    const { client, clock, id, identity, leaseDurationMs } = this.#parts;
    const metadata = {
      ...this.#key,
      labels: { [SHARDS_LABEL]: id },
      annotations: { [RING_ANNOTATION]: ring.join() },
    };
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.round(leaseDurationMs / 1000),
      renewTime: new Date(clock.now()).toISOString().replace("Z", "000Z"),
    };
    try {
      const { resourceVersion } = this.#lease?.metadata ?? {};
      this.#lease =
        resourceVersion === undefined
          ? await client.create(LEASE, { metadata, spec }, { signal })
          : await client.update(
              LEASE,
              { metadata: { ...metadata, resourceVersion }, spec },
              { signal },
            );
    } catch (error) {
      if (isNotFound(error)) this.#lease = undefined;
      // Somebody else wrote, or an answer got lost: the next turn goes on from what is there.
      else if (isConflict(error) || this.#lease === undefined) {
        this.#lease = await client.live.find(LEASE, this.#key);
      }
      throw error;
    }
  }
}
