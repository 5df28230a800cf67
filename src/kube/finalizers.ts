/**
 * Finalizers: an object with one stays, marked as being deleted, until the finalizer is removed.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/
 */
import type { SentObject } from "./object.ts";

/**
 * Whether the object has the finalizer.
 *
 * @example
 * if (hasFinalizer(web, "web.example.com/bucket")) return;
 */
export function hasFinalizer(object: SentObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * Whether the object is being deleted, and waits for its finalizers.
 *
 * @example
 * if (isBeingDeleted(web)) return;
 */
export function isBeingDeleted(object: SentObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}
