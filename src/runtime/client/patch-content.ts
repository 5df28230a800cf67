/** The content of patch requests. */
import { TsopError } from "../../errors.ts";
import { formatKey, keyOf, type ObjectKey } from "../../kube/object.ts";
import type { PatchOptions, WriteOptions } from "./client.ts";
import { lockedPatch, type Patch } from "./patches.ts";

/**
 * The content of a patch request, with its lock.
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
  // The key of a cluster-scoped object may still have a namespace.
  if (metadata.name === key.name && (metadata.namespace ?? key.namespace) === key.namespace) {
    return { ...lockedPatch(patch, optimisticLock), options };
  }
  throw new TsopError(
    "lock-of-another-object",
    `${formatKey(key)} cannot be patched with the version of the ${kind} ${formatKey(keyOf(optimisticLock))}: that is another object.`,
    "Pass the object that you read to `optimisticLock`.",
  );
}
