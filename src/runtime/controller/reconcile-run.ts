/**
 * One reconcile: what it is told, and what is to be known of it.
 *
 * @module
 */
import type { Logger } from "../../log.ts";
import type {
  Cause,
  ObservedReconcile,
  ObservedStart,
  ReconcileObserver,
} from "./reconcile-observer.ts";
import type { ReconcileScope } from "./reconcile-scopes.ts";
import type { ReconcileContext } from "./reconciler.ts";

/** What a reconcile begins with. */
export interface ReconcileStart {
  readonly controller: string;
  /** Of the object: `d/web`. */
  readonly key: string;
  /** Unique in the process. */
  readonly id: string;
  readonly startMs: number;
  /** Wall time. */
  readonly nowMs: number;
  readonly signal: AbortSignal;
  readonly causes: readonly string[];
  /** What led to the causes, where who looks on wants to know. */
  readonly origins: readonly Cause[];
  readonly failures: number;
  /** Of the controller. */
  readonly log: Logger;
}

/** What the reconciler sees of it, with the scope that its requests have. */
export class ReconcileRun implements ReconcileContext {
  readonly scope: ReconcileScope;
  readonly signal: AbortSignal;
  readonly causes: readonly string[];
  readonly failures: number;
  readonly nowMs: number;
  /** On the monotonic clock. */
  readonly startMs: number;
  readonly #start: ReconcileStart;
  #log: Logger | undefined;

  constructor(start: ReconcileStart) {
    const { controller, key, signal, causes, failures, nowMs, startMs } = start;
    this.scope = { controller, key, changes: [], expired: false };
    this.signal = signal;
    this.causes = causes;
    this.failures = failures;
    this.nowMs = nowMs;
    this.startMs = startMs;
    this.#start = start;
  }

  /** The same reconcile with requests of a scope of its own, and time of its own. */
  again(signal: AbortSignal): ReconcileRun {
    const run = new ReconcileRun({ ...this.#start, signal });
    run.scope.notes = this.scope.notes;
    run.scope.tap = this.scope.tap;
    return run;
  }

  /** Tells somebody who looks on, who may take notes of what it reads and writes. */
  observeBy(
    observer: ReconcileObserver,
    about: Pick<ObservedStart, "kind" | "resource" | "queueDepth">,
  ): ObservedReconcile {
    const observed = observer.reconcile({ ...this.#start, ...about });
    this.scope.notes = observed.notes;
    this.scope.tap = observed.tap;
    return observed;
  }

  /** Made when somebody asks: most reconciles have nothing to say. */
  get log(): Logger {
    const { log, controller, key, id } = this.#start;
    return (this.#log ??= log.child({ controller, key, reconcileID: id }));
  }
}
