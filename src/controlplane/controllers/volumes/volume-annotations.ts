/**
 * Annotations about the binding of claims and volumes.
 *
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/
 */

/** Set when the controller chose the other side, not when a user named it. */
export const BOUND_BY = "pv.kubernetes.io/bound-by-controller";
/** Set on a claim whose binding is complete. */
export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
/** The provisioner that made a volume. */
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
/**
 * The provisioner that should make a volume for a claim; the annotation's older name and its newer
 * one.
 */
export const PROVISIONERS = [
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/storage-provisioner",
];
/** The node that the scheduler chose for the pod of a claim: its volume may be made now. */
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
/** The provisioner of a class whose volumes are made by hand. */
export const NO_PROVISIONER = "kubernetes.io/no-provisioner";
