/**
 * Tokens of the built-in resources that the control plane itself reads and writes, each with the
 * shape of its objects.
 */
import type { SentObject } from "../../kube/object.ts";
import type { Definition } from "../../kube/definition/definition.ts";
import type { ConfigMap } from "./kinds/core/config-map.ts";
import type { CronJob } from "./kinds/batch/cron-job.ts";
import type { DaemonSet } from "./kinds/apps/daemon-set.ts";
import type { Deployment } from "./kinds/apps/workload-rules.ts";
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
import type { ReplicaSet } from "./shared/workloads/workload-shapes.ts";
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

/** A resource whose objects are of that shape. */
const resource = <T extends SentObject>(group: string, plural: string): ResourceName<T> => ({
  group,
  plural,
});

export const PODS = resource<Pod>("", "pods");
export const SERVICES = resource<Service>("", "services");
export const NAMESPACES = resource<Namespace>("", "namespaces");
export const NODES = resource<Node>("", "nodes");
export const CONFIG_MAPS = resource<ConfigMap>("", "configmaps");
export const SERVICE_ACCOUNTS = resource<ServiceAccount>("", "serviceaccounts");
export const SECRETS = resource<Secret>("", "secrets");
export const EVENTS = resource("", "events");
export const CLAIMS = resource<PersistentVolumeClaim>("", "persistentvolumeclaims");
export const VOLUMES = resource<PersistentVolume>("", "persistentvolumes");
export const REPLICATION_CONTROLLERS = resource<ReplicationController>(
  "",
  "replicationcontrollers",
);
export const DEPLOYMENTS = resource<Deployment>("apps", "deployments");
export const REPLICA_SETS = resource<ReplicaSet>("apps", "replicasets");
export const STATEFUL_SETS = resource<StatefulSet>("apps", "statefulsets");
export const DAEMON_SETS = resource<DaemonSet>("apps", "daemonsets");
export const JOBS = resource<Job>("batch", "jobs");
export const CRON_JOBS = resource<CronJob>("batch", "cronjobs");
export const QUOTAS = resource<ResourceQuota>("", "resourcequotas");
export const BUDGETS = resource<DisruptionBudget>("policy", "poddisruptionbudgets");
export const STORAGE_CLASSES = resource<StorageClass>("storage.k8s.io", "storageclasses");
export const ATTRIBUTES_CLASSES = resource("storage.k8s.io", "volumeattributesclasses");
export const SIGNING_REQUESTS = resource<SigningRequest>(
  "certificates.k8s.io",
  "certificatesigningrequests",
);
export const TRUST_BUNDLES = resource<ClusterTrustBundle>(
  "certificates.k8s.io",
  "clustertrustbundles",
);
export const RESOURCE_CLAIMS = resource<ResourceClaim>("resource.k8s.io", "resourceclaims");
export const LIMIT_RANGES = resource<LimitRange>("", "limitranges");
export const PRIORITY_CLASSES = resource<PriorityClass>("scheduling.k8s.io", "priorityclasses");
export const RUNTIME_CLASSES = resource<RuntimeClass>("node.k8s.io", "runtimeclasses");
export const DEFINITIONS = resource<Definition>(
  "apiextensions.k8s.io",
  "customresourcedefinitions",
);
export const IP_ADDRESSES = resource("networking.k8s.io", "ipaddresses");
