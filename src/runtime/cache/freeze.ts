/** Frozen objects: reads from the cache are shared, so nobody may change them. */
import type { KubeObject } from "../../kube/object.ts";
import { dropManagedFields, metadataWithoutManagedFields } from "../rest/json/managed-fields.ts";
import { copyWithMark } from "../rest/partial-objects.ts";

/** The same object, which nobody can change any more, all the way down. */
export function frozen<T extends object>(object: T): T {
  // An object that is frozen on the outside is frozen inside: nothing else here freezes. Asking
  // whether it can be extended is cheaper than asking whether all of it is frozen.
  if (!Object.isExtensible(object)) return object;
  // A loop instead of recursion: an object from outside may be thousands of levels deep, and the
  // stack is not.
  const open: object[] = [object];
  for (let next = open.pop(); next; next = open.pop()) {
    if (!Object.isExtensible(next)) continue;
    Object.freeze(next);
    for (const part of Object.values(next) as unknown[]) {
      if (typeof part === "object" && part !== null) open.push(part);
    }
  }
  return object;
}

/** An object as the cache keeps it: without managedFields, which are a third to a half of most objects. */
export function trimmedForCache<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields) dropManagedFields(object);
  return object;
}

/** The object without its managedFields: a copy if it has any, otherwise the object itself. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (!object.metadata.managedFields) return object;
  return { ...object, metadata: metadataWithoutManagedFields(object) };
}

/**
 * A copy that may be changed, of an object that was read from the cache.
 *
 * @example
 * const changed = mutableCopy(web);
 * changed.spec.replicas = 3;
 * await client.update(Web, changed);
 */
export function mutableCopy<T>(object: T): T {
  return copyWithMark(object);
}
