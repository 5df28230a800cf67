/** The rights of an operator's accounts: OLM grants what the ClusterServiceVersion lists, in roles of its own. */
import { TsopError } from "../../../errors.ts";
import type { ManifestObject } from "../../../kube/object.ts";
import type { PolicyRule, RoleRef, Subject } from "../../../generated/k8s/rbac-v1.ts";

interface AccountRules {
  readonly serviceAccountName: string;
  readonly rules: readonly PolicyRule[];
}

/** The rights of all accounts, and what of the objects they were read from. */
export interface OperatorRights {
  /** The rights in all namespaces. */
  readonly clusterPermissions: readonly AccountRules[];
  /** The rights in the namespaces that the operator watches, and its own. */
  readonly permissions: readonly AccountRules[];
  /** Roles and bindings that have nothing but these rights. */
  readonly held: ReadonlySet<ManifestObject>;
}

interface Role extends ManifestObject {
  readonly rules?: readonly PolicyRule[];
}

interface Binding extends ManifestObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}

/** The scope of the rights: the operator's namespace, its accounts, and the roles that are left out. */
export interface RightsScope {
  readonly namespace: string | undefined;
  /** The accounts that OLM makes. */
  readonly accounts: ReadonlySet<string>;
  /** Whether a role is for what OLM does itself. */
  readonly isNeedless: (role: ManifestObject) => boolean;
}

/**
 * The rights that the bindings grant to the accounts.
 *
 * @throws TsopError `bundle-binding` for one that a ClusterServiceVersion cannot say
 */
export function operatorRights(
  objects: readonly ManifestObject[],
  { namespace, accounts, isNeedless }: RightsScope,
): OperatorRights {
  const cluster = new Map<string, PolicyRule[]>();
  const own = new Map<string, PolicyRule[]>();
  const held = new Set<ManifestObject>();
  const kept = new Set<Role>();
  for (const binding of objects.filter(isBinding)) {
    const { subjects = [] } = binding;
    const ours = subjects.filter(
      (subject) =>
        subject.kind === "ServiceAccount" &&
        subject.namespace === namespace &&
        accounts.has(subject.name),
    );
    const role = roleOf(binding, objects);
    if (ours.length === 0) {
      if (role) kept.add(role);
      continue;
    }
    if (ours.length < subjects.length) {
      throw cannotSay(
        binding,
        "grants a role to the operator and to other subjects",
        "Make two bindings of it.",
      );
    }
    if (binding.kind === "RoleBinding" && binding.metadata.namespace !== namespace) {
      throw cannotSay(
        binding,
        `is for the namespace ${binding.metadata.namespace ?? "default"}, and OLM grants permissions in the namespaces that an OperatorGroup selects`,
        "Request the permissions in the operator's own namespace, or in all namespaces.",
      );
    }
    if (!role) {
      throw cannotSay(
        binding,
        `refers to the ${binding.roleRef.kind} ${binding.roleRef.name}, whose rules config/default does not render`,
        "Write a role with the rules that the operator needs of it.",
      );
    }
    held.add(binding);
    if (!isNeedless(role)) {
      const table = binding.kind === "ClusterRoleBinding" ? cluster : own;
      for (const { name } of ours) {
        table.set(name, [...(table.get(name) ?? []), ...(role.rules ?? [])]);
      }
    }
    held.add(role);
  }
  for (const role of kept) held.delete(role);
  return { clusterPermissions: listed(cluster), permissions: listed(own), held };
}

const isBinding = (object: ManifestObject): object is Binding =>
  object.kind === "RoleBinding" || object.kind === "ClusterRoleBinding";

function roleOf(binding: Binding, objects: readonly ManifestObject[]): Role | undefined {
  const { kind, name } = binding.roleRef;
  return objects.find(
    (object) =>
      object.kind === kind &&
      object.metadata.name === name &&
      (kind === "ClusterRole" || object.metadata.namespace === binding.metadata.namespace),
  );
}

const listed = (table: ReadonlyMap<string, readonly PolicyRule[]>): AccountRules[] =>
  [...table].map(([serviceAccountName, rules]) => ({ serviceAccountName, rules }));

function cannotSay(binding: ManifestObject, what: string, fix: string): TsopError {
  return new TsopError(
    "bundle-binding",
    `A bundle cannot hold the ${binding.kind} ${binding.metadata.name}: it ${what}.`,
    fix,
  );
}
