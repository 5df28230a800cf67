/** Things that run together and are stopped together. */

import { setMaxListeners } from "node:events";
import type { Activity } from "../controller/activity.ts";

/** Something that runs until its signal is aborted. */
export interface Runnable {
  /** Runs, and resolves once `signal` is aborted and all is at an end. A rejection ends the manager. */
  start(signal: AbortSignal): Promise<void>;
  /** Runs only in the process that leads, where there is leader election; true when absent. */
  readonly needLeaderElection?: boolean;
  /** The present activity; `manager.idle()` waits until there is none. Optional. */
  activity?(): Activity;
}

/** Starts what is added once it is itself started, and stops all of it at once. */
export class RunGroup {
  readonly #waiting: Runnable[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #active = new Set<Runnable>();
  readonly #stop = new AbortController();
  readonly #onFailure: (error: unknown) => void;
  #started = false;

  /** @param onFailure - told when one of them fails before it was stopped */
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
    // One for each part and each watch: Node's warning of a leak at ten would be none.
    setMaxListeners(0, this.#stop.signal);
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
    // `Promise.resolve().then`: what throws before its first await fails like the rest.
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
