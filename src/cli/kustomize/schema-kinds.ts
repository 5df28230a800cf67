import { tableOf } from "../../table.ts";

/**
 * The kinds whose schema kustomize knows (those of Kubernetes 1.21, and no others): which of them are in no namespace,
 * and which of their lists are merged by keys. Lists of all other kinds are replaced as a whole.
 */

/** The way in which a patch is merged into a field. */
export interface MergeShape {
  /** The list's items are merged by these fields; by their value when there are none. Left out: it is replaced. */
  readonly mergeBy?: readonly string[];
  /** The fields of the object, or of the list's items. */
  readonly fields?: Readonly<Record<string, MergeShape>>;
}

const by = (...mergeBy: string[]): MergeShape => ({ mergeBy });
const of = (fields: Record<string, MergeShape>): MergeShape => ({ fields });

const METADATA: MergeShape = of({ finalizers: by(), ownerReferences: by("uid") });
const MOUNTS = { volumeDevices: by("devicePath"), volumeMounts: by("mountPath"), env: by("name") };
const CONTAINERS: MergeShape = {
  mergeBy: ["name"],
  fields: { ...MOUNTS, ports: by("containerPort", "protocol") },
};
const POD = of({
  containers: CONTAINERS,
  initContainers: CONTAINERS,
  ephemeralContainers: { mergeBy: ["name"], fields: MOUNTS },
  hostAliases: by("ip"),
  imagePullSecrets: by("name"),
  topologySpreadConstraints: by("topologyKey", "whenUnsatisfiable"),
  volumes: {
    mergeBy: ["name"],
    fields: { ephemeral: of({ volumeClaimTemplate: of({ metadata: METADATA }) }) },
  },
});
const TEMPLATE = of({ metadata: METADATA, spec: POD });
const WORKLOAD = { spec: of({ template: TEMPLATE }) };
const CRON_JOB = {
  spec: of({ jobTemplate: of({ metadata: METADATA, spec: of({ template: TEMPLATE }) }) }),
};
const WEBHOOKS = { webhooks: by("name") };

/** Fields of some kinds, added to those of every kind. */
const FIELDS = tableOf<Readonly<Record<string, MergeShape>>>({
  MutatingWebhookConfiguration: WEBHOOKS,
  ValidatingWebhookConfiguration: WEBHOOKS,
  DaemonSet: WORKLOAD,
  Deployment: WORKLOAD,
  ReplicaSet: WORKLOAD,
  StatefulSet: WORKLOAD,
  Job: WORKLOAD,
  ReplicationController: WORKLOAD,
  CronJob: CRON_JOB,
  Pod: { spec: POD },
  PodTemplate: { template: TEMPLATE },
  Service: { spec: of({ ports: by("port", "protocol") }) },
  ServiceAccount: { secrets: by("name") },
  CSINode: { spec: of({ drivers: by("name") }) },
  Node: { spec: of({ podCIDRs: by() }) },
});

/** The kinds of each API version; those with a star are cluster-scoped. */
const KINDS = `
admissionregistration.k8s.io/v1: *MutatingWebhookConfiguration *ValidatingWebhookConfiguration
admissionregistration.k8s.io/v1beta1: *MutatingWebhookConfiguration *ValidatingWebhookConfiguration
apiextensions.k8s.io/v1: *CustomResourceDefinition
apiextensions.k8s.io/v1beta1: *CustomResourceDefinition
apiregistration.k8s.io/v1: *APIService
apiregistration.k8s.io/v1beta1: *APIService
apps/v1: ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet
autoscaling/v1: HorizontalPodAutoscaler Scale
autoscaling/v2beta1: HorizontalPodAutoscaler
autoscaling/v2beta2: HorizontalPodAutoscaler
batch/v1: CronJob Job
batch/v1beta1: CronJob
certificates.k8s.io/v1: *CertificateSigningRequest
certificates.k8s.io/v1beta1: *CertificateSigningRequest
coordination.k8s.io/v1: Lease
coordination.k8s.io/v1beta1: Lease
discovery.k8s.io/v1: EndpointSlice
discovery.k8s.io/v1beta1: EndpointSlice
events.k8s.io/v1: Event
events.k8s.io/v1beta1: Event
extensions/v1beta1: Ingress
flowcontrol.apiserver.k8s.io/v1beta1: *FlowSchema *PriorityLevelConfiguration
networking.k8s.io/v1: Ingress *IngressClass NetworkPolicy
networking.k8s.io/v1beta1: Ingress *IngressClass
node.k8s.io/v1: *RuntimeClass
node.k8s.io/v1beta1: *RuntimeClass
policy/v1: PodDisruptionBudget
policy/v1beta1: PodDisruptionBudget *PodSecurityPolicy
rbac.authorization.k8s.io/v1: *ClusterRole *ClusterRoleBinding Role RoleBinding
rbac.authorization.k8s.io/v1beta1: *ClusterRole *ClusterRoleBinding Role RoleBinding
scheduling.k8s.io/v1: *PriorityClass
scheduling.k8s.io/v1beta1: *PriorityClass
storage.k8s.io/v1: *CSIDriver *CSINode *StorageClass *VolumeAttachment
storage.k8s.io/v1beta1: *CSIDriver *CSINode CSIStorageCapacity *StorageClass *VolumeAttachment
v1: Binding *ComponentStatus ConfigMap Endpoints Event LimitRange *Namespace *Node *PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount
`;

const known = new Map(
  KINDS.trim()
    .split("\n")
    .flatMap((line) => {
      const [apiVersion = "", kinds = ""] = line.split(": ");
      return kinds.split(" ").map((kind): [string, boolean] => {
        const clusterScoped = kind.startsWith("*");
        return [`${apiVersion} ${clusterScoped ? kind.slice(1) : kind}`, clusterScoped];
      });
    }),
);

/** Whether objects of the kind are surely in no namespace; a kind that kustomize does not know counts as in one. */
export function isClusterScoped(apiVersion: string, kind: string): boolean {
  return known.get(`${apiVersion} ${kind}`) === true;
}

/** The merge rules for objects of the kind; `undefined` for a kind without a schema. */
export function mergeShapeOf(apiVersion: unknown, kind: unknown): MergeShape | undefined {
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
  if (!known.has(`${apiVersion} ${kind}`)) return undefined;
  return of({ metadata: METADATA, ...FIELDS.get(kind) });
}
