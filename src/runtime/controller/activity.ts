/**
 * What a part of a manager does, for who waits until nothing is done any more.
 *
 * @module
 */
import type { ObjectKey } from "../../kube/object.ts";

/** A key that a controller looks at later: a `requeueAfterMs`, or a retry. */
export interface WaitingKey {
  readonly controller: string;
  readonly key: ObjectKey;
  /** When, in milliseconds since 1970 on the manager's clock. */
  readonly atMs: number;
}

/** A controller's queue. */
export interface QueueState {
  readonly controller: string;
  /** The keys that are worked on: `default/web`. */
  readonly inHand: readonly string[];
  /** How many are in line. */
  readonly depth: number;
  /** The keys that wait for their time, and when that is, in milliseconds since 1970. */
  readonly waiting: readonly { readonly key: string; readonly atMs: number }[];
}

/** What is under way, and what waits for its time. */
export interface Activity {
  /** Each in words; empty when nothing is done. */
  readonly busy: readonly string[];
  readonly waiting: readonly WaitingKey[];
  /** Of a controller. */
  readonly queue?: QueueState;
}
