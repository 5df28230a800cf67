/** Rules of the kind PodDisruptionBudget. */
import { type FieldError, invalidValue } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { selectorErrors } from "../../../../kube/selectors/selector-rules.ts";
import { numberAt } from "../../at.ts";
import { countOrPercent, notNegative, notOverHundred, oneOf } from "../../shared/checks.ts";
import { conditionsErrors } from "../../shared/conditions.ts";
import type { Condition, IntOrString, LabelSelector } from "../../shared/shapes.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import {
  INTEGER,
  ageColumn,
  column,
  nameColumn,
  printer,
  textColumn,
} from "../../tables/column.ts";

/** The shape of a PodDisruptionBudget. */
export interface DisruptionBudget extends SentObject {
  spec?: {
    minAvailable?: IntOrString;
    maxUnavailable?: IntOrString;
    selector?: LabelSelector;
    unhealthyPodEvictionPolicy?: string;
  };
  status?: {
    conditions?: Condition[];
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    expectedPods?: number;
    observedGeneration?: number;
    disruptedPods?: Record<string, string>;
  };
}

function disruptionBudgetErrors(object: DisruptionBudget): FieldError[] {
  const {
    minAvailable,
    maxUnavailable,
    selector,
    unhealthyPodEvictionPolicy: policy,
  } = object.spec ?? {};
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: policy ?? null,
    };
    errors.push(invalidValue("spec", shown, "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const [part, value] of Object.entries({ minAvailable, maxUnavailable })) {
    errors.push(...countOrPercent(`spec.${part}`, value), ...notOverHundred(`spec.${part}`, value));
  }
  errors.push(...selectorErrors("spec.selector", selector));
  return policy === undefined
    ? errors
    : [
        ...errors,
        ...oneOf("spec.unhealthyPodEvictionPolicy", policy, ["AlwaysAllow", "IfHealthyBudget"]),
      ];
}

function disruptionBudgetStatusErrors(object: DisruptionBudget): FieldError[] {
  const { status = {} } = object;
  return [
    ...conditionsErrors("status.conditions", status.conditions),
    ...(
      ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const
    ).flatMap((part) => notNegative(`status.${part}`, status[part])),
  ];
}

/** The rules of PodDisruptionBudgets. */
export const podDisruptionBudgetRules: KindRules = {
  validate: disruptionBudgetErrors,
  validateStatus: disruptionBudgetStatusErrors,
  name: "any",
  status: "all",
  generation: ["spec"],
  conditionalUpdate: true,
  table: printer([
    nameColumn,
    textColumn("Min Available", "spec.minAvailable", "N/A"),
    textColumn("Max Unavailable", "spec.maxUnavailable", "N/A"),
    column(
      "Allowed Disruptions",
      (object) => numberAt(object, "status.disruptionsAllowed"),
      INTEGER,
    ),
    ageColumn,
  ]),
  metadataChecks: [],
  subresourceMetadataChecks: [],
  freeFinalizers: true,
  metadataLast: true,
  columnTexts: {
    "Min Available": "The minimum number of pods that must be available.",
    "Max Unavailable": "The maximum number of pods that may be unavailable.",
    "Allowed Disruptions": "Calculated number of pods that may be disrupted at this time.",
  },
};
