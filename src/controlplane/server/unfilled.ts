/**
 * New objects whose stored form lacks a default that every read fills in. A write of such an object as it was read is
 * a change of what is stored, though nobody can see one.
 *
 * @module
 */
import type { SentObject } from "../../kube/object.ts";
import { groupResourceOf, type ResourceInfo } from "../../kube/resource.ts";

const unfilled = new WeakSet<SentObject>();

/**
 * Whether a create leaves such a default out: the labels of a Job, which are those of its pods, are made after defaults
 * are set; the status of a claim is emptied after that.
 *
 * @param object - validated, without the defaults of a read
 */
export function lacksDefault(
  resource: Pick<ResourceInfo, "group" | "plural">,
  { metadata }: SentObject,
): boolean {
  switch (groupResourceOf(resource)) {
    case "jobs.batch":
      return Object.keys(metadata.labels ?? {}).length === 0;
    case "persistentvolumeclaims":
      return true;
    default:
      return false;
  }
}

/** Remembers a stored object of which `lacksDefault` was true. */
export function noteUnfilled(stored: SentObject): void {
  unfilled.add(stored);
}

/** Whether the stored object was noted. */
export function isUnfilled(stored: SentObject): boolean {
  return unfilled.has(stored);
}
