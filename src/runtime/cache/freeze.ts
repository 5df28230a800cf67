/**
 * Frozen objects: reads from the cache are shared, so nobody may change them.
 *
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";

/** The same object, which nobody can change any more, all the way down. */
export function frozen<T extends object>(object: T): T {
  freezeParts(object);
  return object;
}

function freezeParts(value: object): void {
  // What is frozen on the outside is frozen inside: nothing else here freezes.
  if (Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value) as unknown[]) {
    if (typeof part === "object" && part !== null) freezeParts(part);
  }
}

/** An object as the cache keeps it: without managedFields, which are a third to a half of most objects. */
export function trimmedForCache<T extends KubeObject>(object: T): T {
  // `delete` would turn the rest into a dictionary, which is slower and larger.
  const { managedFields, ...kept } = object.metadata;
  if (managedFields) object.metadata = kept;
  return object;
}

/** A copy that may be changed, of an object that was read from the cache. */
export function mutableCopy<T>(object: T): T {
  return structuredClone(object);
}
