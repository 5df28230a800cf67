/**
 * New objects whose stored form lacks a default that every read fills in. A write of such an object
 * as it was read changes the stored object, though nobody can see it.
 */
import type { SentObject } from "../../../kube/object.ts";

const unfilled = new WeakSet<SentObject>();

/** Remembers a stored object that lacks a default of its kind. */
export function noteUnfilled(stored: SentObject): void {
  unfilled.add(stored);
}

/** Whether the stored object lacks a default of its kind. */
export function isUnfilled(stored: SentObject): boolean {
  return unfilled.has(stored);
}
