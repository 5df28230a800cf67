/**
 * The marks of objects that an operator creates for itself, outside of its reconciles: the Secrets of its webhooks, and
 * Leases. `tsop undeploy` finds them by these.
 */

/** The label of all of them, with the value `MANAGER`. */
export const MANAGED_BY = "app.kubernetes.io/managed-by";
export const MANAGER = "tsop";

/** The annotation of the Secret of a certificate: the Service of the webhooks. */
export const SERVICE_ANNOTATION = "certificates.tsop.dev/service";

/** The annotation of the Secret with the key for conversions of a kind: the name of its CRD. */
export const CRD_ANNOTATION = "conversion.tsop.dev/crd";

/** The label of the Leases of processes that share the keys; its value is the operator's id. */
export const SHARDS_LABEL = "tsop.dev/shards";
