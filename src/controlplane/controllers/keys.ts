/**
 * Names of resources and keys of objects, as the controllers pass them around.
 *
 * @module
 */
import type { SentObject, ObjectKey } from "../../kube/object.ts";
import type { DaemonSet } from "../builtin/kinds/apps/daemon-set.ts";
import type { Deployment } from "../builtin/kinds/apps/shared.ts";
import type { StatefulSet } from "../builtin/kinds/apps/stateful-set.ts";
import type { CronJob } from "../builtin/kinds/batch/cron-job.ts";
import type { Job } from "../builtin/kinds/batch/job/shape.ts";
import type { ConfigMap } from "../builtin/kinds/core/config-map.ts";
import type { Namespace } from "../builtin/kinds/core/namespace.ts";
import type { Node } from "../builtin/kinds/core/node.ts";
import type { Pod, ServiceAccount } from "../builtin/kinds/core/pod/shape.ts";
import type { Service } from "../builtin/kinds/core/service/shape.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../builtin/shared/shapes.ts";
import type { ReplicaSet } from "../builtin/shared/workloads/shapes.ts";
import type { ReplicationController } from "../builtin/kinds/core/replication-controller.ts";
import type { Secret } from "../builtin/kinds/core/secret.ts";
import type { SigningRequest } from "../builtin/kinds/certificates/certificate-signing-request.ts";
import type { DisruptionBudget } from "../builtin/kinds/policy/pod-disruption-budget.ts";
import type { StorageClass } from "../builtin/kinds/storage/storage-class.ts";
import type { ResourceQuota } from "../builtin/strategies/quota-usage.ts";
import type { Autoscaler } from "./autoscaling/autoscaler-metrics.ts";
import type { ClusterRole } from "./cluster-role-aggregation-controller.ts";
import type { EndpointSlice } from "./endpoints/endpoint-slice-plan.ts";
import type { Endpoints } from "./endpoints/endpoint-subsets.ts";
import type { Revision } from "./revision-history.ts";
import type { ResourceName, StoreEvent } from "./client.ts";

export const PODS: ResourceName<Pod> = { group: "", plural: "pods" };
export const SERVICES: ResourceName<Service> = { group: "", plural: "services" };
export const ENDPOINTS: ResourceName<Endpoints> = { group: "", plural: "endpoints" };
export const NAMESPACES: ResourceName<Namespace> = { group: "", plural: "namespaces" };
export const NODES: ResourceName<Node> = { group: "", plural: "nodes" };
export const CONFIG_MAPS: ResourceName<ConfigMap> = { group: "", plural: "configmaps" };
export const SERVICE_ACCOUNTS: ResourceName<ServiceAccount> = {
  group: "",
  plural: "serviceaccounts",
};
export const SECRETS: ResourceName<Secret> = { group: "", plural: "secrets" };
export const EVENTS: ResourceName = { group: "", plural: "events" };
export const CLAIMS: ResourceName<PersistentVolumeClaim> = {
  group: "",
  plural: "persistentvolumeclaims",
};
export const VOLUMES: ResourceName<PersistentVolume> = { group: "", plural: "persistentvolumes" };
export const REPLICATION_CONTROLLERS: ResourceName<ReplicationController> = {
  group: "",
  plural: "replicationcontrollers",
};
export const DEPLOYMENTS: ResourceName<Deployment> = { group: "apps", plural: "deployments" };
export const REPLICA_SETS: ResourceName<ReplicaSet> = { group: "apps", plural: "replicasets" };
export const STATEFUL_SETS: ResourceName<StatefulSet> = { group: "apps", plural: "statefulsets" };
export const DAEMON_SETS: ResourceName<DaemonSet> = { group: "apps", plural: "daemonsets" };
export const REVISIONS: ResourceName<Revision> = { group: "apps", plural: "controllerrevisions" };
export const JOBS: ResourceName<Job> = { group: "batch", plural: "jobs" };
export const CRON_JOBS: ResourceName<CronJob> = { group: "batch", plural: "cronjobs" };
export const QUOTAS: ResourceName<ResourceQuota> = { group: "", plural: "resourcequotas" };
export const BUDGETS: ResourceName<DisruptionBudget> = {
  group: "policy",
  plural: "poddisruptionbudgets",
};
export const AUTOSCALERS: ResourceName<Autoscaler> = {
  group: "autoscaling",
  plural: "horizontalpodautoscalers",
};
export const STORAGE_CLASSES: ResourceName<StorageClass> = {
  group: "storage.k8s.io",
  plural: "storageclasses",
};
export const ATTRIBUTES_CLASSES: ResourceName = {
  group: "storage.k8s.io",
  plural: "volumeattributesclasses",
};
export const CLUSTER_ROLES: ResourceName<ClusterRole> = {
  group: "rbac.authorization.k8s.io",
  plural: "clusterroles",
};
export const ENDPOINT_SLICES: ResourceName<EndpointSlice> = {
  group: "discovery.k8s.io",
  plural: "endpointslices",
};
export const SIGNING_REQUESTS: ResourceName<SigningRequest> = {
  group: "certificates.k8s.io",
  plural: "certificatesigningrequests",
};

declare const isAbout: unique symbol;

/** An event about a resource whose objects are of type `T`. */
interface EventAbout<T extends SentObject> extends StoreEvent<T> {
  /** Only for the compiler: an event about another resource is no such event. */
  readonly [isAbout]: true;
}

/** Whether the event is about that resource. */
export function concerns<T extends SentObject>(
  event: StoreEvent,
  resource: ResourceName<T>,
): event is EventAbout<T> {
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
