/** One reconcile: its context, and its records. */
import type { Logger } from "../../log.ts";
import type {
  Cause,
  ObservedReconcile,
  ObservedStart,
  ReconcileObserver,
} from "./reconcile-observer.ts";
import type { ReconcileScope } from "./reconcile-scopes.ts";
import { parseKey } from "./outcomes.ts";
import type { ReconcileContext } from "./reconciler.ts";

export interface ReconcileStart {
  readonly controller: string;
  /** The key of the object: `d/web`. */
  readonly key: string;
  /** The id, unique in the process. */
  readonly id: string;
  readonly startMs: number;
  /** The wall time, in milliseconds. */
  readonly nowMs: number;
  readonly signal: AbortSignal;
  readonly causes: readonly string[];
  /** The causes with their events, where the observer wants them. */
  readonly origins: readonly Cause[];
  readonly failures: number;
  /** The log of the controller. */
  readonly log: Logger;
}

/** The context that the reconciler gets, with the scope of its requests. */
export class ReconcileRun implements ReconcileContext {
  readonly scope: ReconcileScope;
  readonly signal: AbortSignal;
  readonly causes: readonly string[];
  readonly failures: number;
  readonly nowMs: number;
  /** The start on the monotonic clock. */
  readonly startMs: number;
  readonly #start: ReconcileStart;
  #log: Logger | undefined;

  constructor(start: ReconcileStart) {
    const { controller, key, id, signal, causes, failures, nowMs, startMs } = start;
    this.scope = { controller, key, id, changes: [], expired: false };
    this.signal = signal;
    this.causes = causes;
    this.failures = failures;
    this.nowMs = nowMs;
    this.startMs = startMs;
    this.#start = start;
  }

  /** The same reconcile with a new scope for its requests, and a timeout of its own. */
  again(signal: AbortSignal): ReconcileRun {
    const run = new ReconcileRun({ ...this.#start, signal });
    run.scope.notes = this.scope.notes;
    run.scope.tap = this.scope.tap;
    return run;
  }

  /** Notifies an observer, who may record its reads and writes. */
  observeBy(
    observer: ReconcileObserver,
    about: Pick<ObservedStart, "kind" | "resource" | "queueDepth">,
  ): ObservedReconcile {
    const observed = observer.reconcile({ ...this.#start, ...about });
    this.scope.notes = observed.notes;
    this.scope.tap = observed.tap;
    return observed;
  }

  /** Made on first use: most reconciles log nothing. */
  get log(): Logger {
    const { log, key, id } = this.#start;
    return (this.#log ??= log.child({ ...parseKey(key), reconcileID: id }));
  }
}
