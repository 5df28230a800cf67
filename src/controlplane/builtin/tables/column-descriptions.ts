/**
 * The descriptions of the columns of built-in kinds: that of the API field which a column shows, or
 * a text of its own.
 *
 * The printers of a real server (`pkg/printers/internalversion`) are the source.
 */
import type { TableColumn, TablePrinter } from "../../kinds.ts";
import { documentationOf } from "../documentation.ts";

type ByKindAndColumn = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The definition and field that a column shows; all definitions are below `io.k8s.api`. */
const FIELDS: ByKindAndColumn = {
  ConfigMap: {
    Data: "core.v1.ConfigMap.data",
  },
  Endpoints: {
    Endpoints: "core.v1.Endpoints.subsets",
  },
  Event: {
    "Last Seen": "core.v1.Event.lastTimestamp",
    Type: "core.v1.Event.type",
    Reason: "core.v1.Event.reason",
    Object: "core.v1.Event.involvedObject",
    Subobject: "core.v1.ObjectReference.fieldPath",
    Source: "core.v1.Event.source",
    Message: "core.v1.Event.message",
    "First Seen": "core.v1.Event.firstTimestamp",
    Count: "core.v1.Event.count",
  },
  Node: {
    Version: "core.v1.NodeSystemInfo.kubeletVersion",
    "Internal-IP": "core.v1.NodeStatus.addresses",
    "External-IP": "core.v1.NodeStatus.addresses",
    "OS-Image": "core.v1.NodeSystemInfo.osImage",
    "Kernel-Version": "core.v1.NodeSystemInfo.kernelVersion",
    "Container-Runtime": "core.v1.NodeSystemInfo.containerRuntimeVersion",
  },
  PersistentVolumeClaim: {
    Status: "core.v1.PersistentVolumeClaimStatus.phase",
    Volume: "core.v1.PersistentVolumeClaimSpec.volumeName",
    Capacity: "core.v1.PersistentVolumeClaimStatus.capacity",
    "Access Modes": "core.v1.PersistentVolumeClaimStatus.accessModes",
    VolumeMode: "core.v1.PersistentVolumeClaimSpec.volumeMode",
  },
  PersistentVolume: {
    Capacity: "core.v1.PersistentVolumeSpec.capacity",
    "Access Modes": "core.v1.PersistentVolumeSpec.accessModes",
    "Reclaim Policy": "core.v1.PersistentVolumeSpec.persistentVolumeReclaimPolicy",
    Status: "core.v1.PersistentVolumeStatus.phase",
    Claim: "core.v1.PersistentVolumeSpec.claimRef",
    Reason: "core.v1.PersistentVolumeStatus.reason",
    VolumeMode: "core.v1.PersistentVolumeSpec.volumeMode",
  },
  Pod: {
    IP: "core.v1.PodStatus.podIP",
    Node: "core.v1.PodSpec.nodeName",
    "Nominated Node": "core.v1.PodStatus.nominatedNodeName",
    "Readiness Gates": "core.v1.PodSpec.readinessGates",
  },
  ReplicationController: {
    Desired: "core.v1.ReplicationControllerSpec.replicas",
    Current: "core.v1.ReplicationControllerStatus.replicas",
    Ready: "core.v1.ReplicationControllerStatus.readyReplicas",
    Selector: "core.v1.ReplicationControllerSpec.selector",
  },
  Secret: {
    Type: "core.v1.Secret.type",
    Data: "core.v1.Secret.data",
  },
  Service: {
    Type: "core.v1.ServiceSpec.type",
    "Cluster-IP": "core.v1.ServiceSpec.clusterIP",
    "External-IP": "core.v1.ServiceSpec.externalIPs",
    "Port(s)": "core.v1.ServiceSpec.ports",
    Selector: "core.v1.ServiceSpec.selector",
  },
  ControllerRevision: {
    Revision: "apps.v1.ControllerRevision.revision",
  },
  DaemonSet: {
    Desired: "apps.v1.DaemonSetStatus.desiredNumberScheduled",
    Current: "apps.v1.DaemonSetStatus.currentNumberScheduled",
    Ready: "apps.v1.DaemonSetStatus.numberReady",
    "Up-to-date": "apps.v1.DaemonSetStatus.updatedNumberScheduled",
    Available: "apps.v1.DaemonSetStatus.numberAvailable",
    "Node Selector": "core.v1.PodSpec.nodeSelector",
    Selector: "apps.v1.DaemonSetSpec.selector",
  },
  Deployment: {
    "Up-to-date": "apps.v1.DeploymentStatus.updatedReplicas",
    Available: "apps.v1.DeploymentStatus.availableReplicas",
    Selector: "apps.v1.DeploymentSpec.selector",
  },
  ReplicaSet: {
    Desired: "apps.v1.ReplicaSetSpec.replicas",
    Current: "apps.v1.ReplicaSetStatus.replicas",
    Ready: "apps.v1.ReplicaSetStatus.readyReplicas",
    Selector: "apps.v1.ReplicaSetSpec.selector",
  },
  HorizontalPodAutoscaler: {
    Reference: "autoscaling.v2.HorizontalPodAutoscalerSpec.scaleTargetRef",
    Targets: "autoscaling.v2.HorizontalPodAutoscalerSpec.metrics",
    MinPods: "autoscaling.v2.HorizontalPodAutoscalerSpec.minReplicas",
    MaxPods: "autoscaling.v2.HorizontalPodAutoscalerSpec.maxReplicas",
    Replicas: "autoscaling.v2.HorizontalPodAutoscalerStatus.currentReplicas",
  },
  CronJob: {
    Schedule: "batch.v1.CronJobSpec.schedule",
    Timezone: "batch.v1.CronJobSpec.timeZone",
    Suspend: "batch.v1.CronJobSpec.suspend",
    Active: "batch.v1.CronJobStatus.active",
    "Last Schedule": "batch.v1.CronJobStatus.lastScheduleTime",
    Selector: "batch.v1.JobSpec.selector",
  },
  Job: {
    Completions: "batch.v1.JobStatus.succeeded",
    Selector: "batch.v1.JobSpec.selector",
  },
  CertificateSigningRequest: {
    RequestedDuration: "certificates.v1.CertificateSigningRequestSpec.expirationSeconds",
  },
  IPAddress: {
    ParentRef: "networking.v1.IPAddressSpec.parentRef",
  },
  NetworkPolicy: {
    "Pod-Selector": "networking.v1.NetworkPolicySpec.podSelector",
  },
  ServiceCIDR: {
    CIDRs: "networking.v1.ServiceCIDRSpec.cidrs",
  },
  CSIDriver: {
    AttachRequired: "storage.v1.CSIDriverSpec.attachRequired",
    PodInfoOnMount: "storage.v1.CSIDriverSpec.podInfoOnMount",
    StorageCapacity: "storage.v1.CSIDriverSpec.storageCapacity",
    TokenRequests: "storage.v1.CSIDriverSpec.tokenRequests",
    RequiresRepublish: "storage.v1.CSIDriverSpec.requiresRepublish",
    Modes: "storage.v1.CSIDriverSpec.volumeLifecycleModes",
  },
  StorageClass: {
    Provisioner: "storage.v1.StorageClass.provisioner",
    ReclaimPolicy: "storage.v1.StorageClass.reclaimPolicy",
    VolumeBindingMode: "storage.v1.StorageClass.volumeBindingMode",
    AllowVolumeExpansion: "storage.v1.StorageClass.allowVolumeExpansion",
  },
  VolumeAttachment: {
    Attacher: "storage.v1.VolumeAttachmentSpec.attacher",
    PV: "storage.v1.VolumeAttachmentSource.persistentVolumeName",
    Node: "storage.v1.VolumeAttachmentSpec.nodeName",
    Attached: "storage.v1.VolumeAttachmentStatus.attached",
  },
  VolumeAttributesClass: {
    DriverName: "storage.v1.VolumeAttributesClass.driverName",
  },
  PriorityClass: {
    Value: "scheduling.v1.PriorityClass.value",
    "Global-Default": "scheduling.v1.PriorityClass.globalDefault",
    PreemptionPolicy: "scheduling.v1.PriorityClass.preemptionPolicy",
  },
  Lease: {
    Holder: "coordination.v1.LeaseSpec.holderIdentity",
  },
  EndpointSlice: {
    AddressType: "discovery.v1.EndpointSlice.addressType",
    Ports: "discovery.v1.EndpointSlice.ports",
    Endpoints: "discovery.v1.EndpointSlice.endpoints",
  },
  ResourceSlice: {
    Node: "resource.v1.ResourceSliceSpec.nodeName",
    Driver: "resource.v1.ResourceSliceSpec.driver",
    Pool: "resource.v1.ResourcePool.name",
  },
  FlowSchema: {
    PriorityLevel: "flowcontrol.v1.PriorityLevelConfigurationReference.name",
    MatchingPrecedence: "flowcontrol.v1.FlowSchemaSpec.matchingPrecedence",
    DistinguisherMethod: "flowcontrol.v1.FlowSchemaSpec.distinguisherMethod",
  },
  PriorityLevelConfiguration: {
    Type: "flowcontrol.v1.PriorityLevelConfigurationSpec.type",
    NominalConcurrencyShares:
      "flowcontrol.v1.LimitedPriorityLevelConfiguration.nominalConcurrencyShares",
    Queues: "flowcontrol.v1.QueuingConfiguration.queues",
    HandSize: "flowcontrol.v1.QueuingConfiguration.handSize",
    QueueLengthLimit: "flowcontrol.v1.QueuingConfiguration.queueLengthLimit",
  },
};

/** The texts of columns that summarise more than one field. */
const TEXTS: ByKindAndColumn = {
  ComponentStatus: {
    Status: "Status of the component conditions",
    Message: "Message of the component conditions",
    Error: "Error of the component conditions",
  },
  Namespace: {
    Status: "The status of the namespace",
  },
  Node: {
    Status: "The status of the node",
    Roles: "The roles of the node",
  },
  PersistentVolumeClaim: {
    StorageClass: "StorageClass of the pvc",
    VolumeAttributesClass: "VolumeAttributesClass of the pvc",
  },
  PersistentVolume: {
    StorageClass: "StorageClass of the pv",
    VolumeAttributesClass: "VolumeAttributesClass of the pv",
  },
  Pod: {
    Ready: "The aggregate readiness state of this pod for accepting traffic.",
    Status: "The aggregate status of the containers in this pod.",
    Restarts:
      "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.",
  },
  PodTemplate: {
    "Pod Labels": "The labels for the pod template.",
  },
  ResourceQuota: {
    Request: "Request represents a minimum amount of cpu/memory that a container may consume.",
    Limit:
      "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.",
  },
  APIService: {
    Service: "The reference to the service that hosts this API endpoint.",
    Available: "Whether this service is available.",
  },
  ControllerRevision: {
    Controller: "Controller of the object",
  },
  Deployment: {
    Ready: "Number of the pod with ready state",
  },
  StatefulSet: {
    Ready: "Number of the pod with ready state",
  },
  Job: {
    Status: "Status of the job.",
    Duration: "Time required to complete the job.",
  },
  CertificateSigningRequest: {
    SignerName:
      'Requested signer for the request. It is a qualified name in the form: `scope-hostname.io/name`. If empty, it will be defaulted:\n 1. If it\'s a kubelet client certificate, it is assigned\n    "kubernetes.io/kube-apiserver-client-kubelet".\n 2. If it\'s a kubelet serving certificate, it is assigned\n    "kubernetes.io/kubelet-serving".\n 3. Otherwise, it is assigned "kubernetes.io/legacy-unknown".\nDistribution of trust for signers happens out of band. You can select on this field using `spec.signerName`.',
    Requestor: "Base64-encoded PKCS#10 CSR data",
    Condition: "Conditions applied to the request, such as approval or denial.",
  },
  IngressClass: {
    Controller: "Controller that is responsible for handling this class",
    Parameters: "A reference to a resource with additional parameters",
  },
  Ingress: {
    Class: "The name of the IngressClass resource that should be used for additional configuration",
    Hosts: "Hosts that incoming requests are matched against before the ingress rule",
    Address: "Address is a list containing ingress points for the load-balancer",
    Ports: "Ports of TLS configurations that open",
  },
  PodDisruptionBudget: {
    "Min Available": "The minimum number of pods that must be available.",
    "Max Unavailable": "The maximum number of pods that may be unavailable.",
    "Allowed Disruptions": "Calculated number of pods that may be disrupted at this time.",
  },
  ClusterRoleBinding: {
    Role: "RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
    Users: "Users in the clusterRoleBinding",
    Groups: "Groups in the clusterRoleBinding",
    ServiceAccounts: "ServiceAccounts in the clusterRoleBinding",
  },
  RoleBinding: {
    Role: "RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
    Users: "Users in the roleBinding",
    Groups: "Groups in the roleBinding",
    ServiceAccounts: "ServiceAccounts in the roleBinding",
  },
  CSINode: {
    Drivers: "Drivers indicates the number of CSI drivers registered on the node",
  },
  MutatingAdmissionPolicy: {
    Mutations: "Mutation indicates the number of mutations rules defined in this configuration",
    ParamKind: "ParamKind specifies the kind of resources used to parameterize this policy",
  },
  MutatingAdmissionPolicyBinding: {
    PolicyName: "PolicyName indicates the policy definition which the policy binding binded to",
    ParamRef: "ParamRef indicates the param resource which sets the configuration param",
  },
  MutatingWebhookConfiguration: {
    Webhooks: "Webhooks indicates the number of webhooks registered in this configuration",
  },
  ValidatingAdmissionPolicy: {
    Validations:
      "Validations indicates the number of validation rules defined in this configuration",
    ParamKind: "ParamKind specifies the kind of resources used to parameterize this policy",
  },
  ValidatingAdmissionPolicyBinding: {
    PolicyName: "PolicyName indicates the policy definition which the policy binding binded to",
    ParamRef: "ParamRef indicates the param resource which sets the configuration param",
  },
  ValidatingWebhookConfiguration: {
    Webhooks: "Webhooks indicates the number of webhooks registered in this configuration",
  },
  ResourceClaim: {
    State: "A summary of the current state (allocated, pending, reserved, etc.).",
  },
  FlowSchema: {
    MissingPL: "references a broken or non-existent PriorityLevelConfiguration",
  },
};

/** The texts of columns that are the same for every kind. */
const TEMPLATE_TEXTS: Readonly<Record<string, string>> = {
  Containers: "Names of each container in the template.",
  Images: "Images referenced by each container in the template.",
};

function descriptionOf(kind: string, { name, description }: TableColumn): string {
  const field = FIELDS[kind]?.[name];
  if (field === undefined) return TEXTS[kind]?.[name] ?? TEMPLATE_TEXTS[name] ?? description;
  const dot = field.lastIndexOf(".");
  const text = documentationOf(`io.k8s.api.${field.slice(0, dot)}`, field.slice(dot + 1));
  return text.split("\n\nPossible enum values:")[0] ?? "";
}

/** The printer of a kind with its columns described. */
export function described(kind: string, printer: TablePrinter): TablePrinter {
  return {
    ...printer,
    columns: printer.columns.map((column) => ({
      name: column.name,
      type: column.type,
      format: column.format,
      // Looked up when it is shown: most tables never need the texts.
      get description() {
        return descriptionOf(kind, column);
      },
      priority: column.priority,
    })),
  };
}
