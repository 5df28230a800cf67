/**
 * Shapes that many kinds hold.
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
  lastHeartbeatTime?: string;
  observedGeneration?: number;
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

/** What the scopes of a quota ask of an object. */
export interface ScopeExpression {
  scopeName: string;
  operator: string;
  values?: string[];
}

/** A ResourceQuota. */
export interface ResourceQuota extends SentObject {
  spec?: {
    hard?: ResourceList;
    scopes?: string[];
    scopeSelector?: { matchExpressions?: ScopeExpression[] };
  };
  status?: { hard?: ResourceList; used?: ResourceList };
}

interface DeviceRequest {
  readonly deviceClassName?: string;
  readonly allocationMode?: string;
  readonly count?: number;
}

/** A ResourceClaim, as far as quotas count it. */
export interface ResourceClaim extends SentObject {
  readonly spec?: {
    readonly devices?: {
      readonly requests?: readonly {
        readonly exactly?: DeviceRequest;
        readonly firstAvailable?: readonly DeviceRequest[];
      }[];
    };
  };
}
