/**
 * Turns grants into the fewest rules: merged and sorted as controller-gen does, so that a role
 * moved over from Go stays as it is.
 */
import type { GrantModel } from "../model.ts";

/** A rule of a role; lists are sorted and have no duplicates. */
export interface Rule {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly urls: readonly string[];
  readonly verbs: readonly string[];
}

/** A Role, or a ClusterRole where the namespace is empty. */
export interface Role {
  readonly name: string;
  readonly namespace: string;
  readonly rules: readonly Rule[];
}

type Part = keyof Rule;
const PARTS: readonly Part[] = ["groups", "resources", "resourceNames", "urls", "verbs"];

const sorted = (texts: Iterable<string>): string[] => [...new Set(texts)].sort();
const keyOf = (rule: Rule, parts: readonly Part[]): string =>
  parts.map((part) => rule[part].join("&")).join(" + ");

/** The roles of all grants, by namespace, then by name. */
export function rolesOf(grants: readonly GrantModel[], managerRole: string): Role[] {
  const roles = new Map<string, { name: string; namespace: string; grants: GrantModel[] }>();
  for (const grant of grants) {
    const { namespace, roleName } = grant;
    const name = roleName === "" ? managerRole : roleName;
    const key = `${namespace}/${name}`;
    const role = roles.get(key) ?? { name, namespace, grants: [] };
    role.grants.push(grant);
    roles.set(key, role);
  }
  return [...roles.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { name, namespace, grants: own }]) => ({ name, namespace, rules: mergeRules(own) }));
}

function mergeRules(grants: readonly GrantModel[]): Rule[] {
  let rules = grants.flatMap(oneResourceEach);
  rules = union(rules, "verbs");
  rules = union(rules, "resources");
  rules = union(rules, "groups");
  rules = union(rules, "urls");
  const order: readonly Part[] = ["groups", "resources", "resourceNames", "urls"];
  return rules
    .sort((a, b) => (keyOf(a, order) < keyOf(b, order) ? -1 : 1))
    .map((rule) => (rule.verbs.includes("*") ? { ...rule, verbs: ["*"] } : rule));
}

function oneResourceEach(grant: GrantModel): Rule[] {
  const rule: Rule = {
    groups: sorted(grant.groups.map((group) => (group === "core" ? "" : group))),
    resources: [],
    resourceNames: sorted(grant.resourceNames),
    urls: sorted(grant.urls),
    verbs: sorted(grant.verbs),
  };
  if (grant.resources.length === 0) return [rule];
  return sorted(grant.resources).map((resource) => ({ ...rule, resources: [resource] }));
}

/** Rules that differ in one part only become one. */
function union(rules: readonly Rule[], part: Part): Rule[] {
  const others = PARTS.filter((other) => other !== part);
  const merged = new Map<string, Rule>();
  for (const rule of rules) {
    const key = keyOf(rule, others);
    const before = merged.get(key);
    merged.set(
      key,
      before ? { ...before, [part]: sorted([...before[part], ...rule[part]]) } : rule,
    );
  }
  return [...merged.values()];
}
