/** Rules of the kind HorizontalPodAutoscaler. */
import { textAt } from "../../../at.ts";
import { checked, checkedChange } from "../../../shared/checks.ts";
import type { KindRules } from "../../../strategies/kind-rules.ts";
import { setAutoscalerDefaults } from "./defaults.ts";
import { metricsText } from "./table.ts";
import { checkAutoscaler, checkAutoscalerStatus } from "./validation.ts";

/** The rules of HorizontalPodAutoscalers. */
export const horizontalPodAutoscalerRules: KindRules = {
  validate: checked(checkAutoscaler),
  validateStatus: checkedChange(checkAutoscalerStatus),
  status: "all",
  generation: ["spec"],
  setDefaults: setAutoscalerDefaults,
  table: {
    Reference: (object) =>
      `${textAt(object, "spec.scaleTargetRef.kind")}/${textAt(object, "spec.scaleTargetRef.name")}`,
    Targets: metricsText,
    MinPods: ["spec.minReplicas", "<unset>"],
    MaxPods: ["spec.maxReplicas", 0],
    Replicas: ["status.currentReplicas", 0],
  },
  tableVersion: "autoscaling/v2",
  storageVersion: "v2",
};
