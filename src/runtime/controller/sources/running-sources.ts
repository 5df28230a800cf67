/** The sources of a controller: those it was built with, and those added while it runs. */
import { manyListeners } from "../../../clock.ts";
import { deferred } from "../../deferred.ts";
import type { Enqueue } from "./handlers.ts";
import type { SourceReport } from "./source-report.ts";
import type { Source, SourceRun } from "./sources.ts";

/** A watch that was added to a controller. */
export interface AddedWatch {
  /** Resolves once all objects of the first list are in the queue. */
  readonly synced: Promise<void>;
  /** Ends the watch: the controller gets no more of its events. */
  remove(): void;
}

export interface SourceSurroundings {
  readonly enqueue: Enqueue;
  readonly signal: AbortSignal;
  readonly report: SourceReport;
  /** Called when a source fails, which ends the controller. */
  readonly failed: (error: unknown) => void;
}

export class RunningSources {
  readonly #waiting = new Set<(surroundings: SourceSurroundings) => Promise<void>>();
  readonly #runs = new Set<SourceRun>();
  #surroundings: SourceSurroundings | undefined;

  constructor(sources: readonly Source[]) {
    for (const source of sources) this.add(source);
  }

  /** Adds a source, which starts with the controller, or at once. */
  add(source: Source): AddedWatch {
    const end = manyListeners(new AbortController());
    const synced = deferred();
    const start = async (surroundings: SourceSurroundings): Promise<void> => {
      const follow = (): void => {
        end.abort(surroundings.signal.reason);
      };
      if (surroundings.signal.aborted) follow();
      surroundings.signal.addEventListener("abort", follow, { once: true, signal: end.signal });
      const run = source.start(surroundings.enqueue, end.signal, surroundings.report);
      this.#runs.add(run);
      end.signal.addEventListener("abort", () => this.#runs.delete(run), { once: true });
      run.ended.catch((error: unknown) => {
        surroundings.failed(error);
      });
      await run.synced;
      synced.resolve();
    };
    if (this.#surroundings) {
      const { failed } = this.#surroundings;
      start(this.#surroundings).catch(failed);
    } else this.#waiting.add(start);
    return {
      synced: synced.promise,
      remove: () => {
        this.#waiting.delete(start);
        end.abort(new Error("the watch was removed"));
      },
    };
  }

  /** Starts the sources; resolves once all objects of the first lists are in the queue. */
  async start(surroundings: SourceSurroundings): Promise<void> {
    this.#surroundings = surroundings;
    const starting = [...this.#waiting].map((start) => start(surroundings));
    this.#waiting.clear();
    await Promise.all(starting);
  }

  /** Enqueues all objects again. */
  resync(): void {
    for (const { resync } of this.#runs) resync?.();
  }
}
