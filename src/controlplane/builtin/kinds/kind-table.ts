/**
 * The built-in kinds and their rules, by group. A new kind is a file and a line here.
 *
 * @see https://github.com/kubernetes/kubernetes/tree/v1.37.2/pkg/registry
 */
import type { KindRules } from "../kind-rules.ts";
import { mutatingAdmissionPolicyBindingRules } from "./admissionregistration/mutating-admission-policy-binding.ts";
import { mutatingAdmissionPolicyRules } from "./admissionregistration/mutating-admission-policy.ts";
import { mutatingWebhookConfigurationRules } from "./admissionregistration/mutating-webhook-configuration.ts";
import { validatingAdmissionPolicyBindingRules } from "./admissionregistration/validating-admission-policy-binding.ts";
import { validatingAdmissionPolicyRules } from "./admissionregistration/validating-admission-policy.ts";
import { validatingWebhookConfigurationRules } from "./admissionregistration/validating-webhook-configuration.ts";
import { customResourceDefinitionRules } from "./apiextensions/custom-resource-definition.ts";
import { apiServiceRules } from "./apiregistration/api-service.ts";
import { controllerRevisionRules } from "./apps/controller-revision.ts";
import { daemonSetRules } from "./apps/daemon-set.ts";
import { deploymentRules } from "./apps/deployment.ts";
import { replicaSetRules } from "./apps/replica-set.ts";
import { statefulSetRules } from "./apps/stateful-set.ts";
import { horizontalPodAutoscalerRules } from "./autoscaling/horizontal-pod-autoscaler/index.ts";
import { scaleRules } from "./autoscaling/scale.ts";
import { cronJobRules } from "./batch/cron-job.ts";
import { jobRules } from "./batch/job/index.ts";
import { certificateSigningRequestRules } from "./certificates/certificate-signing-request.ts";
import { clusterTrustBundleRules } from "./certificates/cluster-trust-bundle.ts";
import { podCertificateRequestRules } from "./certificates/pod-certificate-request/index.ts";
import { leaseRules } from "./coordination/lease.ts";
import { componentStatusRules } from "./core/component-status.ts";
import { configMapRules } from "./core/config-map.ts";
import { endpointsRules } from "./core/endpoints.ts";
import { eventRules, newEventRules } from "./core/event.ts";
import { limitRangeRules } from "./core/limit-range.ts";
import { namespaceRules } from "./core/namespace.ts";
import { nodeRules } from "./core/node.ts";
import { persistentVolumeClaimRules } from "./core/persistent-volume-claim.ts";
import { persistentVolumeRules } from "./core/persistent-volume.ts";
import { podTemplateRules } from "./core/pod-template.ts";
import { podRules } from "./core/pod/index.ts";
import { replicationControllerRules } from "./core/replication-controller.ts";
import { resourceQuotaRules } from "./core/resource-quota.ts";
import { secretRules } from "./core/secret.ts";
import { serviceAccountRules } from "./core/service-account.ts";
import { serviceRules } from "./core/service/index.ts";
import { endpointSliceRules } from "./discovery/endpoint-slice.ts";
import { flowSchemaRules } from "./flowcontrol/flow-schema.ts";
import { priorityLevelConfigurationRules } from "./flowcontrol/priority-level-configuration.ts";
import { ingressClassRules } from "./networking/ingress-class.ts";
import { ingressRules } from "./networking/ingress.ts";
import { ipAddressRules } from "./networking/ip-address.ts";
import { networkPolicyRules } from "./networking/network-policy.ts";
import { serviceCidrRules } from "./networking/service-cidr.ts";
import { runtimeClassRules } from "./node/runtime-class.ts";
import { podDisruptionBudgetRules } from "./policy/pod-disruption-budget.ts";
import { clusterRoleBindingRules } from "./rbac/cluster-role-binding.ts";
import { clusterRoleRules } from "./rbac/cluster-role.ts";
import { roleBindingRules } from "./rbac/role-binding.ts";
import { roleRules } from "./rbac/role.ts";
import { deviceClassRules } from "./resource/device-class.ts";
import { deviceTaintRuleRules } from "./resource/device-taint-rule.ts";
import { resourceClaimTemplateRules } from "./resource/resource-claim-template.ts";
import { resourceClaimRules } from "./resource/resource-claim.ts";
import { resourceSliceRules } from "./resource/resource-slice/index.ts";
import { priorityClassRules } from "./scheduling/priority-class.ts";
import { csiDriverRules } from "./storage/csi-driver.ts";
import { csiNodeRules } from "./storage/csi-node.ts";
import { csiStorageCapacityRules } from "./storage/csi-storage-capacity.ts";
import { storageClassRules } from "./storage/storage-class.ts";
import { volumeAttachmentRules } from "./storage/volume-attachment.ts";
import { volumeAttributesClassRules } from "./storage/volume-attributes-class.ts";
import { storageVersionMigrationRules } from "./storagemigration/storage-version-migration.ts";

import { tokenRequestRules } from "./authentication/token-request.ts";
import { getField } from "../../../kube/json.ts";
import { tableOf } from "../../../table.ts";

const TABLE = tableOf<Readonly<Record<string, KindRules>>>({
  "": {
    ComponentStatus: componentStatusRules,
    ConfigMap: configMapRules,
    Endpoints: endpointsRules,
    Event: eventRules,
    LimitRange: limitRangeRules,
    Namespace: namespaceRules,
    Node: nodeRules,
    PersistentVolume: persistentVolumeRules,
    PersistentVolumeClaim: persistentVolumeClaimRules,
    Pod: podRules,
    PodTemplate: podTemplateRules,
    ReplicationController: replicationControllerRules,
    ResourceQuota: resourceQuotaRules,
    Secret: secretRules,
    Service: serviceRules,
    ServiceAccount: serviceAccountRules,
  },
  "admissionregistration.k8s.io": {
    MutatingAdmissionPolicy: mutatingAdmissionPolicyRules,
    MutatingAdmissionPolicyBinding: mutatingAdmissionPolicyBindingRules,
    MutatingWebhookConfiguration: mutatingWebhookConfigurationRules,
    ValidatingAdmissionPolicy: validatingAdmissionPolicyRules,
    ValidatingAdmissionPolicyBinding: validatingAdmissionPolicyBindingRules,
    ValidatingWebhookConfiguration: validatingWebhookConfigurationRules,
  },
  "apiextensions.k8s.io": {
    CustomResourceDefinition: customResourceDefinitionRules,
  },
  "apiregistration.k8s.io": {
    APIService: apiServiceRules,
  },
  apps: {
    ControllerRevision: controllerRevisionRules,
    DaemonSet: daemonSetRules,
    Deployment: deploymentRules,
    ReplicaSet: replicaSetRules,
    StatefulSet: statefulSetRules,
  },
  "authentication.k8s.io": {
    TokenRequest: tokenRequestRules,
  },
  autoscaling: {
    HorizontalPodAutoscaler: horizontalPodAutoscalerRules,
    Scale: scaleRules,
  },
  batch: {
    CronJob: cronJobRules,
    Job: jobRules,
  },
  "certificates.k8s.io": {
    CertificateSigningRequest: certificateSigningRequestRules,
    ClusterTrustBundle: clusterTrustBundleRules,
    PodCertificateRequest: podCertificateRequestRules,
  },
  "coordination.k8s.io": {
    Lease: leaseRules,
  },
  "discovery.k8s.io": {
    EndpointSlice: endpointSliceRules,
  },
  "events.k8s.io": {
    Event: newEventRules,
  },
  "flowcontrol.apiserver.k8s.io": {
    FlowSchema: flowSchemaRules,
    PriorityLevelConfiguration: priorityLevelConfigurationRules,
  },
  "networking.k8s.io": {
    IPAddress: ipAddressRules,
    Ingress: ingressRules,
    IngressClass: ingressClassRules,
    NetworkPolicy: networkPolicyRules,
    ServiceCIDR: serviceCidrRules,
  },
  "node.k8s.io": {
    RuntimeClass: runtimeClassRules,
  },
  policy: {
    PodDisruptionBudget: podDisruptionBudgetRules,
  },
  "rbac.authorization.k8s.io": {
    ClusterRole: clusterRoleRules,
    ClusterRoleBinding: clusterRoleBindingRules,
    Role: roleRules,
    RoleBinding: roleBindingRules,
  },
  "resource.k8s.io": {
    DeviceClass: deviceClassRules,
    DeviceTaintRule: deviceTaintRuleRules,
    ResourceClaim: resourceClaimRules,
    ResourceClaimTemplate: resourceClaimTemplateRules,
    ResourceSlice: resourceSliceRules,
  },
  "scheduling.k8s.io": {
    PriorityClass: priorityClassRules,
  },
  "storage.k8s.io": {
    CSIDriver: csiDriverRules,
    CSINode: csiNodeRules,
    CSIStorageCapacity: csiStorageCapacityRules,
    StorageClass: storageClassRules,
    VolumeAttachment: volumeAttachmentRules,
    VolumeAttributesClass: volumeAttributesClassRules,
  },
  "storagemigration.k8s.io": {
    StorageVersionMigration: storageVersionMigrationRules,
  },
});

/** The rules of a kind, or `undefined` when it has none. */
export function rulesOf(group: string, kind: string): KindRules | undefined {
  return getField(TABLE.get(group) ?? {}, kind);
}
