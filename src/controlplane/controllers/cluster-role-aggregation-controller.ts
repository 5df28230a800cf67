/**
 * Aggregated ClusterRoles: their rules are those of all roles that their selectors match.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles
 */
import type { ResourceName } from "../resource-name.ts";
import { sameJson } from "../../kube/json.ts";
import type { SentObject } from "../../kube/object.ts";
import { type LabelSelector, matchesLabelSelector } from "../../kube/selectors/selector.ts";
import type { StoreEvent } from "./framework/client.ts";
import { textOf } from "./framework/keys.ts";
import { ObjectController, watch } from "./framework/controller.ts";

const RULE_FIELDS = [
  "verbs",
  "apiGroups",
  "resources",
  "resourceNames",
  "nonResourceURLs",
] as const;

type Rule = Readonly<Partial<Record<(typeof RULE_FIELDS)[number], readonly string[] | null>>>;

export interface ClusterRole extends SentObject {
  rules?: Rule[] | null;
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
}

const CLUSTER_ROLES: ResourceName<ClusterRole> = {
  group: "rbac.authorization.k8s.io",
  plural: "clusterroles",
};

/** Writes the rules of aggregated roles, and owns them. */
export class ClusterRoleAggregationController extends ObjectController<ClusterRole> {
  readonly name = "ClusterRoleAggregation";
  readonly resource = CLUSTER_ROLES;
  readonly watches = [watch(CLUSTER_ROLES, (event) => this.#allAggregated(event))];
  readonly #aggregated = new Set<string>();

  #allAggregated({ type, object }: StoreEvent<ClusterRole>): ReadonlySet<string> {
    if (type !== "DELETED" && object.aggregationRule) this.#aggregated.add(textOf(object));
    else this.#aggregated.delete(textOf(object));
    return this.#aggregated;
  }

  protected async reconcile(role: ClusterRole): Promise<undefined> {
    if (!role.aggregationRule) return;
    const rules = aggregatedRules(role, this.client.list(CLUSTER_ROLES));
    if (sameJson(role.rules ?? [], rules)) return;
    await this.client.apply(CLUSTER_ROLES, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: role.metadata.name ?? "" },
      // Without rules the apply omits the field: rules of users stay, aggregated ones are removed.
      ...(rules.length > 0 ? { rules } : {}),
    });
  }
}

/**
 * The rules of an aggregated role: those of all other roles that its selectors match, each once.
 *
 * @param role - a ClusterRole with an aggregationRule
 * @param roles - all ClusterRoles
 */
export function aggregatedRules(role: ClusterRole, roles: readonly ClusterRole[]): Rule[] {
  const others = roles
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .toSorted((left, right) => ((left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1));
  const found = new Map<string, Rule>();
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    for (const source of others) {
      if (!matchesLabelSelector(selector, source.metadata.labels)) continue;
      for (const rule of source.rules ?? []) {
        const text = textOfRule(rule);
        if (!found.has(text)) found.set(text, rule);
      }
    }
  }
  return [...found.values()];
}

/** A text that is the same for equal rules: to Go, an empty list equals an absent one. */
function textOfRule(rule: Rule): string {
  return JSON.stringify(RULE_FIELDS.map((field) => (rule[field]?.length ? rule[field] : null)));
}
