/**
 * Frozen objects: reads from the cache are shared, so nobody may change them.
 *
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";

/** Freezes a JSON value, all the way down. */
function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
}

/** An object as the cache keeps it: without managedFields, a third to a half of most objects, and frozen. */
export function frozenForCache<T extends KubeObject>(object: T): T {
  delete object.metadata.managedFields;
  deepFreeze(object);
  return object;
}

/** A copy that may be changed, of an object that was read from the cache. */
export function mutableCopy<T>(object: T): T {
  return structuredClone(object);
}
