/** Observers of reconciles: traces, and the journal. */
import { present } from "../../present.ts";
import type { CachedReadsObserver } from "../client/cached-client.ts";
import type { RestRequest } from "../rest/rest-client.ts";
import type { CauseType } from "./sources/handlers.ts";
import type { ObjectEvent } from "./sources/predicates.ts";
import type { ReconcileTap } from "../rest/reconcile-tap.ts";

export interface Cause {
  readonly type: CauseType;
  /** The text of the cause: `update of Deployment d/web`. */
  readonly text: string;
  /** The event; only for an observer that wants it. */
  readonly event?: ObjectEvent | undefined;
}

export interface ObservedStart {
  readonly controller: string;
  /** The kind of the object; absent for a controller without a kind. */
  readonly kind: string | undefined;
  /** The resource of that kind: `deployments.apps`. */
  readonly resource: string | undefined;
  /** The key: `default/web`. */
  readonly key: string;
  readonly id: string;
  readonly causes: readonly string[];
  /** The causes with their events, where the observer asked for them. */
  readonly origins: readonly Cause[];
  readonly failures: number;
  /** The wall time, in milliseconds. */
  readonly nowMs: number;
  /** How many keys are queued. */
  readonly queueDepth: number;
}

/** Records the objects that a reconcile reads and writes. */
export interface ReconcileNotes {
  /** Records a read that the cache answers. */
  readCached: CachedReadsObserver;
  /** Records a request that is about to be sent; the result takes its outcome. */
  request(request: RestRequest): RequestNote;
}

/** Records the outcome of a request. */
export interface RequestNote {
  answered(answer: unknown): void;
  failed(error: unknown): void;
}

/** The observation of one reconcile. */
export interface ObservedReconcile {
  /** Records its reads and writes; absent for an observer that does not need them. */
  readonly notes?: ReconcileNotes;
  /** The tap between it and its questions; absent for an observer that only observes. */
  readonly tap?: ReconcileTap;
  run<T>(work: () => T): T;
  /** Called when it succeeded; `requeueAfterMs` when it asks to run again. */
  succeeded(requeueAfterMs: number | undefined): void;
  failed(error: unknown): void;
  /** Called after `succeeded` or `failed`, and after the handling of that. */
  end(): void;
}

export interface ReconcileObserver {
  /** Whether it wants the events behind the causes. */
  readonly wantsOrigins: boolean;
  reconcile(start: ObservedStart): ObservedReconcile;
}

/** One observer of several; `undefined` for none. */
export function observersAsOne(
  observers: readonly ReconcileObserver[],
): ReconcileObserver | undefined {
  const [first, ...others] = observers;
  if (!first) return undefined;
  return others.reduce<ReconcileObserver>((one, other) => new BothObservers(one, other), first);
}

class BothObservers implements ReconcileObserver {
  readonly #outer: ReconcileObserver;
  readonly #inner: ReconcileObserver;

  constructor(outer: ReconcileObserver, inner: ReconcileObserver) {
    this.#outer = outer;
    this.#inner = inner;
  }

  get wantsOrigins(): boolean {
    return this.#outer.wantsOrigins || this.#inner.wantsOrigins;
  }

  reconcile(start: ObservedStart): ObservedReconcile {
    const outer = this.#outer.reconcile(start);
    const inner = this.#inner.reconcile(start);
    const notes = outer.notes ?? inner.notes;
    const tap = outer.tap ?? inner.tap;
    return {
      ...present({ notes, tap }),
      run: (work) => outer.run(() => inner.run(work)),
      succeeded(requeueAfterMs) {
        outer.succeeded(requeueAfterMs);
        inner.succeeded(requeueAfterMs);
      },
      failed(error) {
        outer.failed(error);
        inner.failed(error);
      },
      end() {
        inner.end();
        outer.end();
      },
    };
  }
}
