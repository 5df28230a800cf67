/** Shapes that many kinds contain, made of the generated types of the kinds. */
import type * as core from "../../../generated/k8s/core-v1.ts";
import type * as meta from "../../../generated/k8s/meta-v1.ts";
import type * as resource from "../../../generated/k8s/resource-v1.ts";
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

/**
 * A part of an object that has its required fields. Words may be any text, amounts are texts, lists
 * that should be there may be null, and all conditions have one shape.
 */
export type Shaped<T> = T extends string
  ? string
  : T extends readonly (infer E)[]
    ? Shaped<E>[]
    : T extends { type: string; status: string }
      ? Condition
      : T extends object
        ? ShapedFields<T>
        : T;

type ShapedFields<T> = string extends keyof T
  ? { [K in keyof T]: Exclude<Shaped<T[K]>, number> }
  : { [K in keyof T]: Shaped<T[K]> | MissingList<T[K]> };

/**
 * An object of a kind of `src/generated/k8s` that has its required fields, and those of `Given`,
 * which every object of the kind has.
 */
export type ShapedObject<T extends SentObject, Given extends keyof T = never> = SentObject &
  Shaped<Omit<T, keyof SentObject | Given>> & { [K in Given]-?: Shaped<NonNullable<T[K]>> };

export type IntOrString = number | string;

export type ResourceList = Record<string, string>;

export type LabelSelector = Shaped<meta.LabelSelector>;

export type ResourceRequirements = Shaped<core.ResourceRequirements>;

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

export type PersistentVolumeClaimSpec = Shaped<core.PersistentVolumeClaimSpec>;

export type PersistentVolumeClaim = ShapedObject<core.PersistentVolumeClaim, "spec">;

export type VolumeSpec = Shaped<core.PersistentVolumeSpec>;

export type PersistentVolume = ShapedObject<core.PersistentVolume, "spec">;

export type ScopeExpression = Shaped<core.ScopedResourceSelectorRequirement>;

export type ResourceQuota = ShapedObject<core.ResourceQuota>;

export type ResourceClaim = Sent<resource.ResourceClaim>;
