/**
 * The rules of every built-in kind, by group. Kinds without an entry are plain.
 *
 * @module
 */
import type { SentObject } from "../../../kube/object.ts";
import {
  keepSecretNames,
  prepareNamespaceForCreate,
  prepareNamespaceForUpdate,
  prepareNodeForCreate,
  prepareNodeForUpdate,
  prepareNodeStatus,
  preparePersistentVolumeClaimForCreate,
  preparePersistentVolumeClaimForUpdate,
  preparePersistentVolumeStatus,
  preparePersistentVolumeForCreate,
  prepareVolumeAttributesClassForCreate,
  setEndpointsDefaults,
  nameLimitRange,
  setLimitRangeDefaults,
  setNamespaceDefaults,
  setNodeDefaults,
  setPersistentVolumeClaimDefaults,
  setAttachmentDefaults,
  setPersistentVolumeDefaults,
  setSecretDefaults,
} from "./core-rules.ts";
import {
  dropLeaseStrategy,
  setAutoscalerDefaults,
  setBindingDefaults,
  setCsiDriverDefaults,
  dropFromCsiDriver,
  dropTopology,
  setEndpointSliceDefaults,
  setIngressClassDefaults,
  setNetworkPolicyDefaults,
  setPriorityClassDefaults,
  setStorageClassDefaults,
  prepareApiServiceForCreate,
  setApiServiceDefaults,
  stampDeviceTaints,
  setFlowSchemaDefaults,
  setPriorityLevelDefaults,
  setResourceClaimDefaults,
} from "./other-rules.ts";
import { dropFromTemplate, setPodDefaults, setPodTemplateDefaults } from "./pod-defaults.ts";
import {
  admitPod,
  preparePodForCreate,
  preparePodForUpdate,
  preparePodStatus,
} from "./pod-rules.ts";
import {
  cronJobWarnings,
  jobWarnings,
  podTemplateWarnings,
  replicationControllerWarnings,
  podWarnings,
  statefulSetWarnings,
  namedTemplateWarnings,
  templateWarnings,
} from "./pod-warnings.ts";
import {
  prepareServiceForCreate,
  prepareServiceForUpdate,
  setServiceDefaults,
} from "./service-rules.ts";
import {
  dropFromCronJob,
  dropFromStatefulSet,
  dropFromWorkload,
  prepareDaemonSetForCreate,
  prepareDaemonSetForUpdate,
  prepareDaemonSetStatus,
  prepareJobForCreate,
  setCronJobDefaults,
  setDaemonSetDefaults,
  setDeploymentDefaults,
  setJobDefaults,
  setReplicaSetDefaults,
  setReplicationControllerDefaults,
  setStatefulSetDefaults,
} from "./workload-rules.ts";
import {
  MUTATING_BINDING,
  MUTATING_POLICY,
  MUTATING_WEBHOOKS,
  VALIDATING_BINDING,
  VALIDATING_POLICY,
  VALIDATING_WEBHOOKS,
} from "./admission-rules.ts";
import { admitExpansion } from "./claim-expansion.ts";
import { claimWarnings, persistentVolumeWarnings } from "./storage-warnings.ts";
import { secretWarnings } from "./secret-warnings.ts";
import {
  prepareSigningRequestForCreate,
  prepareSigningRequestForUpdate,
  prepareSigningStatus,
} from "./signing-rules.ts";
import {
  newSigningRequestErrors,
  signingApprovalErrors,
  signingRequestUpdateErrors,
  signingStatusErrors,
} from "./validation/signing-requests.ts";
import { serviceAccountWarnings } from "./service-account.ts";
import { serviceWarnings } from "./service-warnings.ts";
import type { KindRules } from "./kind-rules.ts";
import type { Pod, PodTemplate } from "./pod-shapes.ts";
import {
  configMapErrors,
  configMapUpdateErrors,
  secretErrors,
  secretUpdateErrors,
} from "./validation/config.ts";
import {
  newEndpointsErrors,
  endpointsUpdateErrors,
  newEndpointSliceErrors,
  endpointSliceUpdateErrors,
  endpointSliceWarnings,
} from "./validation/endpoints.ts";
import {
  limitRangeErrors,
  resourceQuotaErrors,
  resourceQuotaUpdateErrors,
  resourceQuotaStatusErrors,
} from "./validation/quotas.ts";
import {
  namespaceStatusErrors,
  namespaceFinalizeErrors,
  newNodeErrors,
  nodeStatusErrors,
  nodeWarnings,
  namespaceErrors,
  newControllerRevisionErrors,
  controllerRevisionUpdateErrors,
  disruptionBudgetErrors,
  disruptionBudgetStatusErrors,
  newPriorityClassErrors,
  priorityClassUpdateErrors,
  newRuntimeClassErrors,
  runtimeClassUpdateErrors,
  leaseErrors,
} from "./validation/cluster.ts";
import {
  persistentVolumeErrors,
  persistentVolumeUpdateErrors,
} from "./validation/persistent-volumes.ts";
import { claimErrors, claimStatusErrors, claimUpdateErrors } from "./validation/volume-claims.ts";
import {
  attachmentErrors,
  attachmentUpdateErrors,
  attributesClassErrors,
  attributesClassUpdateErrors,
  csiDriverErrors,
  csiDriverUpdateErrors,
  csiDriverWarnings,
  csiNodeErrors,
  csiNodeUpdateErrors,
  newStorageClassErrors,
  storageCapacityErrors,
  storageCapacityUpdateErrors,
  storageClassUpdateErrors,
} from "./validation/storage-classes.ts";
import {
  apiServiceErrors,
  apiServiceStatusErrors,
  newApiServiceErrors,
  serviceNameErrors,
} from "./validation/api-services.ts";
import { claimAllocationErrors, dropDeallocatedDevices } from "./validation/device-allocations.ts";
import {
  claimTemplateErrors,
  claimTemplateUpdateErrors,
  deviceClassErrors,
  newClaimTemplateErrors,
  newResourceClaimErrors,
  resourceClaimUpdateErrors,
} from "./validation/device-claims.ts";
import {
  dropFromResourceSlice,
  newResourceSliceErrors,
  resourceSliceWarnings,
  resourceSliceUpdateErrors,
} from "./validation/resource-slices.ts";
import { autoscalerErrors, autoscalerStatusErrors } from "./validation/autoscaling.ts";
import {
  ingressErrors,
  newIngressErrors,
  ingressStatusErrors,
  ingressWarnings,
  ingressClassErrors,
  ingressClassUpdateErrors,
} from "./validation/ingresses.ts";
import {
  newIpAddressErrors,
  ipAddressUpdateErrors,
  networkPolicyErrors,
  newServiceCidrErrors,
  serviceCidrUpdateErrors,
} from "./validation/network.ts";
import { eventErrors, newEventErrors, eventUpdateErrors } from "./validation/events.ts";
import {
  cronJobUpdateErrors,
  jobErrors,
  jobUpdateErrors,
  newCronJobErrors,
} from "./validation/jobs.ts";
import { jobStatusErrors } from "./validation/job-status.ts";
import { podSubresourceErrors } from "./validation/pod-resize.ts";
import { podStatusErrors, podUpdateErrors } from "./validation/pod-updates.ts";
import { newPodErrors, podErrors, podTemplateErrors } from "./validation/pods.ts";
import {
  roleErrors,
  clusterRoleErrors,
  roleBindingErrors,
  clusterRoleBindingErrors,
  bindingUpdateErrors,
} from "./validation/rbac.ts";
import { serviceErrors, serviceStatusErrors, serviceUpdateErrors } from "./validation/services.ts";
import { daemonSetErrors, daemonSetUpdateErrors } from "./validation/daemon-sets.ts";
import {
  deploymentErrors,
  replicaSetErrors,
  replicationControllerErrors,
} from "./validation/deployments.ts";
import { newStatefulSetErrors, statefulSetUpdateErrors } from "./validation/stateful-sets.ts";
import { selectorUpdateErrors } from "./validation/workload-selection.ts";
import {
  daemonSetStatusErrors,
  deploymentStatusErrors,
  replicaSetStatusErrors,
  statefulSetStatusErrors,
} from "./validation/workload-status.ts";

import {
  flowSchemaErrors,
  flowStatusErrors,
  priorityLevelErrors,
} from "./validation/flow-control.ts";

interface TemplateObject extends SentObject {
  template?: PodTemplate;
}

const SPEC = ["spec"] as const;

const EVENT: KindRules = {
  name: "any",
  createOnUpdate: true,
  validate: eventErrors,
  validateCreate: newEventErrors,
  validateUpdate: eventUpdateErrors,
};

const TABLE: Readonly<Record<string, Readonly<Record<string, KindRules>>>> = {
  "": {
    ConfigMap: {
      validate: configMapErrors,
      validateUpdate: configMapUpdateErrors,
      changeFirst: true,
    },
    Endpoints: {
      validateCreate: newEndpointsErrors,
      validateUpdate: endpointsUpdateErrors,
      createOnUpdate: true,
      setDefaults: setEndpointsDefaults,
    },
    Event: EVENT,
    LimitRange: {
      validate: limitRangeErrors,
      createOnUpdate: true,
      prepareForCreate: nameLimitRange,
      setDefaults: setLimitRangeDefaults,
    },
    Namespace: {
      validate: namespaceErrors,
      validateStatus: namespaceStatusErrors,
      validateSubresource: namespaceFinalizeErrors,
      name: "label",
      status: "all",
      setDefaults: setNamespaceDefaults,
      prepareForCreate: prepareNamespaceForCreate,
      prepareForUpdate: prepareNamespaceForUpdate,
    },
    Node: {
      warnings: nodeWarnings,
      validateCreate: newNodeErrors,
      validateChanged: newNodeErrors,
      validateUpdate: nodeStatusErrors,
      validateStatus: nodeStatusErrors,
      prepareForUpdate: prepareNodeForUpdate,
      prepareForStatus: prepareNodeStatus,
      keepsStatusOnCreate: true,
      status: "all",
      setDefaults: setNodeDefaults,
      prepareForCreate: prepareNodeForCreate,
    },
    PersistentVolume: {
      warnings: persistentVolumeWarnings,
      validateCreate: persistentVolumeErrors,
      prepareForStatus: preparePersistentVolumeStatus,
      validateUpdate: persistentVolumeUpdateErrors,
      status: "all",
      setDefaults: setPersistentVolumeDefaults,
      prepareForCreate: preparePersistentVolumeForCreate,
    },
    PersistentVolumeClaim: {
      warnings: claimWarnings,
      validateCreate: claimErrors,
      validateUpdate: claimUpdateErrors,
      validateStatus: claimStatusErrors,
      prepareForUpdate: preparePersistentVolumeClaimForUpdate,
      admitChange: admitExpansion,
      status: "all",
      setDefaults: setPersistentVolumeClaimDefaults,
      prepareForCreate: preparePersistentVolumeClaimForCreate,
    },
    Pod: {
      warnings: podWarnings,
      validate: podErrors,
      validateCreate: newPodErrors,
      validateUpdate: podUpdateErrors,
      validateStatus: podStatusErrors,
      prepareForStatus: preparePodStatus,
      validateSubresource: podSubresourceErrors,
      prepareForUpdate: preparePodForUpdate,
      status: "no-owners",
      generation: SPEC,
      setDefaults: setPodDefaults,
      dropDisabled: (object) => dropFromTemplate(object as Pod),
      admit: admitPod,
      prepareForCreate: preparePodForCreate,
    },
    PodTemplate: {
      warnings: podTemplateWarnings,
      validate: podTemplateErrors,
      generation: ["template"],
      setDefaults: (object) => setPodTemplateDefaults((object as TemplateObject).template),
      dropDisabled: (object) => dropFromTemplate((object as TemplateObject).template),
    },
    ReplicationController: {
      name: "generated",
      warnings: replicationControllerWarnings,
      validate: replicationControllerErrors,
      validateStatus: replicaSetStatusErrors,
      status: "all",
      generation: SPEC,
      setDefaults: setReplicationControllerDefaults,
      dropDisabled: dropFromWorkload,
    },
    ResourceQuota: {
      validate: resourceQuotaErrors,
      validateUpdate: resourceQuotaUpdateErrors,
      validateStatus: resourceQuotaStatusErrors,
      status: "all",
    },
    Secret: {
      warnings: secretWarnings,
      validate: secretErrors,
      validateUpdate: secretUpdateErrors,
      changeFirst: true,
      setDefaults: setSecretDefaults,
    },
    Service: {
      warnings: serviceWarnings,
      validateCreate: serviceErrors,
      validateUpdate: serviceUpdateErrors,
      validateStatus: serviceStatusErrors,
      name: "label",
      status: "all",
      createOnUpdate: true,
      setDefaults: setServiceDefaults,
      prepareForCreate: prepareServiceForCreate,
      prepareForUpdate: prepareServiceForUpdate,
    },
    ServiceAccount: {
      warnings: serviceAccountWarnings,
      prepareForCreate: keepSecretNames,
      prepareForUpdate: keepSecretNames,
    },
  },
  apps: {
    ControllerRevision: {
      validateCreate: newControllerRevisionErrors,
      validateUpdate: controllerRevisionUpdateErrors,
    },
    DaemonSet: {
      warnings: templateWarnings,
      validateCreate: daemonSetErrors,
      validateUpdate: daemonSetUpdateErrors,
      validateStatus: daemonSetStatusErrors,
      status: "all",
      generation: SPEC,
      setDefaults: setDaemonSetDefaults,
      dropDisabled: dropFromWorkload,
      prepareForCreate: prepareDaemonSetForCreate,
      prepareForUpdate: prepareDaemonSetForUpdate,
      prepareForStatus: prepareDaemonSetStatus,
    },
    Deployment: {
      warnings: namedTemplateWarnings,
      validate: deploymentErrors,
      validateUpdate: selectorUpdateErrors,
      validateStatus: deploymentStatusErrors,
      status: "no-labels",
      generation: SPEC,
      generationMetadata: "annotations",
      setDefaults: setDeploymentDefaults,
      dropDisabled: dropFromWorkload,
    },
    ReplicaSet: {
      warnings: namedTemplateWarnings,
      validate: replicaSetErrors,
      validateUpdate: selectorUpdateErrors,
      validateStatus: replicaSetStatusErrors,
      status: "all",
      generation: SPEC,
      setDefaults: setReplicaSetDefaults,
      dropDisabled: dropFromWorkload,
    },
    StatefulSet: {
      warnings: statefulSetWarnings,
      validateCreate: newStatefulSetErrors,
      validateUpdate: statefulSetUpdateErrors,
      validateStatus: statefulSetStatusErrors,
      name: "label",
      status: "all",
      generation: SPEC,
      setDefaults: setStatefulSetDefaults,
      dropDisabled: dropFromStatefulSet,
    },
  },
  batch: {
    CronJob: {
      warnings: cronJobWarnings,
      validateCreate: newCronJobErrors,
      validateUpdate: cronJobUpdateErrors,
      status: "all",
      generation: SPEC,
      setDefaults: setCronJobDefaults,
      dropDisabled: dropFromCronJob,
    },
    Job: {
      warnings: jobWarnings,
      validate: jobErrors,
      validateUpdate: jobUpdateErrors,
      validateStatus: jobStatusErrors,
      status: "all",
      generation: SPEC,
      setDefaults: setJobDefaults,
      dropDisabled: dropFromWorkload,
      prepareForCreate: prepareJobForCreate,
    },
  },
  autoscaling: {
    HorizontalPodAutoscaler: {
      validate: autoscalerErrors,
      validateStatus: autoscalerStatusErrors,
      status: "all",
      setDefaults: setAutoscalerDefaults,
    },
  },
  policy: {
    PodDisruptionBudget: {
      validate: disruptionBudgetErrors,
      validateStatus: disruptionBudgetStatusErrors,
      name: "any",
      status: "all",
      generation: SPEC,
      conditionalUpdate: true,
    },
  },
  "networking.k8s.io": {
    Ingress: {
      validate: ingressErrors,
      validateCreate: newIngressErrors,
      validateStatus: ingressStatusErrors,
      warnings: ingressWarnings,
      status: "all",
      generation: SPEC,
    },
    IngressClass: {
      validateCreate: ingressClassErrors,
      validateUpdate: ingressClassUpdateErrors,
      generation: SPEC,
      setDefaults: setIngressClassDefaults,
    },
    IPAddress: {
      validate: newIpAddressErrors,
      validateUpdate: ipAddressUpdateErrors,
      name: "address",
    },
    NetworkPolicy: {
      validate: networkPolicyErrors,
      generation: SPEC,
      generationSeesEmpty: true,
      setDefaults: setNetworkPolicyDefaults,
    },
    ServiceCIDR: {
      validateCreate: newServiceCidrErrors,
      validateUpdate: serviceCidrUpdateErrors,
      status: "none",
    },
  },
  "discovery.k8s.io": {
    EndpointSlice: {
      validateCreate: newEndpointSliceErrors,
      validateUpdate: endpointSliceUpdateErrors,
      warnings: endpointSliceWarnings,
      prepareForCreate: dropTopology,
      prepareForUpdate: dropTopology,
      generation: ["endpoints", "ports", "addressType"],
      generationMetadata: "labels",
      setDefaults: setEndpointSliceDefaults,
    },
  },
  "coordination.k8s.io": {
    Lease: {
      validate: leaseErrors,
      createOnUpdate: true,
      conditionalUpdate: true,
      prepareForCreate: dropLeaseStrategy,
      prepareForUpdate: dropLeaseStrategy,
    },
  },
  "events.k8s.io": { Event: { ...EVENT, name: "subdomain" } },
  "rbac.authorization.k8s.io": {
    Role: { validate: roleErrors, name: "segment", createOnUpdate: true },
    RoleBinding: {
      validate: roleBindingErrors,
      validateUpdate: bindingUpdateErrors,
      name: "segment",
      createOnUpdate: true,
      setDefaults: setBindingDefaults,
    },
    ClusterRole: { validate: clusterRoleErrors, name: "segment", createOnUpdate: true },
    ClusterRoleBinding: {
      validate: clusterRoleBindingErrors,
      validateUpdate: bindingUpdateErrors,
      name: "segment",
      createOnUpdate: true,
      setDefaults: setBindingDefaults,
    },
  },
  "storage.k8s.io": {
    CSIDriver: {
      dropDisabled: dropFromCsiDriver,
      conditionalUpdate: true,
      generation: SPEC,
      startsWithoutGeneration: true,
      warnings: csiDriverWarnings,
      setDefaults: setCsiDriverDefaults,
      validateCreate: csiDriverErrors,
      validateUpdate: csiDriverUpdateErrors,
    },
    CSINode: {
      conditionalUpdate: true,
      validateCreate: csiNodeErrors,
      validateUpdate: csiNodeUpdateErrors,
    },
    CSIStorageCapacity: {
      conditionalUpdate: true,
      validate: storageCapacityErrors,
      validateUpdate: storageCapacityUpdateErrors,
    },
    StorageClass: {
      validate: newStorageClassErrors,
      validateUpdate: storageClassUpdateErrors,
      setDefaults: setStorageClassDefaults,
    },
    VolumeAttachment: {
      status: "none",
      setDefaults: setAttachmentDefaults,
      conditionalUpdate: true,
      validateCreate: attachmentErrors,
      validateUpdate: attachmentUpdateErrors,
      validateStatus: attachmentErrors,
    },
    VolumeAttributesClass: {
      prepareForCreate: prepareVolumeAttributesClassForCreate,
      changeFirst: true,
      validate: attributesClassErrors,
      validateUpdate: attributesClassUpdateErrors,
    },
  },
  "scheduling.k8s.io": {
    PriorityClass: {
      validateCreate: newPriorityClassErrors,
      validateUpdate: priorityClassUpdateErrors,
      generation: [],
      setDefaults: setPriorityClassDefaults,
    },
  },
  "admissionregistration.k8s.io": {
    MutatingAdmissionPolicy: MUTATING_POLICY,
    MutatingAdmissionPolicyBinding: MUTATING_BINDING,
    MutatingWebhookConfiguration: MUTATING_WEBHOOKS,
    ValidatingAdmissionPolicy: VALIDATING_POLICY,
    ValidatingAdmissionPolicyBinding: VALIDATING_BINDING,
    ValidatingWebhookConfiguration: VALIDATING_WEBHOOKS,
  },
  "certificates.k8s.io": {
    CertificateSigningRequest: {
      name: "any",
      status: "all",
      prepareForCreate: prepareSigningRequestForCreate,
      prepareForUpdate: prepareSigningRequestForUpdate,
      prepareForStatus: prepareSigningStatus,
      validateCreate: newSigningRequestErrors,
      validateUpdate: signingRequestUpdateErrors,
      validateStatus: signingStatusErrors,
      validateSubresource: signingApprovalErrors,
    },
  },
  "node.k8s.io": {
    RuntimeClass: {
      validate: newRuntimeClassErrors,
      validateUpdate: runtimeClassUpdateErrors,
      conditionalUpdate: true,
    },
  },
  "flowcontrol.apiserver.k8s.io": {
    FlowSchema: {
      status: "none",
      generation: SPEC,
      setDefaults: setFlowSchemaDefaults,
      validate: flowSchemaErrors,
      validateStatus: flowStatusErrors,
    },
    PriorityLevelConfiguration: {
      status: "none",
      generation: SPEC,
      setDefaults: setPriorityLevelDefaults,
      validate: priorityLevelErrors,
      validateStatus: flowStatusErrors,
    },
  },
  "resource.k8s.io": {
    DeviceClass: {
      name: "generated",
      changeFirst: true,
      generation: SPEC,
      validate: deviceClassErrors,
    },
    ResourceClaim: {
      status: "none",
      setDefaults: setResourceClaimDefaults,
      validateCreate: newResourceClaimErrors,
      validateUpdate: resourceClaimUpdateErrors,
      prepareForStatus: dropDeallocatedDevices,
      validateStatus: claimAllocationErrors,
    },
    ResourceClaimTemplate: {
      setDefaults: setResourceClaimDefaults,
      validateCreate: newClaimTemplateErrors,
      validateChanged: claimTemplateErrors,
      validateUpdate: claimTemplateUpdateErrors,
    },
    ResourceSlice: {
      generation: SPEC,
      generationSeesDisabled: true,
      warnings: resourceSliceWarnings,
      dropDisabled: dropFromResourceSlice,
      prepareForCreate: stampDeviceTaints,
      prepareForUpdate: (object, _old, context) => stampDeviceTaints(object, context),
      validateCreate: newResourceSliceErrors,
      validateUpdate: resourceSliceUpdateErrors,
    },
  },
  "apiregistration.k8s.io": {
    APIService: {
      status: "all",
      name: "segment",
      setDefaults: setApiServiceDefaults,
      prepareForCreate: prepareApiServiceForCreate,
      changeFirst: true,
      validateCreate: newApiServiceErrors,
      validateChanged: apiServiceErrors,
      validateUpdate: serviceNameErrors,
      validateStatus: apiServiceStatusErrors,
    },
  },
};

/** The rules of a kind, or `undefined` when it has none. */
export function rulesOf(group: string, kind: string): KindRules | undefined {
  return TABLE[group]?.[kind];
}
