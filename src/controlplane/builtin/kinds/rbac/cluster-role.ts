import type { PolicyRule } from "../../../../generated/k8s/rbac-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { checkSelector, checked } from "../../shared/checks.ts";
import type { LabelSelector, Loose } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { checkRule } from "./role.ts";

interface ClusterRole extends SentObject {
  rules?: Loose<PolicyRule>[];
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
}

function checkClusterRole(role: Check<ClusterRole>): void {
  role.at("rules").each((rule) => checkRule(rule, false));
  role.at("aggregationRule").ifSet((aggregation) => {
    const selectors = aggregation.at("clusterRoleSelectors");
    selectors.given("at least one clusterRoleSelector required if aggregationRule is non-nil");
    selectors.each((selector) => {
      if (!selector.passes(checkSelector)) selector.invalid("invalid label selector.", null);
    });
  });
}

export const clusterRoleRules: KindRules = {
  validate: checked(checkClusterRole),
  name: "segment",
  createOnUpdate: true,
  metadataChecks: ["whole", "change"],
};
