/**
 * Which rights the parts of an operator need, and the marker that grants them: what `tsop manifests` asks for is what
 * the operator checks when it starts.
 *
 * @module
 */

/** Of a kind that is watched: it is listed once, and followed from there. */
export const WATCH_VERBS = ["list", "watch"] as const;

/** Of the events that a recorder writes: repeated ones are counted in the first. */
export const EVENT_VERBS = ["create", "patch"] as const;

/** Of the lease that makes one replica the leader. */
export const LEASE_VERBS = ["get", "create", "update"] as const;

/** Of the leases of shards, beside those of any lease: members are found, and those that are gone are removed. */
export const SHARD_LEASE_VERBS = ["list", "delete"] as const;

/**
 * Of the `finalizers` of an owner whose children block its deletion: where the admission plugin
 * OwnerReferencesPermissionEnforcement is on, as in OpenShift, they cannot be made without it.
 */
export const FINALIZER_VERBS = ["update"] as const;

/** Of the kind of a controller whose reconciler has a cleanup: its finalizer is added and removed there. */
export const FINALIZER_PATCH_VERBS = ["get", "patch"] as const;

/** The marker that grants verbs of a resource: `@Rbac({ groups: ["apps"], resources: ["deployments"], verbs: ["get"] })`. */
export function rbacMarker(group: string, resource: string, verbs: readonly string[]): string {
  const list = verbs.map((verb) => JSON.stringify(verb)).join(", ");
  return `@Rbac({ groups: [${JSON.stringify(group)}], resources: [${JSON.stringify(resource)}], verbs: [${list}] })`;
}
