/** The activity of the parts of a manager, for callers that wait until it is idle. */
import type { ObjectKey } from "../../kube/object.ts";

/** A key that a controller will reconcile later: a `requeueAfterMs`, or a retry. */
export interface WaitingKey {
  readonly controller: string;
  readonly key: ObjectKey;
  /** The time of that, in milliseconds since 1970 on the manager's clock. */
  readonly atMs: number;
}

/** The state of a controller's queue. */
export interface QueueState {
  readonly controller: string;
  /** The keys that are being reconciled: `default/web`. */
  readonly inHand: readonly string[];
  /** How many keys are queued. */
  readonly depth: number;
  /** The keys that wait for their time, in milliseconds since 1970. */
  readonly waiting: readonly { readonly key: string; readonly atMs: number }[];
}

/** The activity of one part. */
export interface Activity {
  /** The work under way, in words; empty when idle. */
  readonly busy: readonly string[];
  readonly waiting: readonly WaitingKey[];
  readonly queue?: QueueState;
}
