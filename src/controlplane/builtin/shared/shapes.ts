/**
 * Shapes that many kinds contain.
 *
 * Not a full API: fields that no code here uses are left out, and pass through unchanged.
 */
import type { SentObject } from "../../../kube/object.ts";

/**
 * A part of an object as a client may send it: fields may be absent, words be any text, and lists
 * that should be there are null.
 */
export type Loose<T> = T extends string
  ? string
  : T extends readonly (infer E)[]
    ? Loose<E>[]
    : T extends object
      ? LooseFields<T>
      : T;

type LooseFields<T> = string extends keyof T
  ? { [K in keyof T]: Loose<T[K]> }
  : { [K in keyof T]?: Loose<T[K]> | MissingList<T[K]> };

type MissingList<T> = undefined extends T ? never : T extends readonly unknown[] ? null : never;

/** An object of a kind of `src/generated/k8s` as a client may send it. */
export type Sent<T extends SentObject> = SentObject & Loose<Omit<T, keyof SentObject>>;

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

/** The volume sources that pods and PersistentVolumes share, as far as they have defaults. */
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

/** A requirement that the scope of a quota has on an object. */
export interface ScopeExpression {
  scopeName: string;
  operator: string;
  values?: string[];
}

/** The shape of a ResourceQuota. */
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

/** The shape of a ResourceClaim, as far as quotas count it. */
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
