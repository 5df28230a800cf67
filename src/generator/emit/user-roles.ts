/**
 * Roles for those who use a kind, where `@Resource` asks for them: its admins, its editors and its viewers.
 *
 * Names and rules are those that kubebuilder scaffolds.
 */
import type { JsonObject } from "../../kube/object.ts";
import type { VersionedKind } from "./crd.ts";

/**
 * The users of the objects with their verbs, and the role of every cluster to which each may be
 * added.
 */
const USERS = [
  { user: "admin", adds: "admin", verbs: ["*"] },
  {
    user: "editor",
    adds: "edit",
    verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  },
  { user: "viewer", adds: "view", verbs: ["get", "list", "watch"] },
] as const;

/** The ClusterRoles that the kinds ask for, in the order of the kinds. */
export function userRolesOf(kinds: readonly VersionedKind[]): JsonObject[] {
  const asking = kinds.flatMap((kind) => {
    const said = kind.versions.find(({ userRoles }) => userRoles)?.userRoles;
    return said ? [{ kind, aggregated: said === "aggregated" }] : [];
  });
  return asking.flatMap(({ kind, aggregated }) => {
    const alone = kinds.filter(({ kind: name }) => isSame(name, kind.kind)).length === 1;
    const name = kind.kind.toLowerCase();
    return USERS.map(({ user, adds, verbs }) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: {
        name: `${alone ? "" : `${kind.group}-`}${name}-${user}-role`,
        ...(aggregated
          ? { labels: { [`rbac.authorization.k8s.io/aggregate-to-${adds}`]: "true" } }
          : {}),
      },
      rules: rulesOf(kind, verbs),
    }));
  });
}

const isSame = (name: string, other: string): boolean => name.toLowerCase() === other.toLowerCase();

/** The status is the operator's to write: others read it. */
function rulesOf(
  { group, plural, versions }: VersionedKind,
  verbs: readonly string[],
): JsonObject[] {
  const hasStatus = versions.some(({ statusSubresource }) => statusSubresource);
  return [
    { apiGroups: [group], resources: [plural], verbs: [...verbs] },
    ...(hasStatus ? [{ apiGroups: [group], resources: [`${plural}/status`], verbs: ["get"] }] : []),
  ];
}
