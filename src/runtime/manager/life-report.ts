/** Tells the life of a manager step by step: what it starts, what it waits for, how it ends. */
import { settlePromises, type Clock, type Timer } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import { present } from "../../present.ts";
import { TSOP_VERSION } from "../../version.ts";
import type { InformerHealth } from "../cache/cache-view.ts";
import { namesOf, type ReconcileScope } from "../controller/reconcile-scopes.ts";
import { listed } from "../listed.ts";
import type { ManagerOptions } from "./manager-options.ts";
import type { ManagerPorts } from "./manager.ts";

const STILL_RUNNING_MS = 5000;
const NAMED = 5;

interface LifeParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly running: () => Iterable<ReconcileScope>;
}

export class LifeReport {
  readonly #parts: LifeParts;
  readonly #startMs: number;
  #stoppingMs: number | undefined;
  #timer: Timer | undefined;

  constructor(parts: LifeParts) {
    this.#parts = parts;
    this.#startMs = parts.clock.monotonicMs();
  }

  starting(name: string, server: string, options: ManagerOptions): void {
    const { leaderElection, sharding, cache, dryRun } = options;
    const fields = present({
      operator: name,
      tsop: TSOP_VERSION,
      node: process.versions.node,
      server,
      leaderElection: leaderElection?.id,
      sharding: sharding?.id,
      namespaces: cache?.namespaces,
      dryRun,
    });
    this.#parts.log.info(fields, "starting");
  }

  serving(ports: ManagerPorts): void {
    if (Object.keys(ports).length > 0) this.#parts.log.info({ ...ports }, "serving");
  }

  /** Tells when all informers that were started have their objects. */
  async synced(cache: { synced(): Promise<void>; health(): InformerHealth[] }): Promise<void> {
    const { log } = this.#parts;
    // The controllers add their informers as they start.
    await settlePromises();
    await cache.synced();
    const informers = cache.health();
    if (informers.length === 0 || this.#stoppingMs !== undefined) return;
    const objects = informers.reduce((sum, one) => sum + one.objects, 0);
    const fields = {
      informers: informers.length,
      objects,
      seconds: this.#secondsSince(this.#startMs),
    };
    log.info(fields, "the caches are synced");
    const sizes = Object.fromEntries(informers.map((one) => [one.resource, one.objects]));
    log.debug({ objects: sizes }, "the objects of the caches");
  }

  stopping(reason: string, isFailure: boolean): void {
    const { log } = this.#parts;
    this.#stoppingMs = this.#parts.clock.monotonicMs();
    const { count } = this.#stillRunning();
    const reconciles = `${count} ${count === 1 ? "reconcile is" : "reconciles are"} running`;
    log[isFailure ? "warn" : "info"]({ reconciles: count }, `stopping: ${reason}; ${reconciles}`);
    this.#tellLater();
  }

  /** Tells how it ended; `isReleased` is undefined without a Lease. */
  stopped(isReleased: boolean | undefined): void {
    this.#timer?.cancel();
    const seconds = this.#secondsSince(this.#stoppingMs ?? this.#startMs);
    const uptimeSeconds = this.#secondsSince(this.#startMs);
    const lease =
      isReleased === undefined
        ? ""
        : isReleased
          ? "; the Lease is released"
          : "; the Lease was not released, because writes may still be under way or another process leads";
    this.#parts.log.info(
      { seconds, uptimeSeconds, ...present({ leaseReleased: isReleased }) },
      `stopped after ${seconds} s${lease}`,
    );
  }

  #secondsSince(sinceMs: number): number {
    return Number(((this.#parts.clock.monotonicMs() - sinceMs) / 1000).toFixed(1));
  }

  #tellLater(): void {
    this.#timer = this.#parts.clock.after(
      STILL_RUNNING_MS,
      () => {
        const { count, names } = this.#stillRunning();
        const seconds = this.#secondsSince(this.#stoppingMs ?? 0);
        const what =
          count === 0
            ? "a part that is no reconcile"
            : `${count} ${count === 1 ? "reconcile" : "reconciles"} (${names})`;
        this.#parts.log.info({ reconciles: count, seconds }, `still stopping: waiting for ${what}`);
        this.#tellLater();
      },
      { unref: true },
    );
  }

  #stillRunning(): { readonly count: number; readonly names: string } {
    const names = namesOf(this.#parts.running());
    return { count: names.length, names: listed(names, NAMED) };
  }
}
