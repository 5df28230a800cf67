import type { PodDisruptionBudget } from "../../../../generated/k8s/policy-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { selectorErrors } from "../../../../kube/selectors/selector-rules.ts";
import {
  checkAtMostHundred,
  checkCountOrPercent,
  checkNotNegative,
  checked,
  checkedChange,
} from "../../shared/checks.ts";
import { checkConditions } from "../../shared/conditions.ts";
import type { ShapedObject } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { withMetadataLast } from "../../shared/metadata-last.ts";

export type DisruptionBudget = ShapedObject<PodDisruptionBudget>;

function checkBudget(budget: Check<DisruptionBudget>): void {
  const spec = budget.at("spec");
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec.value ?? {};
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    spec.invalid("minAvailable and maxUnavailable cannot be both set", {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
    });
  }
  for (const part of ["minAvailable", "maxUnavailable"] as const) {
    checkCountOrPercent(spec.at(part));
    checkAtMostHundred(spec.at(part));
  }
  spec.at("selector").by(selectorErrors);
  spec.at("unhealthyPodEvictionPolicy").ifSet((policy) => {
    policy.oneOf(["AlwaysAllow", "IfHealthyBudget"]);
  });
}

function checkBudgetStatus(budget: Check<DisruptionBudget>): void {
  const status = budget.at("status");
  checkConditions(status.at("conditions"));
  checkNotNegative(status.at("disruptionsAllowed"));
  checkNotNegative(status.at("currentHealthy"));
  checkNotNegative(status.at("desiredHealthy"));
  checkNotNegative(status.at("expectedPods"));
}

export const podDisruptionBudgetRules: KindRules = {
  validate: checked(checkBudget),
  validateStatus: checkedChange(checkBudgetStatus),
  name: "any",
  status: "all",
  generation: ["spec"],
  conditionalUpdate: true,
  table: {
    "Min Available": ["spec.minAvailable", "N/A"],
    "Max Unavailable": ["spec.maxUnavailable", "N/A"],
    "Allowed Disruptions": "status.disruptionsAllowed",
  },
  metadataChecks: [],
  subresourceMetadataChecks: [],
  freeFinalizers: true,
  wrap: withMetadataLast,
};
