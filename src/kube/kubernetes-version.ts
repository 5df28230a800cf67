/**
 * The version of Kubernetes that the control plane behaves as, and that the tables of built-in
 * kinds are from. `npm run make -- kubernetes-tables` writes this line with the tables.
 */

/** Without the `v` of its tag. */
export const KUBERNETES_VERSION = "1.37.2";
