/** Cells that the tables of PersistentVolumes and their claims share. */
import type { SentObject } from "../../../../kube/object.ts";
import { mapAt, textAt, textOf } from "../../at.ts";
import type { Cells } from "../../tables/cells.ts";

export const CLASS = "volume.beta.kubernetes.io/storage-class";

const MODES = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

export function accessModes(modes: readonly unknown[]): string {
  return MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

const phase = (object: SentObject): string =>
  object.metadata.deletionTimestamp === undefined ? textAt(object, "status.phase") : "Terminating";

const storageClass = (object: SentObject): string =>
  object.metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ??
  textAt(object, "spec.storageClassName");

export const size = (object: SentObject, path: string): string =>
  textOf(mapAt(object, path)["storage"], "0");

export const VOLUME_CELLS: Cells = {
  Status: phase,
  StorageClass: storageClass,
  VolumeAttributesClass: ["spec.volumeAttributesClassName", "<unset>"],
  VolumeMode: ["spec.volumeMode", "<unset>"],
};
