/**
 * The rights that the parts of an operator need, and the marker that grants them: `tsop manifests`
 * writes the same rights that the operator checks when it starts.
 */

/** For a watched kind: it is listed once, and watched from there. */
export const WATCH_VERBS = ["list", "watch"] as const;

/** For the events of a recorder: repeated ones are counted in the first. */
export const EVENT_VERBS = ["create", "patch"] as const;

/** For the lease that makes one replica the leader. */
export const LEASE_VERBS = ["get", "create", "update"] as const;

/**
 * For the leases of shards, beside those for any lease: members are listed, and leases of former
 * members are deleted.
 */
export const SHARD_LEASE_VERBS = ["list", "delete"] as const;

/**
 * For the `finalizers` of an owner whose children block its deletion: where the admission plugin
 * OwnerReferencesPermissionEnforcement is on, as in OpenShift, they cannot be created without it.
 */
export const FINALIZER_VERBS = ["update"] as const;

/**
 * For the kind of a controller whose reconciler has a cleanup: its finalizer is added and removed
 * there.
 */
export const FINALIZER_PATCH_VERBS = ["get", "patch"] as const;

/**
 * The marker that grants verbs of a resource: `@Rbac({ groups: ["apps"], resources:
 * ["deployments"], verbs: ["get"] })`.
 */
export function rbacMarker(
  group: string,
  resource: string,
  verbs: readonly string[],
  names: readonly string[] = [],
): string {
  const list = (all: readonly string[]): string => all.map((one) => JSON.stringify(one)).join(", ");
  const limit = names.length > 0 ? ` resourceNames: [${list(names)}],` : "";
  return `@Rbac({ groups: [${list([group])}], resources: [${list([resource])}],${limit} verbs: [${list(verbs)}] })`;
}
