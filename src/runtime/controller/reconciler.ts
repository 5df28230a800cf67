/**
 * What a user writes: the function that makes the cluster match what an object asks for.
 *
 * @module
 */
import type { Logger } from "../../log.ts";
import type { ObjectKey } from "../../kube/object.ts";

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

/**
 * Makes the cluster match what one object asks for. It is called again and again, so it must find its own
 * work done and change nothing then.
 *
 * An error lets the key come again, later each time; a `TerminalError` does not.
 */
export interface Reconciler {
  /** Makes the world as the object of this key wants it, and says whether, and when, to look again. */
  reconcile(request: Request, context: ReconcileContext): Promise<Outcome>;
}
