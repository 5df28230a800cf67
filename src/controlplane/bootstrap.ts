/**
 * The objects that every cluster begins with.
 *
 * @module
 */
import type { KubeObject } from "../kube/object.ts";
import { type Cluster, randomUid, timestamp } from "./server/cluster.ts";
import { collectionOf } from "./server/registry.ts";

const NAMESPACES = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Puts the first objects into the store, unless they are there. */
export function createBootstrapObjects(cluster: Cluster): void {
  for (const name of NAMESPACES) {
    add(cluster, "namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    } as KubeObject);
  }
}

function add(cluster: Cluster, plural: string, object: KubeObject): void {
  const collection = collectionOf({ group: "", plural });
  const { name = "", ...rest } = object.metadata;
  if (cluster.store.get(collection, name)) return;
  object.metadata = {
    name,
    uid: randomUid(cluster.clock),
    creationTimestamp: timestamp(cluster.clock),
    ...rest,
  };
  cluster.store.put(collection, object);
}
