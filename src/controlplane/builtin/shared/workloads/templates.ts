/**
 * Removes from pod templates what belongs to features that are off.
 *
 * @module
 */
import type { SentObject } from "../../../../kube/object.ts";
import { dropFromTemplate } from "../pods/defaults.ts";
import type { ReplicaSet } from "./shapes.ts";

/** Removes what belongs to features that are off from the template of a workload. */
export function dropFromWorkload(object: SentObject): void {
  dropFromTemplate((object as ReplicaSet).spec.template);
}
