/**
 * What happened to one object of the store.
 *
 * @module
 */
import type { SentObject } from "../../kube/object.ts";
import type { CollectionName } from "../resource-name.ts";

/** Whether the change is one of that collection. */
export const isChangeIn = <T extends SentObject>(
  change: Change,
  collection: CollectionName<T>,
): change is Change<T> => change.collection === collection;

/** One committed change. */
export interface Change<T extends SentObject = SentObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The collection, such as `apps/deployments`. */
  readonly collection: string;
  readonly key: string;
  /** The version of the store after this change. */
  readonly version: number;
  /** The object as it is now; of a deletion, its last state with the deletion's version. */
  readonly object: T;
  /** The object as it was before. */
  readonly old?: T;
}
