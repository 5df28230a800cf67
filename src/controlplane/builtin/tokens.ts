/**
 * Tokens of the built-in resources that the control plane itself reads and writes, each with the
 * shape of its objects.
 */
import type { Definition } from "../../kube/definition/definition.ts";
import type { ConfigMap } from "./kinds/core/config-map.ts";
import type { CronJob } from "./kinds/batch/cron-job.ts";
import type { DaemonSet } from "./kinds/apps/daemon-set.ts";
import type { Deployment } from "./kinds/apps/shared.ts";
import type { DisruptionBudget } from "./kinds/policy/pod-disruption-budget.ts";
import type { Job } from "./kinds/batch/job/shape.ts";
import type { Namespace } from "./kinds/core/namespace.ts";
import type { Node } from "./kinds/core/node.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  ResourceClaim,
  ResourceQuota,
} from "./shared/shapes.ts";
import type { Pod, ServiceAccount } from "./kinds/core/pod/shape.ts";
import type { ReplicaSet } from "./shared/workloads/shapes.ts";
import type { ReplicationController } from "./kinds/core/replication-controller.ts";
import type { Secret } from "./kinds/core/secret.ts";
import type { Service } from "./kinds/core/service/shape.ts";
import type { ClusterTrustBundle } from "./kinds/certificates/cluster-trust-bundle.ts";
import type { SigningRequest } from "./kinds/certificates/certificate-signing-request.ts";
import type { StatefulSet } from "./kinds/apps/stateful-set.ts";
import type { StorageClass } from "./kinds/storage/storage-class.ts";
import type { LimitRange } from "./kinds/core/limit-range.ts";
import type { RuntimeClass } from "./kinds/node/runtime-class.ts";
import type { PriorityClass } from "./kinds/scheduling/priority-class.ts";
import type { ResourceName } from "../resource-name.ts";

export const PODS: ResourceName<Pod> = { group: "", plural: "pods" };
export const SERVICES: ResourceName<Service> = { group: "", plural: "services" };
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
export const JOBS: ResourceName<Job> = { group: "batch", plural: "jobs" };
export const CRON_JOBS: ResourceName<CronJob> = { group: "batch", plural: "cronjobs" };
export const QUOTAS: ResourceName<ResourceQuota> = { group: "", plural: "resourcequotas" };
export const BUDGETS: ResourceName<DisruptionBudget> = {
  group: "policy",
  plural: "poddisruptionbudgets",
};
export const STORAGE_CLASSES: ResourceName<StorageClass> = {
  group: "storage.k8s.io",
  plural: "storageclasses",
};
export const ATTRIBUTES_CLASSES: ResourceName = {
  group: "storage.k8s.io",
  plural: "volumeattributesclasses",
};
export const SIGNING_REQUESTS: ResourceName<SigningRequest> = {
  group: "certificates.k8s.io",
  plural: "certificatesigningrequests",
};
export const TRUST_BUNDLES: ResourceName<ClusterTrustBundle> = {
  group: "certificates.k8s.io",
  plural: "clustertrustbundles",
};
export const RESOURCE_CLAIMS: ResourceName<ResourceClaim> = {
  group: "resource.k8s.io",
  plural: "resourceclaims",
};
export const LIMIT_RANGES: ResourceName<LimitRange> = { group: "", plural: "limitranges" };
export const PRIORITY_CLASSES: ResourceName<PriorityClass> = {
  group: "scheduling.k8s.io",
  plural: "priorityclasses",
};
export const RUNTIME_CLASSES: ResourceName<RuntimeClass> = {
  group: "node.k8s.io",
  plural: "runtimeclasses",
};
export const DEFINITIONS: ResourceName<Definition> = {
  group: "apiextensions.k8s.io",
  plural: "customresourcedefinitions",
};
export const IP_ADDRESSES: ResourceName = { group: "networking.k8s.io", plural: "ipaddresses" };
