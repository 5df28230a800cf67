/**
 * The parts of the other built-in kinds that strategies and simulated controllers read and write.
 *
 * Not a full API: what nobody here touches is left out and travels through untouched.
 *
 * @module
 */
import type { SentObject } from "../../../kube/object.ts";

export type IntOrString = number | string;
export type ResourceList = Record<string, string>;

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export interface ResourceRequirements {
  limits?: ResourceList;
  requests?: ResourceList;
  claims?: { name: string; request?: string }[];
}

/** The sources of volumes that pods and PersistentVolumes have in common, as far as they have defaults. */
export interface CommonVolumeSources {
  hostPath?: { path?: string; type?: string };
  iscsi?: { iscsiInterface?: string };
  rbd?: { pool?: string; user?: string; keyring?: string };
  azureDisk?: { cachingMode?: string; kind?: string; fsType?: string; readOnly?: boolean };
  scaleIO?: { storageMode?: string; fsType?: string };
}

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  lastProbeTime?: string | null;
  observedGeneration?: number;
}

export interface ServicePort {
  name?: string;
  protocol?: string;
  appProtocol?: string;
  port: number;
  targetPort?: IntOrString;
  nodePort?: number;
}

export interface Service extends SentObject {
  spec: {
    ports?: ServicePort[];
    selector?: Record<string, string>;
    clusterIP?: string;
    clusterIPs?: string[];
    type?: string;
    externalIPs?: string[];
    sessionAffinity?: string;
    sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
    loadBalancerIP?: string;
    loadBalancerSourceRanges?: string[];
    loadBalancerClass?: string;
    externalName?: string;
    externalTrafficPolicy?: string;
    internalTrafficPolicy?: string;
    healthCheckNodePort?: number;
    publishNotReadyAddresses?: boolean;
    ipFamilies?: string[];
    ipFamilyPolicy?: string;
    allocateLoadBalancerNodePorts?: boolean;
    trafficDistribution?: string;
  };
  status?: { loadBalancer?: { ingress?: { ip?: string; ipMode?: string; hostname?: string }[] } };
}

export interface PersistentVolumeClaimSpec {
  accessModes?: string[];
  selector?: LabelSelector;
  resources?: ResourceRequirements;
  volumeName?: string;
  storageClassName?: string;
  volumeMode?: string;
  volumeAttributesClassName?: string;
  dataSource?: { apiGroup?: string | null; kind: string; name: string };
  dataSourceRef?: { apiGroup?: string | null; kind: string; name: string; namespace?: string };
}

export interface PersistentVolumeClaim extends SentObject {
  spec: PersistentVolumeClaimSpec;
  status?: {
    phase?: string;
    accessModes?: string[];
    capacity?: ResourceList;
    allocatedResources?: ResourceList;
    allocatedResourceStatuses?: Record<string, string>;
    currentVolumeAttributesClassName?: string;
    conditions?: Condition[];
    modifyVolumeStatus?: { targetVolumeAttributesClassName?: string };
  };
}

export interface PersistentVolume extends SentObject {
  spec: CommonVolumeSources & {
    persistentVolumeReclaimPolicy?: string;
    volumeMode?: string;
    capacity?: ResourceList;
    accessModes?: string[];
    storageClassName?: string;
    volumeAttributesClassName?: string;
    csi?: object;
    claimRef?: { namespace?: string; name?: string; uid?: string };
  };
  status?: { phase?: string; message?: string; lastPhaseTransitionTime?: string };
}

export interface Namespace extends SentObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string; conditions?: Condition[] };
}

export interface Node extends SentObject {
  spec?: {
    unschedulable?: boolean;
    taints?: { key: string; value?: string; effect: string; timeAdded?: string }[];
    podCIDR?: string;
    podCIDRs?: string[];
    providerID?: string;
    configSource?: object;
    externalID?: string;
  };
  status?: {
    capacity?: ResourceList;
    allocatable?: ResourceList;
    conditions?: Condition[];
    addresses?: { type: string; address: string }[];
    config?: object;
  };
}

export interface Secret extends SentObject {
  data?: Record<string, string | null>;
  stringData?: Record<string, string>;
  type?: string;
  immutable?: boolean;
}

export interface ConfigMap extends SentObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  immutable?: boolean;
}

export interface ServiceAccount extends SentObject {
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: { name?: string }[];
  secrets?: { name?: string }[];
}

/** One entry of a LimitRange. */
export interface Limit {
  type: string;
  max?: ResourceList;
  min?: ResourceList;
  default?: ResourceList;
  defaultRequest?: ResourceList;
  maxLimitRequestRatio?: ResourceList;
}

export interface LimitRange extends SentObject {
  spec?: { limits?: Limit[] | null };
}
