/**
 * Storage as tables: volumes and claims of the core group, and the group storage.k8s.io.
 *
 * @module
 */
import type { SentObject } from "../../../kube/object.ts";
import { at, listAt, mapAt, textAt, textOf } from "../../builtin/at.ts";
import type { TablePrinter } from "../../kinds.ts";
import {
  BOOLEAN,
  WIDE,
  ageColumn,
  column,
  countColumn,
  defaultNameColumn,
  nameColumn,
  printer,
  textColumn,
} from "./column.ts";

const MODES = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

function accessModes(modes: readonly unknown[]): string {
  return MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

const phase = (object: SentObject): string =>
  object.metadata.deletionTimestamp === undefined ? textAt(object, "status.phase") : "Terminating";

const storageClass = (object: SentObject): string =>
  object.metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ??
  textAt(object, "spec.storageClassName");

function claimReference(volume: SentObject): string {
  const claim = at(volume, "spec.claimRef");
  return claim ? `${textAt(claim, "namespace")}/${textAt(claim, "name")}` : "";
}

const isBound = (claim: SentObject): boolean => textAt(claim, "spec.volumeName") !== "";

const size = (object: SentObject, path: string): string =>
  textOf(mapAt(object, path)["storage"], "0");

const attributesClassColumn = textColumn(
  "VolumeAttributesClass",
  "spec.volumeAttributesClassName",
  "<unset>",
);
const volumeModeColumn = textColumn("VolumeMode", "spec.volumeMode", "<unset>", WIDE);

/** Volumes and claims of the core group, by kind. */
export const volumePrinters: Readonly<Record<string, TablePrinter>> = {
  PersistentVolume: printer([
    nameColumn,
    column("Capacity", (object) => size(object, "spec.capacity")),
    column("Access Modes", (object) => accessModes(listAt(object, "spec.accessModes"))),
    textColumn("Reclaim Policy", "spec.persistentVolumeReclaimPolicy"),
    column("Status", phase),
    column("Claim", claimReference),
    column("StorageClass", storageClass),
    attributesClassColumn,
    textColumn("Reason", "status.reason"),
    ageColumn,
    volumeModeColumn,
  ]),
  PersistentVolumeClaim: printer([
    nameColumn,
    column("Status", phase),
    textColumn("Volume", "spec.volumeName"),
    column("Capacity", (object) => (isBound(object) ? size(object, "status.capacity") : "")),
    column("Access Modes", (object) =>
      isBound(object) ? accessModes(listAt(object, "status.accessModes")) : "",
    ),
    column("StorageClass", storageClass),
    attributesClassColumn,
    ageColumn,
    volumeModeColumn,
  ]),
};

const flagColumn = (
  name: string,
  path: string,
  absent = false,
  type = BOOLEAN as object,
): ReturnType<typeof column> => column(name, (object) => at(object, path) ?? absent, type);

function tokenAudiences(driver: SentObject): string {
  if (!at(driver, "spec.tokenRequests")) return "<unset>";
  return listAt(driver, "spec.tokenRequests")
    .map((request) => textAt(request, "audience"))
    .join(",");
}

/** The group storage.k8s.io, by kind. */
export const storagePrinters: Readonly<Record<string, TablePrinter>> = {
  StorageClass: printer([
    defaultNameColumn(
      "storageclass.kubernetes.io/is-default-class",
      "storageclass.beta.kubernetes.io/is-default-class",
    ),
    textColumn("Provisioner", "provisioner"),
    textColumn("ReclaimPolicy", "reclaimPolicy", "Delete"),
    textColumn("VolumeBindingMode", "volumeBindingMode", "Immediate"),
    flagColumn("AllowVolumeExpansion", "allowVolumeExpansion", false, {}),
    ageColumn,
  ]),
  VolumeAttributesClass: printer([nameColumn, textColumn("DriverName", "driverName"), ageColumn]),
  VolumeAttachment: printer([
    nameColumn,
    textColumn("Attacher", "spec.attacher", "", { format: "name" }),
    textColumn("PV", "spec.source.persistentVolumeName"),
    textColumn("Node", "spec.nodeName"),
    flagColumn("Attached", "status.attached"),
    ageColumn,
  ]),
  CSINode: printer([nameColumn, countColumn("Drivers", "spec.drivers"), ageColumn]),
  CSIDriver: printer([
    nameColumn,
    flagColumn("AttachRequired", "spec.attachRequired", true),
    flagColumn("PodInfoOnMount", "spec.podInfoOnMount"),
    flagColumn("StorageCapacity", "spec.storageCapacity"),
    column("TokenRequests", tokenAudiences),
    flagColumn("RequiresRepublish", "spec.requiresRepublish"),
    column("Modes", (object) => listAt(object, "spec.volumeLifecycleModes").join(",") || "<none>"),
    ageColumn,
  ]),
};
