/** Rules of the kind Deployment. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  notSupported,
} from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { at, numberAt } from "../../at.ts";
import { countOrPercent, notNegative, notOverHundred } from "../../shared/checks.ts";
import { setPodTemplateDefaults } from "../../shared/pods/defaults.ts";
import { namedTemplateWarnings } from "../../shared/pods/warnings.ts";
import { TEMPLATE_CONTAINERS } from "../../shared/workloads/columns.ts";
import { replicatedTemplateErrors } from "../../shared/workloads/selection.ts";
import { countErrors } from "../../shared/workloads/status.ts";
import { dropFromWorkload } from "../../shared/workloads/templates.ts";
import { internalForm } from "../../strategies/go-internal.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import {
  WIDE,
  ageColumn,
  column,
  containerColumns,
  formatLabelSelector,
  nameColumn,
  printer,
} from "../../tables/column.ts";
import {
  type Deployment,
  HISTORY,
  TEXTS,
  collisionErrors,
  isZero,
  readyOfDesired,
  selectionErrors,
  selectorUpdateErrors,
} from "./shared.ts";
import { selectorScale } from "../../shared/workloads/scale.ts";

function setDeploymentDefaults(object: Deployment): void {
  const { spec } = object;
  setPodTemplateDefaults(spec.template);
  spec.replicas ??= 1;
  spec.strategy.type ??= "RollingUpdate";
  if (spec.strategy.type === "RollingUpdate") {
    const rolling = (spec.strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= "25%";
    rolling.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= HISTORY;
  spec.progressDeadlineSeconds ??= 600;
}

function deploymentErrors(object: Deployment): FieldError[] {
  const { spec } = object;
  const { minReadySeconds = 0, progressDeadlineSeconds } = spec;
  const late = progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds;
  return [
    ...notNegative("spec.replicas", spec.replicas),
    ...selectionErrors(spec.selector, spec.template, TEXTS, () =>
      replicatedTemplateErrors("ReplicaSet", spec.template, spec.replicas),
    ),
    ...strategyErrors(spec.strategy),
    ...notNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...notNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit),
    ...notNegative("spec.progressDeadlineSeconds", progressDeadlineSeconds),
    ...(late
      ? [
          invalidValue(
            "spec.progressDeadlineSeconds",
            progressDeadlineSeconds,
            "must be greater than minReadySeconds",
          ),
        ]
      : []),
  ];
}

function strategyErrors({
  type = "",
  rollingUpdate,
}: Deployment["spec"]["strategy"]): FieldError[] {
  const field = "spec.strategy";
  if (type === "Recreate") {
    return rollingUpdate
      ? [
          forbidden(
            `${field}.rollingUpdate`,
            "may not be specified when strategy `type` is 'Recreate'",
          ),
        ]
      : [];
  }
  if (type !== "RollingUpdate") {
    const shown = internalForm("apps.DeploymentStrategy", { type, rollingUpdate });
    return [notSupported(field, shown, ["Recreate", "RollingUpdate"])];
  }
  const at = `${field}.rollingUpdate`;
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  return [
    ...countOrPercent(`${at}.maxUnavailable`, maxUnavailable),
    ...countOrPercent(`${at}.maxSurge`, maxSurge),
    ...(isZero(maxUnavailable) && isZero(maxSurge)
      ? [
          invalidValue(
            `${at}.maxUnavailable`,
            maxUnavailable ?? 0,
            "may not be 0 when `maxSurge` is 0",
          ),
        ]
      : []),
    ...notOverHundred(`${at}.maxUnavailable`, maxUnavailable),
  ];
}

const deploymentStatusErrors = (object: Deployment, previous: SentObject): FieldError[] => [
  ...countErrors(
    object,
    [
      "observedGeneration",
      "replicas",
      "updatedReplicas",
      "readyReplicas",
      "availableReplicas",
      "unavailableReplicas",
      "terminatingReplicas",
      "collisionCount",
    ],
    ["updatedReplicas", "readyReplicas", "availableReplicas"],
  ),
  ...collisionErrors(object, previous),
];

/** The rules of Deployments. */
export const deploymentRules: KindRules = {
  warnings: namedTemplateWarnings,
  validate: deploymentErrors,
  validateUpdate: selectorUpdateErrors,
  validateStatus: deploymentStatusErrors,
  status: "no-labels",
  generation: ["spec"],
  generationMetadata: "annotations",
  setDefaults: setDeploymentDefaults,
  dropDisabled: dropFromWorkload,
  table: printer([
    nameColumn,
    readyOfDesired,
    column("Up-to-date", (object) => numberAt(object, "status.updatedReplicas")),
    column("Available", (object) => numberAt(object, "status.availableReplicas")),
    ageColumn,
    ...containerColumns(TEMPLATE_CONTAINERS),
    column("Selector", (object) => formatLabelSelector(at(object, "spec.selector")), WIDE),
  ]),
  scale: selectorScale,
  resetFields: { status: ["spec", "metadata.labels"] },
  writtenNulls: { spec: { selector: null } },
  columnFields: {
    "Up-to-date": "apps.v1.DeploymentStatus.updatedReplicas",
    Available: "apps.v1.DeploymentStatus.availableReplicas",
    Selector: "apps.v1.DeploymentSpec.selector",
  },
  columnTexts: {
    Ready: "Number of the pod with ready state",
  },
};
