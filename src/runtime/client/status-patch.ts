/** Patches of a status that keep what others write to it meanwhile. */
import { sameJson } from "../../kube/json.ts";
import { keyOf, type KubeObject } from "../../kube/object.ts";
import { applyMergePatch } from "../../kube/patch.ts";
import type { Whole } from "../../kube/resource.ts";
import { isConflict, isForbidden } from "../../kube/status.ts";
import { isPartial } from "../rest/partial-objects.ts";
import type { Client, StatusPatch, StatusPatchOptions } from "./client.ts";
import { lockedPatch, mergePatch, type Patch } from "./patches.ts";

export type WithStatus = KubeObject & { status?: object } & Whole;

// The limit of conflicts: another writer that is faster so often is in a loop; the reconcile then
// fails, and is retried later.
const CONFLICT_TRIES = 5;

/** The patch that a function returns for an object's status. */
export function changedStatus<T extends WithStatus>(
  object: T,
  change: (status: T["status"]) => StatusPatch<T>,
): StatusPatch<T> {
  return change(object.status as T["status"]);
}

/** Whether a patch of the status would leave it as it is. */
export function isStatusPatched({ status }: WithStatus, change: object): boolean {
  return status !== undefined && sameJson(applyMergePatch({ ...status }, change), status);
}

/**
 * The merge patch of a status, with the version of the object where it must not have changed.
 *
 * @param optimisticLock - when absent: whether there are conditions in it
 * @throws TsopError `lock-without-version`
 */
export function lockedStatusPatch(
  object: KubeObject,
  status: object,
  optimisticLock = Array.isArray((status as { conditions?: unknown }).conditions),
): Patch {
  const patch = mergePatch({ status });
  return optimisticLock ? lockedPatch(patch, object) : patch;
}

/**
 * Patches the status by a function of the present one, and again after a conflict.
 *
 * @throws StatusError 409 when others are faster each time
 */
export async function patchStatusFrom<T extends WithStatus>(
  client: Client,
  object: T,
  change: (status: T["status"]) => StatusPatch<T>,
  options: StatusPatchOptions,
): Promise<T> {
  const isWhole = Boolean(object.metadata.resourceVersion) && !isPartial(object);
  let base = isWhole ? object : await reread(client, object);
  for (let attempt = 1; ; attempt++) {
    try {
      const locked = { ...options, optimisticLock: true };
      return await client.live.status.patch(base, changedStatus(base, change), locked);
    } catch (error) {
      if (!isConflict(error) || attempt >= CONFLICT_TRIES) throw error;
      base = await reread(client, base, error);
    }
  }
}

/**
 * The object, read again. @throws `conflict` where it may not be read, or was replaced by another
 * one of that name
 */
async function reread<T extends WithStatus>(
  client: Client,
  known: T,
  conflict?: Error,
): Promise<T> {
  const token = await client.live.dynamic(known.apiVersion, known.kind);
  try {
    const object = await client.live.get(token, keyOf(known));
    // Its name and kind are the same, and so is the type.
    if (!conflict || object.metadata.uid === known.metadata.uid) return object as T;
    throw conflict;
  } catch (error) {
    throw conflict && isForbidden(error) ? conflict : error;
  }
}
