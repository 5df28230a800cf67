/**
 * The rules of every built-in kind, by group. Kinds without an entry are plain.
 *
 * @module
 */
import type { KindRules } from "./kind-rules.ts";

const SPEC = ["spec"] as const;

const TABLE: Readonly<Record<string, Readonly<Record<string, KindRules>>>> = {
  "": {
    ConfigMap: {},
    Endpoints: { createOnUpdate: true },
    Event: { name: "any", createOnUpdate: true },
    LimitRange: { createOnUpdate: true },
    Namespace: { name: "label", status: "all" },
    Node: { status: "all" },
    PersistentVolume: { status: "all" },
    PersistentVolumeClaim: { status: "all" },
    Pod: { status: "no-owners", generation: SPEC },
    PodTemplate: { generation: ["template"] },
    ReplicationController: { status: "all", generation: SPEC },
    ResourceQuota: { status: "all" },
    Secret: {},
    Service: { name: "label", status: "all", createOnUpdate: true },
    ServiceAccount: {},
  },
  apps: {
    ControllerRevision: {},
    DaemonSet: { status: "all", generation: SPEC },
    Deployment: { status: "no-labels", generation: SPEC, generationMetadata: "annotations" },
    ReplicaSet: { status: "all", generation: SPEC },
    StatefulSet: { name: "label", status: "all", generation: SPEC },
  },
  batch: {
    CronJob: { status: "all", generation: SPEC },
    Job: { status: "all", generation: SPEC },
  },
  autoscaling: { HorizontalPodAutoscaler: { status: "all" } },
  policy: {
    PodDisruptionBudget: { name: "any", status: "all", generation: SPEC, conditionalUpdate: true },
  },
  "networking.k8s.io": {
    Ingress: { status: "all", generation: SPEC },
    IngressClass: { generation: SPEC },
    IPAddress: { name: "any" },
    NetworkPolicy: { generation: SPEC },
    ServiceCIDR: { status: "all" },
  },
  "discovery.k8s.io": {
    EndpointSlice: {
      generation: ["endpoints", "ports", "addressType"],
      generationMetadata: "labels",
    },
  },
  "coordination.k8s.io": { Lease: { createOnUpdate: true, conditionalUpdate: true } },
  "events.k8s.io": { Event: { name: "any", createOnUpdate: true } },
  "rbac.authorization.k8s.io": {
    Role: { name: "segment", createOnUpdate: true },
    RoleBinding: { name: "segment", createOnUpdate: true },
    ClusterRole: { name: "segment", createOnUpdate: true },
    ClusterRoleBinding: { name: "segment", createOnUpdate: true },
  },
  "storage.k8s.io": {
    CSIDriver: { conditionalUpdate: true },
    CSINode: { conditionalUpdate: true },
    CSIStorageCapacity: { conditionalUpdate: true },
    StorageClass: {},
    VolumeAttachment: { status: "none", conditionalUpdate: true },
    VolumeAttributesClass: {},
  },
  "scheduling.k8s.io": { PriorityClass: { generation: [] } },
  "admissionregistration.k8s.io": {
    MutatingAdmissionPolicy: { generation: SPEC, conditionalUpdate: true },
    MutatingAdmissionPolicyBinding: { generation: SPEC, conditionalUpdate: true },
    MutatingWebhookConfiguration: { generation: ["webhooks"], conditionalUpdate: true },
    ValidatingAdmissionPolicy: { status: "none", generation: SPEC, conditionalUpdate: true },
    ValidatingAdmissionPolicyBinding: { generation: SPEC, conditionalUpdate: true },
    ValidatingWebhookConfiguration: { generation: ["webhooks"], conditionalUpdate: true },
  },
  "certificates.k8s.io": {
    CertificateSigningRequest: { name: "any", status: "all" },
  },
  "node.k8s.io": { RuntimeClass: { conditionalUpdate: true } },
  "flowcontrol.apiserver.k8s.io": {
    FlowSchema: { status: "all", generation: SPEC },
    PriorityLevelConfiguration: { status: "all", generation: SPEC },
  },
  "resource.k8s.io": {
    DeviceClass: { generation: SPEC },
    ResourceClaim: { status: "none" },
    ResourceSlice: { generation: SPEC },
  },
  "apiregistration.k8s.io": { APIService: { status: "all" } },
};

/** The rules of a kind, or `undefined` when it has none. */
export function rulesOf(group: string, kind: string): KindRules | undefined {
  return TABLE[group]?.[kind];
}
