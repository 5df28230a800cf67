/**
 * Names of resources and keys of objects, as the controllers pass them around.
 *
 * @module
 */
import type { SentObject, ObjectKey } from "../../kube/object.ts";
import type { ResourceName, StoreEvent } from "./client.ts";

export const PODS: ResourceName = { group: "", plural: "pods" };
export const SERVICES: ResourceName = { group: "", plural: "services" };
export const ENDPOINTS: ResourceName = { group: "", plural: "endpoints" };
export const NAMESPACES: ResourceName = { group: "", plural: "namespaces" };
export const NODES: ResourceName = { group: "", plural: "nodes" };
export const CONFIG_MAPS: ResourceName = { group: "", plural: "configmaps" };
export const SERVICE_ACCOUNTS: ResourceName = { group: "", plural: "serviceaccounts" };
export const SECRETS: ResourceName = { group: "", plural: "secrets" };
export const EVENTS: ResourceName = { group: "", plural: "events" };
export const CLAIMS: ResourceName = { group: "", plural: "persistentvolumeclaims" };
export const VOLUMES: ResourceName = { group: "", plural: "persistentvolumes" };
export const REPLICATION_CONTROLLERS: ResourceName = {
  group: "",
  plural: "replicationcontrollers",
};
export const DEPLOYMENTS: ResourceName = { group: "apps", plural: "deployments" };
export const REPLICA_SETS: ResourceName = { group: "apps", plural: "replicasets" };
export const STATEFUL_SETS: ResourceName = { group: "apps", plural: "statefulsets" };
export const DAEMON_SETS: ResourceName = { group: "apps", plural: "daemonsets" };
export const REVISIONS: ResourceName = { group: "apps", plural: "controllerrevisions" };
export const JOBS: ResourceName = { group: "batch", plural: "jobs" };
export const CRON_JOBS: ResourceName = { group: "batch", plural: "cronjobs" };
export const QUOTAS: ResourceName = { group: "", plural: "resourcequotas" };
export const BUDGETS: ResourceName = { group: "policy", plural: "poddisruptionbudgets" };
export const AUTOSCALERS: ResourceName = {
  group: "autoscaling",
  plural: "horizontalpodautoscalers",
};
export const STORAGE_CLASSES: ResourceName = { group: "storage.k8s.io", plural: "storageclasses" };
export const ATTRIBUTES_CLASSES: ResourceName = {
  group: "storage.k8s.io",
  plural: "volumeattributesclasses",
};
export const CLUSTER_ROLES: ResourceName = {
  group: "rbac.authorization.k8s.io",
  plural: "clusterroles",
};
export const ENDPOINT_SLICES: ResourceName = {
  group: "discovery.k8s.io",
  plural: "endpointslices",
};
export const SIGNING_REQUESTS: ResourceName = {
  group: "certificates.k8s.io",
  plural: "certificatesigningrequests",
};

/** Whether the event is about that resource. */
export function concerns(event: StoreEvent, resource: ResourceName): boolean {
  return event.resource.plural === resource.plural && event.resource.group === resource.group;
}

/** `namespace/name`, with an empty namespace for cluster-scoped objects. */
export function textOf(object: SentObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;
}

/** The key that `textOf` wrote. */
export function keyFrom(text: string): ObjectKey & { readonly namespace: string } {
  const slash = text.indexOf("/");
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}
