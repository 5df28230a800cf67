/**
 * What happened to one object of the store.
 *
 * @module
 */
import type { SentObject } from "../../kube/object.ts";

/** One committed change. */
export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The collection, such as `apps/deployments`. */
  readonly collection: string;
  readonly key: string;
  /** The version of the store after this change. */
  readonly version: number;
  /** The object as it is now; of a deletion, its last state with the deletion's version. */
  readonly object: SentObject;
  /** The object as it was before. */
  readonly old?: SentObject;
}
