import type { Check } from "../../../../kube/check.ts";
import {
  checkAtMostHundred,
  checkCountOrPercent,
  checkNotNegative,
  checked,
  checkedChange,
} from "../../shared/checks.ts";
import { setPodTemplateDefaults } from "../../shared/pods/defaults.ts";
import { namedTemplateWarnings } from "../../shared/workloads/pod-warnings.ts";
import { checkCounts } from "../../shared/workloads/workload-status.ts";
import { dropFromWorkload } from "../../shared/workloads/templates.ts";
import { internalForm } from "../../go/internal.ts";
import type { KindRules } from "../../kind-rules.ts";
import { selectorCell } from "../../tables/cells.ts";
import {
  type Deployment,
  HISTORY,
  type RollingStrategy,
  checkCollisions,
  checkReplicas,
  checkSelectorChange,
  isZero,
  readyOfDesired,
} from "./workload-rules.ts";
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

function checkDeployment(deployment: Check<Deployment>): void {
  const spec = deployment.at("spec");
  const deadline = spec.at("progressDeadlineSeconds");
  checkNotNegative(spec.at("replicas"));
  checkReplicas(spec);
  checkStrategy(spec.at("strategy"));
  checkNotNegative(spec.at("minReadySeconds"));
  checkNotNegative(spec.at("revisionHistoryLimit"));
  checkNotNegative(deadline);
  if (deadline.value !== undefined && deadline.value <= (spec.value.minReadySeconds ?? 0)) {
    deadline.invalid("must be greater than minReadySeconds");
  }
}

function checkStrategy(strategy: Check<RollingStrategy>): void {
  const { type = "", rollingUpdate } = strategy.value;
  const rolling = strategy.at("rollingUpdate");
  if (type === "Recreate") {
    if (rolling.value) {
      rolling.forbidden("may not be specified when strategy `type` is 'Recreate'");
    }
    return;
  }
  if (type !== "RollingUpdate") {
    const shown = internalForm("apps.DeploymentStrategy", { type, rollingUpdate });
    strategy.notSupported(["Recreate", "RollingUpdate"], shown);
    return;
  }
  const unavailable = rolling.at("maxUnavailable");
  const surge = rolling.at("maxSurge");
  checkCountOrPercent(unavailable);
  checkCountOrPercent(surge);
  if (isZero(unavailable.value) && isZero(surge.value)) {
    unavailable.invalid("may not be 0 when `maxSurge` is 0", unavailable.value ?? 0);
  }
  checkAtMostHundred(unavailable);
}

function checkDeploymentStatus(deployment: Check<Deployment>, old: Deployment): void {
  const parts = ["updatedReplicas", "readyReplicas", "availableReplicas"];
  const others = ["unavailableReplicas", "terminatingReplicas", "collisionCount"];
  checkCounts(deployment, ["observedGeneration", "replicas", ...parts, ...others], parts);
  checkCollisions(deployment, old);
}

export const deploymentRules: KindRules = {
  warnings: namedTemplateWarnings,
  validate: checked(checkDeployment),
  validateUpdate: checkedChange(checkSelectorChange),
  validateStatus: checkedChange(checkDeploymentStatus),
  status: "no-labels",
  generation: ["spec", "metadata.annotations"],
  setDefaults: setDeploymentDefaults,
  dropDisabled: dropFromWorkload,
  table: {
    Ready: readyOfDesired,
    "Up-to-date": ["status.updatedReplicas", 0],
    Available: ["status.availableReplicas", 0],
    Selector: selectorCell("spec.selector", ""),
  },
  scale: selectorScale,
  resetFields: { status: ["spec", "metadata.labels"] },
  writtenNulls: { spec: { selector: null } },
};
