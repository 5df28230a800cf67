/**
 * The fields that columns of built-in kinds show: a column is described as its field is.
 *
 * @module
 */
import { documentationOf } from "../../builtin/documentation.ts";
import type { TablePrinter } from "../../kinds.ts";

/** Columns by kind, and the definition and field of each; all definitions are below `io.k8s.api`. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Service: {
    Type: "core.v1.ServiceSpec.type",
    "Cluster-IP": "core.v1.ServiceSpec.clusterIP",
    "External-IP": "core.v1.ServiceSpec.externalIPs",
    "Port(s)": "core.v1.ServiceSpec.ports",
    Selector: "core.v1.ServiceSpec.selector",
  },
  Endpoints: { Endpoints: "core.v1.Endpoints.subsets" },
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
  Secret: { Type: "core.v1.Secret.type", Data: "core.v1.Secret.data" },
  ConfigMap: { Data: "core.v1.ConfigMap.data" },
  HorizontalPodAutoscaler: {
    Reference: "autoscaling.v2.HorizontalPodAutoscalerSpec.scaleTargetRef",
    Targets: "autoscaling.v2.HorizontalPodAutoscalerSpec.metrics",
    MinPods: "autoscaling.v2.HorizontalPodAutoscalerSpec.minReplicas",
    MaxPods: "autoscaling.v2.HorizontalPodAutoscalerSpec.maxReplicas",
    Replicas: "autoscaling.v2.HorizontalPodAutoscalerStatus.currentReplicas",
  },
  NetworkPolicy: { "Pod-Selector": "networking.v1.NetworkPolicySpec.podSelector" },
  Lease: { Holder: "coordination.v1.LeaseSpec.holderIdentity" },
  StorageClass: {
    Provisioner: "storage.v1.StorageClass.provisioner",
    ReclaimPolicy: "storage.v1.StorageClass.reclaimPolicy",
    VolumeBindingMode: "storage.v1.StorageClass.volumeBindingMode",
    AllowVolumeExpansion: "storage.v1.StorageClass.allowVolumeExpansion",
  },
  PriorityClass: {
    Value: "scheduling.v1.PriorityClass.value",
    "Global-Default": "scheduling.v1.PriorityClass.globalDefault",
    PreemptionPolicy: "scheduling.v1.PriorityClass.preemptionPolicy",
  },
  VolumeAttachment: {
    Attacher: "storage.v1.VolumeAttachmentSpec.attacher",
    PV: "storage.v1.VolumeAttachmentSource.persistentVolumeName",
    Node: "storage.v1.VolumeAttachmentSpec.nodeName",
    Attached: "storage.v1.VolumeAttachmentStatus.attached",
  },
  EndpointSlice: {
    AddressType: "discovery.v1.EndpointSlice.addressType",
    Ports: "discovery.v1.EndpointSlice.ports",
    Endpoints: "discovery.v1.EndpointSlice.endpoints",
  },
  CSIStorageCapacity: {
    StorageClassName: "storage.v1.CSIStorageCapacity.storageClassName",
    Capacity: "storage.v1.CSIStorageCapacity.capacity",
  },
  ServiceCIDR: { CIDRs: "networking.v1.ServiceCIDRSpec.cidrs" },
  IPAddress: { ParentRef: "networking.v1.IPAddressSpec.parentRef" },
};

/** The printer of a kind with its columns described, as far as they show a field. */
export function described(kind: string, printer: TablePrinter): TablePrinter {
  const fields = FIELDS[kind];
  if (!fields) return printer;
  return {
    ...printer,
    columns: printer.columns.map((column) => {
      const field = fields[column.name];
      if (field === undefined) return column;
      const dot = field.lastIndexOf(".");
      return {
        ...column,
        // Looked up when it is shown: the texts are not needed before.
        get description() {
          const text = documentationOf(`io.k8s.api.${field.slice(0, dot)}`, field.slice(dot + 1));
          return text.split("\n\nPossible enum values:")[0] ?? "";
        },
      };
    }),
  };
}
