/** A committed change of one object in the store. */
import type { SentObject } from "../../kube/object.ts";
import type { CollectionName } from "../resource-name.ts";

/** Whether the change belongs to that collection. */
export const isChangeIn = <T extends SentObject>(
  change: Change,
  collection: CollectionName<T>,
): change is Change<T> => change.collection === collection;

export interface Change<T extends SentObject = SentObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The collection, such as `apps/deployments`. */
  readonly collection: string;
  readonly key: string;
  /** The version of the store after this change. */
  readonly version: number;
  /**
   * The object after the change; for a deletion, its last state with the version of the deletion.
   */
  readonly object: T;
  /** The object before the change. */
  readonly old?: T;
}
