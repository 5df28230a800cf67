/**
 * The objects that every cluster begins with.
 *
 * @module
 */
import type { KubeObject } from "../kube/object.ts";
import { bootstrapRbacObjects } from "./auth/bootstrap-rbac.ts";
import { type Cluster, randomUid, timestamp } from "./server/cluster.ts";
import { storeKey } from "./store/store.ts";

const RBAC_PLURALS: Readonly<Record<string, string>> = {
  ClusterRole: "clusterroles",
  ClusterRoleBinding: "clusterrolebindings",
  Role: "roles",
  RoleBinding: "rolebindings",
};

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
  for (const object of bootstrapRbacObjects()) {
    add(cluster, `${RBAC_PLURALS[object.kind] ?? ""}.rbac.authorization.k8s.io`, object);
  }
}

function add({ store, clock }: Cluster, collection: string, object: KubeObject): void {
  const { namespace, name = "" } = object.metadata;
  if (store.get(collection, storeKey(namespace, name))) return;
  object.metadata = {
    ...object.metadata,
    uid: randomUid(clock),
    creationTimestamp: timestamp(clock),
  };
  store.put(collection, object);
}
