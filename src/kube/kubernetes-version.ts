/**
 * Which Kubernetes the control plane behaves as, and the tables of built-in kinds were read from.
 * `scripts/kubernetes/tables.mjs` writes this line with the tables.
 *
 * @module
 */

/** Without the `v` of its tag. */
export const KUBERNETES_VERSION = "1.36.3";
