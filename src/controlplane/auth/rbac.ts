/**
 * Role-based access control: rights by the stored roles and bindings.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
import type { Attributes } from "../request-attributes.ts";
import type { SentObject } from "../../kube/object.ts";
import type { PolicyRule, RoleRef, Subject } from "../../generated/k8s/rbac-v1.ts";
import { aggregate } from "../../kube/status.ts";
import type { User } from "../kinds.ts";
import type { CollectionName, ObjectSource } from "../resource-name.ts";

/** The decision of an authorizer, with its reason. */
export interface Decision {
  readonly allowed: boolean;
  /** The binding that allowed it, or the errors in finding rules; often empty. */
  readonly reason: string;
}

interface Role extends SentObject {
  readonly rules?: readonly PolicyRule[] | null;
}

interface Binding extends SentObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[] | null;
}

/** A rule that applies to a user, and the binding that granted it. */
interface GrantedRule {
  readonly rule: PolicyRule;
  readonly grantedBy: string;
}

const GROUP = "rbac.authorization.k8s.io";
const ROLES: CollectionName<Role> = `roles.${GROUP}`;
const CLUSTER_ROLES: CollectionName<Role> = `clusterroles.${GROUP}`;
const BINDINGS: CollectionName<Binding> = `rolebindings.${GROUP}`;
const CLUSTER_BINDINGS: CollectionName<Binding> = `clusterrolebindings.${GROUP}`;

/** Whether roles and bindings allow something; the search ends at the first rule that does. */
export function authorizeByRoles(
  source: ObjectSource,
  user: User,
  attributes: Attributes,
): Decision {
  const namespace = "path" in attributes ? "" : attributes.namespace;
  const errors: string[] = [];
  for (const { rules, grantedBy } of grantsTo(source, user, namespace, errors)) {
    if (rules.some((rule) => ruleAllows(rule, attributes))) {
      return { allowed: true, reason: `RBAC: allowed by ${grantedBy()}` };
    }
  }
  return { allowed: false, reason: errors.length === 0 ? "" : `RBAC: ${aggregate(errors)}` };
}

/**
 * Every rule that applies to a user in a namespace (empty for cluster-wide rules only), and the
 * missing roles.
 */
export function rulesOf(
  source: ObjectSource,
  user: User,
  namespace: string,
): { readonly granted: GrantedRule[]; readonly errors: string[] } {
  const errors: string[] = [];
  const granted = [...grantsTo(source, user, namespace, errors)].flatMap(({ rules, grantedBy }) =>
    rules.map((rule) => ({ rule, grantedBy: grantedBy() })),
  );
  return { granted, errors };
}

/** The rules that a binding grants, and the binding in words. */
interface Grant {
  readonly rules: readonly PolicyRule[];
  readonly grantedBy: () => string;
}

/**
 * What bindings grant to a user: those of the cluster, then those of a namespace.
 *
 * @param errors - gets the missing roles
 */
function* grantsTo(
  source: ObjectSource,
  user: User,
  namespace: string,
  errors: string[],
): Iterable<Grant> {
  for (const scope of namespace === "" ? [""] : ["", namespace]) {
    const bindings = scope === "" ? source.list(CLUSTER_BINDINGS) : source.list(BINDINGS, scope);
    for (const binding of bindings) {
      const subject = binding.subjects?.find((one) => isSubject(user, one, scope));
      if (!subject) continue;
      const rules = rulesOfRole(source, binding.roleRef, scope);
      if (typeof rules === "string") errors.push(rules);
      else yield { rules, grantedBy: () => describeBinding(binding, subject, scope) };
    }
  }
}

/** The rules of a role, or the error that it is missing. */
export function rulesOfRole(
  source: ObjectSource,
  { kind, name }: RoleRef,
  namespace: string,
): readonly PolicyRule[] | string {
  const role =
    kind === "Role" ? source.get(ROLES, `${namespace}/${name}`) : source.get(CLUSTER_ROLES, name);
  if (!role) return `${kind.toLowerCase()}.${GROUP} ${JSON.stringify(name)} not found`;
  return role.rules ?? [];
}

function isSubject(user: User, subject: Subject, namespace: string): boolean {
  switch (subject.kind) {
    case "User":
      return user.name === subject.name;
    case "Group":
      return user.groups.includes(subject.name);
    case "ServiceAccount": {
      const home = subject.namespace ? subject.namespace : namespace;
      return home !== "" && user.name === `system:serviceaccount:${home}:${subject.name}`;
    }
    default:
      return false;
  }
}

function describeBinding(binding: Binding, subject: Subject, namespace: string): string {
  const { name = "" } = binding.metadata;
  const home = subject.namespace ? subject.namespace : namespace;
  const who = subject.kind === "ServiceAccount" ? `${subject.name}/${home}` : subject.name;
  const [kind, title] =
    namespace === "" ? ["ClusterRoleBinding", name] : ["RoleBinding", `${name}/${namespace}`];
  return `${kind} ${JSON.stringify(title)} of ${binding.roleRef.kind} ${JSON.stringify(binding.roleRef.name)} to ${subject.kind} ${JSON.stringify(who)}`;
}

/** Whether a list of a rule has the value, or all values. */
export const includesOrAll = (values: readonly string[] | undefined, value: string): boolean =>
  values !== undefined && (values.includes("*") || values.includes(value));

/** Whether one rule allows the request. */
export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!includesOrAll(rule.verbs, attributes.verb)) return false;
  if ("path" in attributes) {
    return (rule.nonResourceURLs ?? []).some((url) => urlCovers(url, attributes.path));
  }
  const { group, resource, subresource, name } = attributes;
  if (!includesOrAll(rule.apiGroups, group)) return false;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  const matches = (rule.resources ?? []).some(
    (one) => one === "*" || one === full || (subresource !== "" && one === `*/${subresource}`),
  );
  if (!matches) return false;
  const names = rule.resourceNames ?? [];
  return names.length === 0 || names.includes(name);
}

/** Whether the path of a rule, which may end with `*`, covers another one. */
export function urlCovers(url: string, path: string): boolean {
  return url === path || (url.endsWith("*") && path.startsWith(url.replace(/\*+$/, "")));
}
