/**
 * The marks of objects that an operator creates for itself, outside of its reconciles: the Secret of its webhook
 * certificate, and Leases. `tsop undeploy` finds them by these.
 */

/** The label of all of them, with the value `MANAGER`. */
export const MANAGED_BY = "app.kubernetes.io/managed-by";
export const MANAGER = "tsop";

/** The annotation of Secrets with the Service of the webhooks that they are for. */
export const SERVICE_ANNOTATION = "certificates.tsop.dev/service";

/** The label of the Leases of processes that share the keys; its value is the operator's id. */
export const SHARDS_LABEL = "tsop.dev/shards";
