import type * as apps from "../../../../generated/k8s/apps-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { sameJson } from "../../../../kube/json.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { selectorErrors } from "../../../../kube/selectors/selector-rules.ts";
import {
  checkAtMostHundred,
  checkCountOrPercent,
  checkNotNegative,
  checked,
  checkedChange,
  selectsNothing,
} from "../../shared/checks.ts";
import { setPodTemplateDefaults } from "../../shared/pods/defaults.ts";
import { checkTemplate } from "../../shared/workloads/pod-spec.ts";
import type { PodTemplate } from "../../shared/pods/pod-shapes.ts";
import { templateWarnings } from "../../shared/workloads/pod-warnings.ts";
import type { LabelSelector, Shaped } from "../../shared/shapes.ts";
import { checkEndless, checkSelection } from "../../shared/workloads/selection.ts";
import { checkCounts } from "../../shared/workloads/workload-status.ts";
import { dropFromWorkload } from "../../shared/workloads/templates.ts";
import { internalForm } from "../../go/internal.ts";
import type { KindRules } from "../../kind-rules.ts";
import { labelsCell, selectorCell } from "../../tables/cells.ts";
import {
  HISTORY,
  type RollingStrategy,
  checkCollisions,
  checkSelectorChange,
  isZero,
  shownSelector,
} from "./workload-rules.ts";

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

export type DaemonSet = SentObject & {
  spec: Shaped<Omit<apps.DaemonSetSpec, "template" | "updateStrategy" | "selector">> & {
    selector?: LabelSelector;
    template: PodTemplate;
    updateStrategy: RollingStrategy;
  };
  status?: Partial<Shaped<apps.DaemonSetStatus>>;
};

function checkDaemonSet(set: Check<DaemonSet>): void {
  const spec = set.at("spec");
  const selector = spec.at("selector");
  const template = spec.at("template");
  const isValid = selector.value === undefined || selector.passes((it) => it.by(selectorErrors));
  if (isValid) checkSelection(template, selector.value);
  if (selector.value && selectsNothing(selector.value)) {
    selector.invalid("empty selector is invalid for daemonset", shownSelector(selector.value));
  }
  checkTemplate(template);
  checkEndless(template, "DaemonSet");
  checkNotNegative(spec.at("minReadySeconds"));
  checkStrategy(spec.at("updateStrategy"));
  checkNotNegative(spec.at("revisionHistoryLimit"));
}

function checkStrategy(strategy: Check<RollingStrategy>): void {
  const { type = "", rollingUpdate } = strategy.value;
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") {
    const shown = internalForm("apps.DaemonSetUpdateStrategy", { type, rollingUpdate });
    strategy.notSupported(["RollingUpdate", "OnDelete"], shown);
    return;
  }
  const unavailable = strategy.at("rollingUpdate", "maxUnavailable");
  const surge = strategy.at("rollingUpdate", "maxSurge");
  checkCountOrPercent(unavailable);
  checkCountOrPercent(surge);
  checkAtMostHundred(unavailable);
  checkAtMostHundred(surge);
  if (!isZero(unavailable.value) && !isZero(surge.value)) {
    surge.invalid("may not be set when maxUnavailable is non-zero");
  } else if (isZero(unavailable.value) && isZero(surge.value)) {
    unavailable.required("cannot be 0 when maxSurge is 0");
  }
}

function checkDaemonSetStatus(set: Check<DaemonSet>, old: DaemonSet): void {
  checkCounts(set, [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ]);
  checkCollisions(set, old);
}

export const daemonSetRules: KindRules = {
  warnings: templateWarnings,
  validateCreate: checked(checkDaemonSet),
  validateUpdate: checkedChange<DaemonSet>((set, old) => {
    checkSelectorChange(set, old);
    checkDaemonSet(set);
  }),
  validateStatus: checkedChange(checkDaemonSetStatus),
  status: "all",
  generation: ["spec"],
  setDefaults: setDaemonSetDefaults,
  dropDisabled: dropFromWorkload,
  prepareForCreate: prepareDaemonSetForCreate,
  prepareForUpdate: prepareDaemonSetForUpdate,
  prepareForStatus: prepareDaemonSetStatus,
  table: {
    Desired: "status.desiredNumberScheduled",
    Current: "status.currentNumberScheduled",
    Ready: "status.numberReady",
    "Up-to-date": "status.updatedNumberScheduled",
    Available: "status.numberAvailable",
    "Node Selector": labelsCell("spec.template.spec.nodeSelector"),
    Selector: selectorCell("spec.selector"),
  },
  writtenNulls: { spec: { selector: null } },
};
