/**
 * Annotations by which claims and volumes tell how they came together.
 *
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/
 * @module
 */

/** The controller chose the other side; a user who named it did not. */
export const BOUND_BY = "pv.kubernetes.io/bound-by-controller";
/** A claim that is bound once and for all. */
export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
/** The provisioner that made a volume. */
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
/** Who is to make a volume for a claim, under its older name and its newer one. */
export const PROVISIONERS = [
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/storage-provisioner",
];
/** The node that the scheduler chose for the pod of a claim: its volume may be made now. */
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
/** The provisioner of a class whose volumes are made by hand. */
export const NO_PROVISIONER = "kubernetes.io/no-provisioner";
