/** Rules of the kind Role, whose rules ClusterRoles have too. */
import type { PolicyRule, Role } from "../../../../generated/k8s/rbac-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { checked } from "../../shared/checks.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";

export function checkRule(rule: Check<Loose<PolicyRule>>, namespaced: boolean): void {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs } = rule.value;
  rule.at("verbs").given("verbs must contain at least one value");
  if (!nonResourceURLs?.length) {
    rule.at("apiGroups").given("resource rules must supply at least one api group");
    rule.at("resources").given("resource rules must supply at least one resource");
    return;
  }
  const urls = rule.at("nonResourceURLs");
  if (namespaced) urls.invalid("namespaced rules cannot apply to non-resource URLs");
  if (apiGroups.length + resources.length + resourceNames.length > 0) {
    urls.invalid("rules cannot apply to both regular resources and non-resource URLs");
  }
}

export const roleRules: KindRules = {
  validate: checked((role: Check<Sent<Role>>) => {
    role.at("rules").each((rule) => checkRule(rule, true));
  }),
  name: "segment",
  createOnUpdate: true,
  metadataChecks: ["whole", "change"],
};
