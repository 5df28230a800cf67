/** Rules of the kind DaemonSet. */
import {
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { sameJson } from "../../../../kube/json.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { selectorErrors } from "../../../../kube/selectors/selector-rules.ts";
import { mapAt } from "../../at.ts";
import {
  countOrPercent,
  notNegative,
  notOverHundred,
  selectsNothing,
} from "../../shared/checks.ts";
import { setPodTemplateDefaults } from "../../shared/pods/defaults.ts";
import { templateErrors } from "../../shared/pods/pod-spec.ts";
import type { PodTemplate } from "../../shared/pods/shapes.ts";
import { templateWarnings } from "../../shared/pods/warnings.ts";
import type { IntOrString, LabelSelector } from "../../shared/shapes.ts";
import { TEMPLATE_CONTAINERS, integerColumn } from "../../shared/workloads/columns.ts";
import { TEMPLATE, endlessErrors, mismatchErrors } from "../../shared/workloads/selection.ts";
import { countErrors } from "../../shared/workloads/status.ts";
import { dropFromWorkload } from "../../shared/workloads/templates.ts";
import { internalForm } from "../../strategies/go-internal.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import {
  ageColumn,
  column,
  containerColumns,
  formatLabels,
  nameColumn,
  printer,
  selectorColumn,
} from "../../tables/column.ts";
import { HISTORY, collisionErrors, isZero, selectorUpdateErrors, shownSelector } from "./shared.ts";

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

function setDaemonSetDefaults(object: DaemonSet): void {
  const { spec, metadata } = object;
  (metadata.annotations ??= {})[TEMPLATE_GENERATION] ??= "0";
  setPodTemplateDefaults(spec.template);
  spec.updateStrategy.type ??= "RollingUpdate";
  if (spec.updateStrategy.type === "RollingUpdate") {
    const rolling = (spec.updateStrategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= 1;
    rolling.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= HISTORY;
}

/** Sets the first generation of the template, which an annotation keeps for old clients. */
function prepareDaemonSetForCreate(object: SentObject): void {
  const annotations = (object.metadata.annotations ??= {});
  const given = Number(annotations[TEMPLATE_GENERATION] ?? "0");
  annotations[TEMPLATE_GENERATION] = String(given < 1 ? 1 : given);
}

/** Keeps the generation of the template in a write to the status. */
function prepareDaemonSetStatus(object: SentObject, old: SentObject): void {
  const generation = old.metadata.annotations?.[TEMPLATE_GENERATION] ?? "0";
  (object.metadata.annotations ??= {})[TEMPLATE_GENERATION] = generation;
}

function prepareDaemonSetForUpdate(object: DaemonSet, old: DaemonSet): void {
  const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? "0");
  const changed = !sameJson(object.spec.template, old.spec.template);
  const annotations = (object.metadata.annotations ??= {});
  annotations[TEMPLATE_GENERATION] = String(changed ? before + 1 : before);
}

export interface DaemonSet extends SentObject {
  spec: {
    selector?: LabelSelector;
    template: PodTemplate;
    updateStrategy: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: IntOrString; maxSurge?: IntOrString };
    };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
  };
  status?: {
    currentNumberScheduled?: number;
    numberMisscheduled?: number;
    desiredNumberScheduled?: number;
    numberReady?: number;
    observedGeneration?: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
    numberUnavailable?: number;
    collisionCount?: number;
  };
}

function daemonSetErrors(object: DaemonSet): FieldError[] {
  const { spec } = object;
  const { selector, template } = spec;
  const wrong = selector ? selectorErrors("spec.selector", selector) : [];
  const emptyText = "empty selector is invalid for daemonset";
  return [
    ...wrong,
    ...(wrong.length > 0 ? [] : mismatchErrors(selector, template)),
    ...(selector && selectsNothing(selector)
      ? [invalidValue("spec.selector", shownSelector(selector), emptyText)]
      : []),
    ...templateErrors(TEMPLATE, template),
    ...endlessErrors("DaemonSet", template),
    ...notNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...daemonStrategyErrors(spec.updateStrategy),
    ...notNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit),
  ];
}

function daemonSetUpdateErrors(object: DaemonSet, old: DaemonSet): FieldError[] {
  return [...selectorUpdateErrors(object, old), ...daemonSetErrors(object)];
}

function daemonStrategyErrors({
  type = "",
  rollingUpdate,
}: DaemonSet["spec"]["updateStrategy"]): FieldError[] {
  const field = "spec.updateStrategy";
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate") {
    const shown = internalForm("apps.DaemonSetUpdateStrategy", { type, rollingUpdate });
    return [notSupported(field, shown, ["RollingUpdate", "OnDelete"])];
  }
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const at = `${field}.rollingUpdate`;
  const errors = [
    ...countOrPercent(`${at}.maxUnavailable`, maxUnavailable),
    ...countOrPercent(`${at}.maxSurge`, maxSurge),
    ...notOverHundred(`${at}.maxUnavailable`, maxUnavailable),
    ...notOverHundred(`${at}.maxSurge`, maxSurge),
  ];
  if (!isZero(maxUnavailable) && !isZero(maxSurge)) {
    errors.push(
      invalidValue(`${at}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero"),
    );
  } else if (isZero(maxUnavailable) && isZero(maxSurge)) {
    errors.push(required(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
  }
  return errors;
}

const daemonSetStatusErrors = (object: DaemonSet, previous: SentObject): FieldError[] => [
  ...countErrors(
    object,
    [
      "currentNumberScheduled",
      "numberMisscheduled",
      "desiredNumberScheduled",
      "numberReady",
      "observedGeneration",
      "updatedNumberScheduled",
      "numberAvailable",
      "numberUnavailable",
      "collisionCount",
    ],
    [],
  ),
  ...collisionErrors(object, previous),
];

/** The rules of DaemonSets. */
export const daemonSetRules: KindRules = {
  warnings: templateWarnings,
  validateCreate: daemonSetErrors,
  validateUpdate: daemonSetUpdateErrors,
  validateStatus: daemonSetStatusErrors,
  status: "all",
  generation: ["spec"],
  setDefaults: setDaemonSetDefaults,
  dropDisabled: dropFromWorkload,
  prepareForCreate: prepareDaemonSetForCreate,
  prepareForUpdate: prepareDaemonSetForUpdate,
  prepareForStatus: prepareDaemonSetStatus,
  table: printer([
    nameColumn,
    integerColumn("Desired", "status.desiredNumberScheduled"),
    integerColumn("Current", "status.currentNumberScheduled"),
    integerColumn("Ready", "status.numberReady"),
    integerColumn("Up-to-date", "status.updatedNumberScheduled"),
    integerColumn("Available", "status.numberAvailable"),
    column("Node Selector", (object) =>
      formatLabels(mapAt(object, "spec.template.spec.nodeSelector")),
    ),
    ageColumn,
    ...containerColumns(TEMPLATE_CONTAINERS),
    selectorColumn("spec.selector"),
  ]),
  writtenNulls: { spec: { selector: null } },
  columnFields: {
    Desired: "apps.v1.DaemonSetStatus.desiredNumberScheduled",
    Current: "apps.v1.DaemonSetStatus.currentNumberScheduled",
    Ready: "apps.v1.DaemonSetStatus.numberReady",
    "Up-to-date": "apps.v1.DaemonSetStatus.updatedNumberScheduled",
    Available: "apps.v1.DaemonSetStatus.numberAvailable",
    "Node Selector": "core.v1.PodSpec.nodeSelector",
    Selector: "apps.v1.DaemonSetSpec.selector",
  },
};
