/**
 * The volume that a claim is bound to.
 *
 * Pure.
 *
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding
 */
import { compareQuantities, parseQuantity } from "../../../kube/values/quantity.ts";
import { matchesLabelSelector } from "../../../kube/selectors/selector.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";
import { classOf } from "../../builtin/kinds/core/persistent-volume-claim.ts";

/** The storage in a list of resources; 0 when absent. */
export const storageOf = (amounts: Readonly<Record<string, string>> | undefined): string =>
  amounts?.["storage"] ?? "0";

/** Whether the volume is bound to the claim, or reserved for one of that name. */
export function isBoundTo(
  { spec: { claimRef } }: PersistentVolume,
  { metadata }: PersistentVolumeClaim,
): boolean {
  return (
    claimRef !== undefined &&
    claimRef.namespace === metadata.namespace &&
    claimRef.name === metadata.name &&
    ((claimRef.uid ?? "") === "" || claimRef.uid === metadata.uid)
  );
}

/** Whether both are file systems, or both are devices. */
export const haveSameMode = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (volume.spec.volumeMode ?? "Filesystem") === (claim.spec.volumeMode ?? "Filesystem");

/** Why the volume that a claim names does not fit it, in upstream's words; `undefined` when it does. */
export function mismatchOf(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): string | undefined {
  const { name = "", deletionTimestamp } = volume.metadata;
  if (deletionTimestamp) return `the volume is marked for deletion ${JSON.stringify(name)}`;
  if (!isLargeEnough(volume, claim)) return "requested PV is too small";
  if ((classOf(volume) ?? "") !== (classOf(claim) ?? "")) return "storageClassName does not match";
  if (!haveSameAttributes(volume, claim)) return "volumeAttributesClassName does not match";
  if (!haveSameMode(volume, claim)) return "incompatible volumeMode";
  if (!offersModes(volume, claim)) return "incompatible accessMode";
  return undefined;
}

/**
 * The volume reserved for the claim, else the smallest one that fits, of those with the fewest
 * access modes.
 *
 * @param isDelayed - the claim waits for its pod: only a reserved volume counts
 */
export function bestVolumeFor(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  isDelayed: boolean,
): PersistentVolume | undefined {
  const { selector } = claim.spec;
  const candidates = volumes.filter((volume) => {
    const { spec, metadata, status } = volume;
    if (metadata.deletionTimestamp || !offersModes(volume, claim)) return false;
    if (!isLargeEnough(volume, claim) || !haveSameMode(volume, claim)) return false;
    if (!haveSameAttributes(volume, claim)) return false;
    if (spec.claimRef) return isBoundTo(volume, claim);
    return (
      !isDelayed &&
      status?.phase === "Available" &&
      (!selector || matchesLabelSelector(selector, metadata.labels)) &&
      (classOf(volume) ?? "") === (classOf(claim) ?? "")
    );
  });
  const modes = ({ spec }: PersistentVolume): number => spec.accessModes?.length ?? 0;
  const isKept = ({ spec }: PersistentVolume): number => (spec.claimRef ? 0 : 1);
  return candidates.toSorted(
    (left, right) =>
      modes(left) - modes(right) ||
      isKept(left) - isKept(right) ||
      compareQuantities(sizeOf(left), sizeOf(right)),
  )[0];
}

const sizeOf = ({ spec }: PersistentVolume): ReturnType<typeof parseQuantity> =>
  parseQuantity(storageOf(spec.capacity));

const isLargeEnough = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  compareQuantities(sizeOf(volume), parseQuantity(storageOf(claim.spec.resources?.requests))) >= 0;

const offersModes = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (claim.spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode));

const haveSameAttributes = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (volume.spec.volumeAttributesClassName ?? "") === (claim.spec.volumeAttributesClassName ?? "");
