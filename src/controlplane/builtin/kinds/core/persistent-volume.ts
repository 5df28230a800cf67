/** Rules of the kind PersistentVolume. */
import { type FieldError, forbidden, invalidValue } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { WriteContext } from "../../../kinds.ts";
import { at, listAt, textAt } from "../../at.ts";
import { immutable } from "../../shared/checks.ts";
import { setVolumeSourceDefaults } from "../../shared/pods/defaults.ts";
import type { NodeSelector } from "../../shared/pods/shapes.ts";
import type { PersistentVolume } from "../../shared/shapes.ts";
import { protectInUse } from "../../shared/volumes/protection.ts";
import { type VolumeSpec, volumeSpecErrors } from "../../shared/volumes/volume-spec.ts";
import { SOURCES } from "../../shared/volumes/warnings.ts";
import { formDifference, internalForm, sameForm } from "../../strategies/go-internal.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { timeOf } from "../../../../kube/values/times.ts";
import { CLASS, VOLUME_CELLS, accessModes, size } from "./volume-columns.ts";
import { nodeTermWarnings } from "../../shared/pods/warnings.ts";

function setPersistentVolumeDefaults(volume: PersistentVolume): void {
  (volume.status ??= {}).phase ??= "Pending";
  volume.spec.persistentVolumeReclaimPolicy ??= "Retain";
  volume.spec.volumeMode ??= "Filesystem";
  setVolumeSourceDefaults(volume.spec);
}

function preparePersistentVolumeForCreate(volume: PersistentVolume, context: WriteContext): void {
  volume.status = {
    phase: "Pending",
    lastPhaseTransitionTime: timeOf(context.clock.now()),
  };
  protectInUse(volume, "kubernetes.io/pv-protection", context);
}

/** Sets the time of a phase change, unless the writer gives one. */
function preparePersistentVolumeStatus(
  volume: PersistentVolume,
  previous: PersistentVolume,
  context: WriteContext,
): void {
  const status = (volume.status ??= {});
  const { phase, lastPhaseTransitionTime: before } = previous.status ?? {};
  const { lastPhaseTransitionTime: now } = status;
  if (phase === (status.phase ?? "Pending")) {
    if (now === undefined && before !== undefined) status.lastPhaseTransitionTime = before;
  } else if (now === undefined || now === before) {
    status.lastPhaseTransitionTime = timeOf(context.clock.now());
  }
}

const MOUNT_OPTIONS = "volume.beta.kubernetes.io/mount-options";

/** Warnings about a PersistentVolume. */
function persistentVolumeWarnings({
  spec,
  metadata,
}: PersistentVolume & { spec: { nodeAffinity?: { required?: NodeSelector } } }): string[] {
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

/** The sources that PersistentVolumes are warned about, in that order. */
const PERSISTENT = ["cephfs", "photonPersistentDisk", "scaleIO", "storageos", "glusterfs", "rbd"];

/** Warnings about sources of a PersistentVolume that no longer work. */
const persistentSourceWarnings = (field: string, spec: object): string[] =>
  PERSISTENT.flatMap((wanted) =>
    SOURCES.filter(([name]) => name === wanted && at(spec, name) !== undefined).map(
      ([, shown, note]) => `${field}.${shown}: ${note}`,
    ),
  );

interface CheckedVolume extends SentObject {
  spec: VolumeSpec;
}

const persistentVolumeErrors = (object: CheckedVolume): FieldError[] =>
  volumeSpecErrors("spec", object.spec, object.metadata.name ?? "");

function persistentVolumeUpdateErrors(
  object: CheckedVolume,
  previous: CheckedVolume,
): FieldError[] {
  const { spec } = object;
  const { spec: old } = previous;
  const before = { ...old };
  // A secret for expansion may be added later.
  if (old.csi && !old.csi.controllerExpandSecretRef && spec.csi?.controllerExpandSecretRef) {
    before.csi = { ...old.csi, controllerExpandSecretRef: spec.csi.controllerExpandSecretRef };
  }
  const difference = formDifference("core.PersistentVolumeSource", before, spec);
  const fixed = "spec.persistentvolumesource is immutable after creation";
  const own = persistentVolumeErrors(object);
  const affinity = "*core.VolumeNodeAffinity";
  return [
    // Listed twice: by the server's strategy and by the validation of the update.
    ...own,
    ...own,
    ...(difference === ""
      ? []
      : [forbidden("spec.persistentvolumesource", `${fixed}\n${difference}`)]),
    ...immutable("volumeMode", spec.volumeMode, old.volumeMode),
    ...(!old.nodeAffinity || sameForm(affinity, spec.nodeAffinity, old.nodeAffinity)
      ? []
      : [
          invalidValue(
            "nodeAffinity",
            internalForm(affinity, spec.nodeAffinity),
            "field is immutable, except for updating from beta label to GA",
          ),
        ]),
    ...(old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined
      ? [
          forbidden(
            "spec.volumeAttributesClassName",
            "update from non-nil value to nil is forbidden",
          ),
        ]
      : []),
  ];
}

function claimReference(volume: SentObject): string {
  const claim = at(volume, "spec.claimRef");
  return claim ? `${textAt(claim, "namespace")}/${textAt(claim, "name")}` : "";
}

/** The rules of PersistentVolumes. */
export const persistentVolumeRules: KindRules = {
  warnings: persistentVolumeWarnings,
  validateCreate: persistentVolumeErrors,
  prepareForStatus: preparePersistentVolumeStatus,
  validateUpdate: persistentVolumeUpdateErrors,
  status: "all",
  setDefaults: setPersistentVolumeDefaults,
  prepareForCreate: preparePersistentVolumeForCreate,
  table: {
    ...VOLUME_CELLS,
    Capacity: (object) => size(object, "spec.capacity"),
    "Access Modes": (object) => accessModes(listAt(object, "spec.accessModes")),
    "Reclaim Policy": "spec.persistentVolumeReclaimPolicy",
    Claim: claimReference,
    Reason: "status.reason",
  },
  metadataChecks: ["whole", "whole"],
  deletion: { answersObject: true },
};
