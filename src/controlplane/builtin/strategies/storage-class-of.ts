/**
 * Which storage class a claim or volume has, and which one a claim without gets.
 *
 * @see https://kubernetes.io/docs/concepts/storage/storage-classes/#default-storageclass
 * @module
 */
import type { SentObject } from "../../../kube/object.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "./shapes.ts";

const BETA_CLASS = "volume.beta.kubernetes.io/storage-class";
const IS_DEFAULT = "storageclass.kubernetes.io/is-default-class";

/** The class of a claim or volume; empty for none on purpose, `undefined` where nothing is said. */
export const classOf = ({
  metadata,
  spec,
}: PersistentVolumeClaim | PersistentVolume): string | undefined =>
  metadata.annotations?.[BETA_CLASS] ?? spec.storageClassName;

/** The newest of the classes that are for claims without one; of two of one second the first by name. */
export function defaultClassOf(classes: readonly SentObject[]): string | undefined {
  const created = ({ metadata }: SentObject): string => metadata.creationTimestamp ?? "";
  const nameOf = ({ metadata }: SentObject): string => metadata.name ?? "";
  const isBefore = (one: SentObject, other: SentObject): boolean =>
    created(one) === created(other) ? nameOf(one) < nameOf(other) : created(one) > created(other);
  return classes
    .filter(({ metadata }) => metadata.annotations?.[IS_DEFAULT] === "true")
    .toSorted((one, other) => (isBefore(one, other) ? -1 : 1))[0]?.metadata.name;
}
