/** Rights that roles grant beside those that requests used. Pure. */
import type { PolicyRule, RoleBinding } from "../../generated/k8s/rbac-v1.ts";
import type { ManifestObject } from "../../kube/object.ts";
import type { UsedRight } from "../../runtime/journal/used-rights.ts";
import type { PageRight } from "./protocol.ts";

type RoleManifest = ManifestObject & { rules?: PolicyRule[] | null };
type BindingManifest = ManifestObject & Partial<Pick<RoleBinding, "roleRef" | "subjects">>;

export interface GrantedRight {
  readonly group: string;
  /** The resource without its group, with its subresource: `deployments/status`. */
  readonly resource: string;
  readonly verb: string;
  /** The namespaces and the names to which it is limited. */
  readonly scope: string;
}

const EVERYWHERE = "everywhere";

/** The rights that the bindings of a project give to its service account. */
export function grantedRights(rendered: readonly ManifestObject[]): GrantedRight[] {
  const account = rendered.find(({ kind }) => kind === "ServiceAccount")?.metadata.name;
  const bindings = rendered.filter(isBinding).filter(({ subjects = [] }) => {
    return subjects.some(({ kind, name }) => kind === "ServiceAccount" && name === account);
  });
  return bindings.flatMap((binding) => {
    const { namespace } = binding.metadata;
    const { kind, name } = binding.roleRef ?? {};
    const role = rendered.filter(isRole).find((one) => {
      const isSame = one.kind === kind && one.metadata.name === name;
      return isSame && (kind !== "Role" || one.metadata.namespace === namespace);
    });
    const where =
      binding.kind === "ClusterRoleBinding" ? EVERYWHERE : `in ${namespace ?? "default"}`;
    return (role?.rules ?? []).flatMap((rule) => rightsOfRule(rule, where));
  });
}

const isRole = (object: ManifestObject): object is RoleManifest =>
  object.kind === "Role" || object.kind === "ClusterRole";
const isBinding = (object: ManifestObject): object is BindingManifest =>
  object.kind === "RoleBinding" || object.kind === "ClusterRoleBinding";

function rightsOfRule(rule: Partial<PolicyRule>, where: string): GrantedRight[] {
  const { apiGroups = [], resources = [], resourceNames = [], verbs = [] } = rule;
  const scope = resourceNames.length === 0 ? where : `${where}, only ${resourceNames.join(", ")}`;
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb, scope }))),
  );
}

/** All rights that are granted or were used, sorted by resource. */
export function rightsTable(
  granted: readonly GrantedRight[],
  used: readonly UsedRight[],
): PageRight[] {
  const rows = new Map<string, PageRight>();
  for (const right of granted) {
    const [resource, subresource] = named(right);
    const { verb, scope } = right;
    const id = idOf({ verb, resource, subresource });
    const before = rows.get(id)?.granted;
    const scopes = before === undefined || before === scope ? scope : `${before}; ${scope}`;
    const requests = used.filter((one) => covers(right, one));
    rows.set(id, {
      verb,
      resource,
      ...(subresource !== undefined && { subresource }),
      granted: before === EVERYWHERE || scope === EVERYWHERE ? EVERYWHERE : scopes,
      used: sum(requests.map(({ count }) => count)),
      refused: sum(requests.map(({ refused }) => refused)),
    });
  }
  for (const one of used) {
    if (granted.some((right) => covers(right, one))) continue;
    const { verb, resource, subresource, count, refused } = one;
    const row = { verb, resource, used: count, refused };
    rows.set(idOf(one), { ...row, ...(subresource !== undefined && { subresource }) });
  }
  return [...rows.values()].sort(
    (a, b) => compare(a.resource, b.resource) || compare(a.subresource ?? "", b.subresource ?? ""),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const idOf = ({ verb, resource, subresource }: NamedRight): string =>
  `${resource}/${subresource ?? ""} ${verb}`;

interface NamedRight {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
}

function named({ group, resource }: GrantedRight): [string, string | undefined] {
  const [plural = "", subresource] = resource.split("/");
  const isAll = plural === "*" && group === "*";
  return [group === "" || isAll ? plural : `${plural}.${group}`, subresource];
}

/**
 * Whether a right covers a use, as the authorizer decides it: `*` is any, and a resource alone is
 * not its subresources.
 */
function covers(right: GrantedRight, { verb, resource, subresource }: UsedRight): boolean {
  const [plural = "", ...rest] = resource.split(".");
  const asked = subresource === undefined ? plural : `${plural}/${subresource}`;
  const anyPlural = subresource === undefined ? undefined : `*/${subresource}`;
  return (
    (right.verb === "*" || right.verb === verb) &&
    (right.group === "*" || right.group === rest.join(".")) &&
    (right.resource === "*" || right.resource === asked || right.resource === anyPlural)
  );
}
