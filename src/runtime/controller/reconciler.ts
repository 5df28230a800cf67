/** The reconciler: a user's function that makes the cluster match the spec of an object. */
import type { Logger } from "../../log.ts";
import type { KubeObject, ObjectKey } from "../../kube/object.ts";

/** The key of the object to reconcile. It does not say what happened: read the present state. */
export interface Request {
  readonly key: ObjectKey;
}

/** The result of a reconcile that succeeded. */
export interface Result {
  /**
   * Runs again after this time, in milliseconds, even if nothing happens until then; 0 or less
   * means at once.
   */
  readonly requeueAfterMs?: number;
  /** The priority of that run; the present one when absent. */
  readonly priority?: number;
}

/** A `Result`, or nothing: the object is as it should be. */
// A reconciler that just ends returns void, and should not have to say so.
// oxlint-disable-next-line typescript/no-invalid-void-type
export type Outcome = Result | void;

/** The context of one reconcile. */
export interface ReconcileContext {
  /** Aborted when the manager stops, or the reconcile takes too long. */
  readonly signal: AbortSignal;
  /** The log, which adds `controller`, `namespace`, `name` and `reconcileID` to each line. */
  readonly log: Logger;
  /** The causes: `update of Deployment d/web`, `retry 2 after: ...`; at most eight. */
  readonly causes: readonly string[];
  /** How often this key has failed in a row before. */
  readonly failures: number;
  /** The wall time in milliseconds, as `setCondition` takes it. */
  readonly nowMs: number;
}

/** The context of one cleanup. */
export interface CleanupContext extends ReconcileContext {
  /** The start of the deletion, as wall time in milliseconds. */
  readonly deletedAtMs: number;
  /**
   * The deadline, as wall time in milliseconds. After it an event and `tsop_cleanups_overdue_total`
   * report the cleanup, and it is still retried: `cleanupTimeoutMs` of `withOptions` sets its
   * length.
   */
  readonly deadlineMs: number;
}

/**
 * Makes the cluster match the spec of one object. It is called again and again, so it must be
 * idempotent: when its work is done, it changes nothing.
 *
 * After an error the key is retried, with growing waits; after a `TerminalError` it is not.
 *
 * @example
 * class WebReconciler implements Reconciler<Web> {
 *   async reconcile({ key }: Request) {
 *     await ensureBucket(key.name);
 *   }
 *   async cleanup(web: Web) {
 *     await deleteBucket(web.metadata.name);
 *   }
 * }
 */
export interface Reconciler<T extends KubeObject = KubeObject> {
  /** Makes the world match the object of this key, and returns whether, and when, to run again. */
  reconcile(request: Request, context: ReconcileContext): Promise<Outcome>;
  /**
   * Removes what the object leaves behind and the garbage collector does not remove. Called while
   * the object is being deleted, until it returns without asking to be called again; `reconcile` is
   * not called for such an object.
   *
   * A reconciler with a cleanup has a finalizer: the runtime adds it before the first `reconcile`,
   * and removes it when the cleanup is done. After any error, a `TerminalError` too, it is retried:
   * only a completed cleanup removes the finalizer.
   */
  cleanup?(object: T, context: CleanupContext): Promise<Outcome>;
  /**
   * Called when one of the two has failed, before the retry, to write the failure into the status.
   * Not for conflicts, which the retry settles, and not when the object is gone. Its own errors are
   * logged, and change nothing else.
   */
  onError?(object: T, error: Error, context: ReconcileContext): Promise<void>;
}
