/**
 * Claims: the pods that use them, their classes, and the annotations about their binding.
 *
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/
 */
import type { SentObject } from "../../../kube/object.ts";
import { classOf } from "../../builtin/kinds/core/persistent-volume-claim.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { StorageClass } from "../../builtin/kinds/storage/storage-class.ts";
import type { Volume } from "../../builtin/shared/pods/pod-shapes.ts";
import type { PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";
import { PODS, STORAGE_CLASSES } from "../../builtin/tokens.ts";
import type { ControllerClient, ObjectName, StoreEvent } from "../framework/client.ts";

/** Set when the controller chose the other side, not when a user named it. */
export const BOUND_BY = "pv.kubernetes.io/bound-by-controller";
/** Set on a claim whose binding is complete. */
export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
/** The provisioner that made a volume. */
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
/** The provisioner that should make a volume for a claim, under its older name and its newer one. */
export const PROVISIONERS = [
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/storage-provisioner",
];
/** The node that the scheduler chose for the pod of a claim: its volume may be made now. */
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
/** The provisioner of a class whose volumes are made by hand. */
export const NO_PROVISIONER = "kubernetes.io/no-provisioner";

export const isBindComplete = ({ metadata }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.[BIND_COMPLETED] !== undefined;

/** The StorageClass of a claim, where it names one that exists. */
export function storageClassOf(
  client: ControllerClient,
  claim: PersistentVolumeClaim,
): StorageClass | undefined {
  const name = classOf(claim) ?? "";
  return name === "" ? undefined : client.find(STORAGE_CLASSES, { name });
}

/** Whether claims of the class are bound once a node is chosen for their pod. */
export const bindsLate = (storage: StorageClass | undefined): boolean =>
  storage?.volumeBindingMode === "WaitForFirstConsumer";

/** Whether the claim waits for a pod, and for the scheduler to choose a node. */
export const isDelayed = (client: ControllerClient, claim: PersistentVolumeClaim): boolean =>
  claim.metadata.annotations?.[SELECTED_NODE] === undefined &&
  bindsLate(storageClassOf(client, claim));

/** The name of the claim behind a volume of a pod, named in it or created for it; `undefined` for other volumes. */
export function claimNameOf(
  { metadata }: Pod,
  { name, persistentVolumeClaim, ephemeral }: Volume,
): string | undefined {
  if (persistentVolumeClaim) return persistentVolumeClaim.claimName;
  return ephemeral ? `${metadata.name ?? ""}-${name}` : undefined;
}

const claimsOf = (pod: Pod): string[] =>
  (pod.spec.volumes ?? []).flatMap((volume) => claimNameOf(pod, volume) ?? []);

/** The keys of the claims that a change of a pod concerns. */
export const usedClaims = ({ object }: StoreEvent<Pod>): string[] =>
  claimsOf(object).map((name) => `${object.metadata.namespace ?? ""}/${name}`);

/** The pods that use a claim. */
export const usersOf = (
  client: ControllerClient,
  { namespace = "", name = "" }: ObjectName,
): readonly Pod[] => client.list(PODS, { namespace }).filter((pod) => claimsOf(pod).includes(name));

/** The reference of a volume to its claim. */
export function claimReference({ metadata }: SentObject): object {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata;
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid, resourceVersion };
}
