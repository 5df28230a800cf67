/**
 * What a user writes: the function that makes the cluster match what an object asks for.
 *
 * @module
 */
import type { Logger } from "../../log.ts";
import type { KubeObject, ObjectKey } from "../../kube/object.ts";

/** Which object to look at. It says not what happened: look at what is there. */
export interface Request {
  readonly key: ObjectKey;
}

/** What comes after a reconcile that succeeded. */
export interface Result {
  /** Look again after this time, in milliseconds, even if nothing happens until then; what is not above 0 means now. */
  readonly requeueAfterMs?: number;
  /** How urgent that is; as this time when absent. */
  readonly priority?: number;
}

/** A `Result`, or nothing to say: the object is as it should be. */
// A reconciler that just ends returns void, and should not have to say so.
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type
export type Outcome = Result | void;

/** The circumstances of one reconcile. */
export interface ReconcileContext {
  /** Aborted when the manager stops, or the reconcile takes too long. */
  readonly signal: AbortSignal;
  /** Adds the controller, the key and the reconcile's id to each line. */
  readonly log: Logger;
  /** Why it runs: `update of Deployment d/web`, `retry 2 after: ...`; at most eight. */
  readonly causes: readonly string[];
  /** How often this key has failed in a row before. */
  readonly failures: number;
  /** Wall time in milliseconds: what `setCondition` wants. */
  readonly nowMs: number;
}

/** The circumstances of one cleanup. */
export interface CleanupContext extends ReconcileContext {
  /** When the deletion was asked for, as wall time in milliseconds. */
  readonly deletedAtMs: number;
  /**
   * Until when it should be done, as wall time in milliseconds. After that an event and `tsop_cleanups_overdue_total` tell
   * people, and it is tried on: `cleanupTimeoutMs` of `withOptions` says how long it may take.
   */
  readonly deadlineMs: number;
}

/**
 * Makes the cluster match what one object asks for. It is called again and again, so it must find its own
 * work done and change nothing then.
 *
 * An error lets the key come again, later each time; a `TerminalError` does not.
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
  /** Makes the world as the object of this key wants it, and says whether, and when, to look again. */
  reconcile(request: Request, context: ReconcileContext): Promise<Outcome>;
  /**
   * Takes away what the object leaves behind outside of what the garbage collector takes. Called while the object is
   * being deleted, until it returns without asking to be called again; `reconcile` is not called for such an object.
   *
   * A reconciler with a cleanup has a finalizer: the runtime adds it before the first `reconcile`, and removes it when
   * the cleanup is done. What it throws, a `TerminalError` too, lets it come again: nothing but a cleanup that is done
   * removes the finalizer.
   */
  cleanup?(object: T, context: CleanupContext): Promise<Outcome>;
  /**
   * Called when one of the two has failed, before it is tried again: what the status should say. Not for conflicts, which
   * the next try settles, and not when the object is gone. What it throws itself is logged, and changes nothing else.
   */
  onError?(object: T, error: Error, context: ReconcileContext): Promise<void>;
}
