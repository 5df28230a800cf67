/**
 * Objects of which only a part was read, or is kept by the cache: they are marked, so that none of
 * them is written back as if it were whole.
 *
 * The mark is a symbol of the object itself: a copy by `mutableCopy` and a spread have it too, but
 * JSON does not.
 */
import { TsopError } from "../../errors.ts";
import { copyJson } from "../../kube/json.ts";

const PARTIAL: unique symbol = Symbol("tsop.partial");

export function isPartial(object: object): boolean {
  return PARTIAL in object;
}

/** A mutable copy of an object, marked as partial if the object is. */
export function copyWithMark<T>(object: T): T {
  const copy = copyJson(object);
  if (typeof object === "object" && object !== null && isPartial(object)) mark(copy as object);
  return copy;
}

/**
 * Refuses to write an object that is only partly known: the rest of it would be removed.
 *
 * @throws TsopError `partial-write`
 */
export function assertNotPartial(object: object, kind: string): void {
  if (!isPartial(object)) return;
  throw new TsopError(
    "partial-write",
    `This ${kind} cannot be written as a whole: only part of it was read, so the rest would be lost.`,
    "Read it with client.live and write that, or patch the fields (client.patch).",
  );
}

export function markPartial<T extends object>(object: T): T {
  if (!isPartial(object)) mark(object);
  return object;
}

function mark(object: object): void {
  Object.defineProperty(object, PARTIAL, { value: true, enumerable: true });
}
