/**
 * One reconcile: what it is told, and what is to be known of it.
 *
 * @module
 */
import type { Logger } from "../../log.ts";
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
    return new ReconcileRun({ ...this.#start, signal });
  }

  /** What its span says. */
  get traced(): Pick<ReconcileStart, "controller" | "key" | "id" | "causes" | "failures"> {
    return this.#start;
  }

  /** Made when somebody asks: most reconciles have nothing to say. */
  get log(): Logger {
    const { log, controller, key, id } = this.#start;
    return (this.#log ??= log.child({ controller, key, reconcileID: id }));
  }
}
