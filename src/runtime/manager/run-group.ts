/** Parts that run together and are stopped together. */

import { manyListeners } from "../../clock.ts";
import type { Activity } from "../controller/activity.ts";

/** A part that runs until its signal is aborted. */
export interface Runnable {
  /** Runs until `signal` is aborted and all work has ended. A rejection ends the manager. */
  start(signal: AbortSignal): Promise<void>;
  /** Runs the part only in the leader, where there is leader election; true when absent. */
  readonly needLeaderElection?: boolean;
  /** The present activity; `manager.idle()` waits until there is none. Optional. */
  activity?(): Activity;
}

class RunGroup {
  readonly #waiting: Runnable[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #active = new Set<Runnable>();
  readonly #stop = manyListeners(new AbortController());
  readonly #onFailure: (error: unknown) => void;
  #started = false;

  /** @param onFailure - called when a part fails before it was stopped */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  add(runnable: Runnable): void {
    if (this.#started) this.#run(runnable);
    else this.#waiting.push(runnable);
  }

  start(): void {
    if (this.#stop.signal.aborted) return;
    this.#started = true;
    for (const runnable of this.#waiting.splice(0)) this.#run(runnable);
  }

  /** The activities of the running parts. */
  activities(): Activity[] {
    return [...this.#active].flatMap((runnable) => runnable.activity?.() ?? []);
  }

  /** Resolves when all of them have ended. */
  async stop(reason: unknown): Promise<void> {
    this.#stop.abort(reason);
    await Promise.all(this.#running);
  }

  #run(runnable: Runnable): void {
    const { signal } = this.#stop;
    // `Promise.resolve().then`: an error before the first await of a part is handled like any
    // other.
    const run = Promise.resolve()
      .then(() => runnable.start(signal))
      .catch((error: unknown) => {
        if (!signal.aborted) this.#onFailure(error);
      })
      .finally(() => {
        this.#running.delete(run);
        this.#active.delete(runnable);
      });
    this.#running.add(run);
    this.#active.add(runnable);
  }
}

/** The groups of a manager. */
export interface ManagerGroups {
  /** The parts that run in all processes. */
  readonly everywhere: RunGroup;
  /** The parts that run in the leader alone. */
  readonly leading: RunGroup;
  /** The place of this process among the shards, which it keeps while it works. */
  readonly membership: RunGroup;
  /** The caches, which handlers of webhooks read until the end. */
  readonly caches: RunGroup;
}

/** @param onFailure - called when a part fails before it was stopped */
export const managerGroups = (onFailure: (error: unknown) => void): ManagerGroups => ({
  everywhere: new RunGroup(onFailure),
  leading: new RunGroup(onFailure),
  membership: new RunGroup(onFailure),
  caches: new RunGroup(onFailure),
});
