import type { SentObject } from "../../kube/object.ts";

/**
 * New objects whose stored form lacks a default that every read fills in. A write of such an object
 * as it was read changes the stored object, though nobody can see it.
 */
export const unfilled = new WeakSet<SentObject>();
