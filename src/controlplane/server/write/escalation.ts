/**
 * Escalation checks of roles and bindings: users may not grant rights that they lack.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
import { changesNothingButOwners } from "../../builtin/shared/owner-changes.ts";
import type { SentObject } from "../../../kube/object.ts";
import { missingRights } from "../../auth/coverage.ts";
import { authorize } from "../../auth/authorizer.ts";
import type { PolicyRule, RoleRef } from "../../../generated/k8s/rbac-v1.ts";
import { rulesOf, rulesOfRole } from "../../auth/rbac.ts";
import type { User } from "../../kinds.ts";
import type { Cluster, Write } from "../cluster/cluster.ts";
import { forbiddenTo, notFound } from "../../failures.ts";

const GROUP = "rbac.authorization.k8s.io";

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

interface RoleLike extends SentObject {
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly object[] | null } | null;
}

interface BindingLike extends SentObject {
  readonly roleRef?: RoleRef;
}

/**
 * Checks roles and bindings, and no other kinds.
 *
 * @param old - absent for a new object
 * @throws StatusError 403, or 404 when a binding names a role that does not exist
 */
export function checkEscalation(
  { cluster, endpoint: { resource }, options: { user } }: Write,
  object: SentObject,
  old?: SentObject,
): void {
  if (resource.group !== GROUP || user.groups.includes("system:masters")) return;
  if (old && changesNothingButOwners(object, old)) return;
  if (resource.plural === "roles" || resource.plural === "clusterroles") {
    checkRole(cluster, resource.plural, object, old, user);
  } else checkBinding(cluster, resource.plural, object, user);
}

function checkRole(
  cluster: Cluster,
  plural: "roles" | "clusterroles",
  object: RoleLike,
  old: RoleLike | undefined,
  user: User,
): void {
  const { name = "", namespace = "" } = object.metadata;
  // A new object has no name yet for the authorizer: its path is the collection's.
  const mayEscalate = authorize(cluster.store, user, {
    verb: "escalate",
    group: GROUP,
    version: "*",
    resource: plural,
    subresource: "",
    namespace,
    name: old ? name : "",
  }).allowed;
  if (mayEscalate) return;
  const lacking = (rules: readonly PolicyRule[]): string | undefined =>
    lackedBy(cluster, plural, user, namespace, rules);
  const aggregates = [object, old].some(
    (role) => role?.aggregationRule?.clusterRoleSelectors?.length,
  );
  const why =
    lacking(object.rules ?? []) ??
    (aggregates && lacking(EVERYTHING) !== undefined
      ? "must have cluster-admin privileges to use the aggregationRule"
      : undefined);
  if (why !== undefined) throw forbiddenTo({ group: GROUP, plural }, name, why);
}

function checkBinding(cluster: Cluster, plural: string, object: BindingLike, user: User): void {
  const { roleRef, metadata } = object;
  const { name = "", namespace = "" } = metadata;
  if (!roleRef) return;
  const resource = { group: GROUP, plural };
  const mayBind =
    (roleRef.kind === "Role" || roleRef.kind === "ClusterRole") &&
    authorize(cluster.store, user, {
      verb: "bind",
      group: roleRef.apiGroup ?? GROUP,
      version: "*",
      resource: `${roleRef.kind.toLowerCase()}s`,
      subresource: "",
      namespace,
      name: roleRef.name,
    }).allowed;
  if (mayBind) return;
  const rules = rulesOfRole(cluster.store, roleRef, namespace);
  if (typeof rules === "string") throw notFound(resource, roleRef.name);
  const lacking = lackedBy(cluster, plural, user, namespace, rules);
  if (lacking !== undefined) throw forbiddenTo(resource, name, lacking);
}

function lackedBy(
  { store }: Cluster,
  plural: string,
  user: User,
  namespace: string,
  rules: readonly PolicyRule[],
): string | undefined {
  const { granted, errors } = rulesOf(store, user, namespace);
  return missingRights(
    user,
    granted.map(({ rule }) => rule),
    rules,
    // Missing roles are named after the resource of the request.
    errors.map((text) => text.replace(/^[a-z]+\./, `${plural}.`)),
  );
}
