import type { Check } from "../../../../kube/check.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { WriteContext } from "../../../kinds.ts";
import { at, listAt, textAt } from "../../at.ts";
import { checked, checkedChange, warningsOf } from "../../shared/checks.ts";
import { setVolumeSourceDefaults } from "../../shared/pods/defaults.ts";
import { warnOfNodeTerm } from "../../shared/workloads/pod-warnings.ts";
import type { PersistentVolume } from "../../shared/shapes.ts";
import { protectInUse } from "../../shared/volumes/protection.ts";
import { checkVolumeSpec } from "../../shared/volumes/volume-spec.ts";
import { SOURCES } from "../../shared/volumes/warnings.ts";
import { formDifference, internalForm, sameForm } from "../../go/internal.ts";
import type { KindRules } from "../../kind-rules.ts";
import { timeOf } from "../../../../kube/values/times.ts";
import { CLASS, VOLUME_CELLS, accessModes, size } from "./volume-columns.ts";

function setDefaults(volume: PersistentVolume): void {
  (volume.status ??= {}).phase ??= "Pending";
  volume.spec.persistentVolumeReclaimPolicy ??= "Retain";
  volume.spec.volumeMode ??= "Filesystem";
  setVolumeSourceDefaults(volume.spec);
}

function prepareForCreate(volume: PersistentVolume, context: WriteContext): void {
  volume.status = { phase: "Pending", lastPhaseTransitionTime: timeOf(context.clock.now()) };
  protectInUse(volume, "kubernetes.io/pv-protection", context);
}

/** Sets the time of a phase change, unless the writer gives one. */
function prepareForStatus(
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

/** The sources that PersistentVolumes are warned about, in that order. */
const WARNED = ["cephfs", "photonPersistentDisk", "scaleIO", "storageos", "glusterfs", "rbd"];

const warnings = (object: PersistentVolume): string[] =>
  warningsOf(object, (volume, warn) => {
    const annotations = volume.at("metadata", "annotations");
    const spec = volume.at("spec");
    const policy = spec.at("persistentVolumeReclaimPolicy");
    annotations.entry(CLASS).ifSet((it) => {
      warn(it, 'deprecated since v1.8; use "storageClassName" attribute instead');
    });
    annotations.entry(MOUNT_OPTIONS).ifSet((it) => {
      warn(it, 'deprecated since v1.31; use "mountOptions" attribute instead');
    });
    if (policy.value === "Recycle") {
      warn(
        policy,
        "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
      );
    }
    const terms = spec.at("nodeAffinity", "required", "nodeSelectorTerms");
    terms.each((term) => warnOfNodeTerm(term, warn, false));
    for (const source of WARNED) {
      const [, shown = "", note = ""] = SOURCES.find(([name]) => name === source) ?? [];
      if (at(spec.value, source) !== undefined) warn(spec.child(shown, undefined), note);
    }
  });

function checkVolume(volume: Check<PersistentVolume>): void {
  checkVolumeSpec(volume.at("spec"), volume.value.metadata.name ?? "");
}

function checkChange(volume: Check<PersistentVolume>, { spec: old }: PersistentVolume): void {
  const { spec } = volume.value;
  const before = { ...old };
  // A secret for expansion may be added later.
  if (old.csi && !old.csi.controllerExpandSecretRef && spec.csi?.controllerExpandSecretRef) {
    before.csi = { ...old.csi, controllerExpandSecretRef: spec.csi.controllerExpandSecretRef };
  }
  // Listed twice: by the server's strategy and by the validation of the update.
  checkVolume(volume);
  checkVolume(volume);
  const difference = formDifference("core.PersistentVolumeSource", before, spec);
  if (difference !== "") {
    const fixed = "spec.persistentvolumesource is immutable after creation";
    volume.child("spec.persistentvolumesource", spec).forbidden(`${fixed}\n${difference}`);
  }
  volume.child("volumeMode", spec.volumeMode).unchanged(old.volumeMode);
  const type = "*core.VolumeNodeAffinity";
  if (old.nodeAffinity && !sameForm(type, spec.nodeAffinity, old.nodeAffinity)) {
    const affinity = volume.child("nodeAffinity", internalForm(type, spec.nodeAffinity));
    affinity.invalid("field is immutable, except for updating from beta label to GA");
  }
  const attributes = volume.at("spec", "volumeAttributesClassName");
  if (old.volumeAttributesClassName !== undefined && attributes.value === undefined) {
    attributes.forbidden("update from non-nil value to nil is forbidden");
  }
}

function claimReference(volume: SentObject): string {
  const claim = at(volume, "spec.claimRef");
  return claim ? `${textAt(claim, "namespace")}/${textAt(claim, "name")}` : "";
}

export const persistentVolumeRules: KindRules = {
  warnings,
  validateCreate: checked(checkVolume),
  prepareForStatus,
  validateUpdate: checkedChange(checkChange),
  status: "all",
  setDefaults,
  prepareForCreate,
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
