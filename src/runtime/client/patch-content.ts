/**
 * Patches as a call sends them.
 *
 * @module
 */
import { TsopError } from "../../errors.ts";
import { formatKey, keyOf, type ObjectKey } from "../../kube/object.ts";
import type { PatchOptions, WriteOptions } from "./client.ts";
import { lockedPatch, type Patch } from "./patches.ts";

/**
 * What a patch sends, with its lock.
 *
 * @throws TsopError `lock-without-version`, `lock-of-another-object`
 */
export function patchContent(
  key: ObjectKey,
  patch: Patch,
  { optimisticLock, ...options }: PatchOptions,
): Patch & { readonly options: WriteOptions } {
  if (!optimisticLock) return { ...patch, options };
  const { kind, metadata } = optimisticLock;
  // A key of what is in no namespace may have one all the same.
  if (metadata.name === key.name && (metadata.namespace ?? key.namespace) === key.namespace) {
    return { ...lockedPatch(patch, optimisticLock), options };
  }
  throw new TsopError(
    "lock-of-another-object",
    `${formatKey(key)} cannot be patched with the version of the ${kind} ${formatKey(keyOf(optimisticLock))}: that is another object.`,
    "Give `optimisticLock` the object that is patched, as it was read.",
  );
}
