/** Corrections and limits that apply to objects of every kind. */
import { sameJson } from "../../../kube/json.ts";
import type { SentObject, ObjectMeta, OwnerReference } from "../../../kube/object.ts";
import { plainError } from "../../failures.ts";

/** The default limit of a request to etcd, in bytes. */
const STORED_MAX_BYTES = 1.5 * 1024 * 1024;
/** An object with fewer values than this cannot reach the limit unless it holds long strings. */
const OVERHEAD_BYTES = 512;

/** @throws StatusError 500 for an object that a real cluster could not store */
export function checkSize(object: SentObject): void {
  if (sizeOf(object, STORED_MAX_BYTES - OVERHEAD_BYTES) > STORED_MAX_BYTES - OVERHEAD_BYTES) {
    throw plainError("etcdserver: request is too large");
  }
}

/** The length of a value as JSON, counted until it exceeds `limit`. */
function sizeOf(value: unknown, limit: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 5;
  let size = 2;
  for (const key of Object.keys(value)) {
    size += key.length + 4 + sizeOf((value as Record<string, unknown>)[key], limit - size);
    if (size > limit) break;
  }
  return size;
}

/** How many characters of the list of duplicate owners a warning shows. */
const SHOWN_LENGTH = 64;

/**
 * Drops duplicate owners, with a warning.
 *
 * @param when - ` after mutating admission happens`, when that applies
 */
export function dedupOwners(metadata: ObjectMeta, warn: (text: string) => void, when = ""): void {
  const owners = metadata.ownerReferences;
  if (!owners || owners.length < 2) return;
  const kept: OwnerReference[] = [];
  const twice: string[] = [];
  for (const owner of owners) {
    if (kept.some((other) => sameJson(other, owner))) twice.push(owner.uid);
    else kept.push(owner);
  }
  if (twice.length === 0) return;
  metadata.ownerReferences = kept;
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${twice.join(", ").slice(0, SHOWN_LENGTH)}`,
  );
}

const LISTS_AND_MAPS = ["labels", "annotations", "finalizers", "ownerReferences"] as const;

/** Drops the empty lists and maps of an object's metadata, which typed metadata does not have. */
export function tidyMetadata({ metadata }: Pick<SentObject, "metadata">): void {
  for (const field of LISTS_AND_MAPS) {
    const value: object | undefined = metadata[field];
    if (value && Object.keys(value).length === 0) Reflect.deleteProperty(metadata, field);
  }
}
