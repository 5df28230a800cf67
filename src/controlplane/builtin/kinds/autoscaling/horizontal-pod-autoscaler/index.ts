/** Rules of the kind HorizontalPodAutoscaler. */
import { numberAt, textAt } from "../../../at.ts";
import { checked, checkedChange } from "../../../shared/checks.ts";
import type { KindRules } from "../../../strategies/kind-rules.ts";
import { ageColumn, column, nameColumn, printer, textColumn } from "../../../tables/column.ts";
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
  table: printer(
    [
      nameColumn,
      column(
        "Reference",
        (object) =>
          `${textAt(object, "spec.scaleTargetRef.kind")}/${textAt(object, "spec.scaleTargetRef.name")}`,
      ),
      column("Targets", metricsText),
      textColumn("MinPods", "spec.minReplicas", "<unset>"),
      column("MaxPods", (object) => numberAt(object, "spec.maxReplicas")),
      column("Replicas", (object) => numberAt(object, "status.currentReplicas")),
      ageColumn,
    ],
    { version: "autoscaling/v2" },
  ),
  storageVersion: "v2",
  columnFields: {
    Reference: "autoscaling.v2.HorizontalPodAutoscalerSpec.scaleTargetRef",
    Targets: "autoscaling.v2.HorizontalPodAutoscalerSpec.metrics",
    MinPods: "autoscaling.v2.HorizontalPodAutoscalerSpec.minReplicas",
    MaxPods: "autoscaling.v2.HorizontalPodAutoscalerSpec.maxReplicas",
    Replicas: "autoscaling.v2.HorizontalPodAutoscalerStatus.currentReplicas",
  },
};
