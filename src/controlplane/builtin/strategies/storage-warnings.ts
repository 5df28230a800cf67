/**
 * What the writer of a PersistentVolume or of a claim is told although it is let through.
 *
 * @module
 */
import type { SentObject } from "../../../kube/object.ts";
import type { NodeSelector } from "./pod-shapes.ts";
import { nodeTermWarnings } from "./pod-warnings.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "./shapes.ts";
import { claimSizeWarnings, persistentSourceWarnings } from "./volume-warnings.ts";

const CLASS = "volume.beta.kubernetes.io/storage-class";
const MOUNT_OPTIONS = "volume.beta.kubernetes.io/mount-options";

/** Warnings on PersistentVolumes. */
export function persistentVolumeWarnings(object: SentObject): string[] {
  const { spec, metadata } = object as PersistentVolume & {
    spec: { nodeAffinity?: { required?: NodeSelector } };
  };
  const warnings: string[] = [];
  for (const [key, field] of [
    [CLASS, "storageClassName"],
    [MOUNT_OPTIONS, "mountOptions"],
  ] as const) {
    if (metadata.annotations?.[key] === undefined) continue;
    warnings.push(
      `metadata.annotations[${key}]: deprecated since v1.${key === CLASS ? 8 : 31}; use "${field}" attribute instead`,
    );
  }
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    warnings.push(
      "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
    );
  }
  for (const [index, term] of (spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).entries()) {
    const field = `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`;
    warnings.push(...nodeTermWarnings(field, term, false));
  }
  return [...warnings, ...persistentSourceWarnings("spec", spec)];
}

/** Warnings on PersistentVolumeClaims. */
export function claimWarnings(object: SentObject): string[] {
  const { spec, metadata } = object as PersistentVolumeClaim;
  const sizes = claimSizeWarnings("spec", spec);
  return metadata.annotations?.[CLASS] === undefined
    ? sizes
    : [
        `metadata.annotations[${CLASS}]: deprecated since v1.8; use "storageClassName" attribute instead`,
        ...sizes,
      ];
}
