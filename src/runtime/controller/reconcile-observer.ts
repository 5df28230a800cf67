/**
 * Looks on at reconciles: traces do, and the journal.
 *
 * @module
 */
import { present } from "../../present.ts";
import type { CachedReadsObserver } from "../client/cached-client.ts";
import type { RestRequest } from "../client/rest-client.ts";
import type { ObjectEvent } from "./predicates.ts";
import type { ReconcileTap } from "./reconcile-tap.ts";

/** What leads to a reconcile: something that happened to an object, or the operator's own plans. */
export type CauseType = "event" | "timer" | "retry" | "requeue" | "other";

/** A cause, with the event that it comes from. */
export interface Cause {
  readonly type: CauseType;
  /** `update of Deployment d/web`. */
  readonly text: string;
  /** Only where somebody looks on. */
  readonly event?: ObjectEvent | undefined;
}

/** What is known of a reconcile at its beginning. */
export interface ObservedStart {
  readonly controller: string;
  /** Of the object; absent for a controller that is for no kind. */
  readonly kind: string | undefined;
  /** Of that kind: `deployments.apps`. */
  readonly resource: string | undefined;
  /** `default/web`. */
  readonly key: string;
  readonly id: string;
  readonly causes: readonly string[];
  /** The same with what led to them, where the observer asked for it. */
  readonly origins: readonly Cause[];
  readonly failures: number;
  /** Wall time. */
  readonly nowMs: number;
  /** How many keys wait behind it. */
  readonly queueDepth: number;
}

/** What is noted of the objects that a reconcile reads and writes. */
export interface ReconcileNotes {
  /** A read that the cache answered. */
  readCached: CachedReadsObserver;
  /** A request that is about to be sent; who is returned is told how it ended. */
  request(request: RestRequest): RequestNote;
}

/** What is told how a request ended. */
export interface RequestNote {
  answered(answer: unknown): void;
  failed(error: unknown): void;
}

/** One reconcile that somebody looks on at. */
export interface ObservedReconcile {
  /** Takes down what it reads and writes; absent for who does not want to know. */
  readonly notes?: ReconcileNotes;
  /** Stands between it and what it asks; absent for who only looks on. */
  readonly tap?: ReconcileTap;
  /** Runs the reconcile. */
  run<T>(work: () => T): T;
  /** It ended well; `requeueAfterMs` when it wants to run again. */
  succeeded(requeueAfterMs: number | undefined): void;
  failed(error: unknown): void;
  /** After `succeeded` or `failed`, and after what was done about that. */
  end(): void;
}

/** Looks on at all reconciles of a manager. */
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
