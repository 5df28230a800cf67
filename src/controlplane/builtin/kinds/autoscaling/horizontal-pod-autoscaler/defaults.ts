/** Defaults of HorizontalPodAutoscalers. */
import { asJson } from "../../../../../kube/json.ts";
import type { SentObject } from "../../../../../kube/object.ts";
import { DEFAULT_UTILIZATION, noteWhatV2Says } from "../../../autoscaler-versions.ts";
import { asGiven } from "../../../strategies/emptied.ts";

interface ScalingRules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: { type: string; value: number; periodSeconds: number }[];
}

interface Autoscaler extends SentObject {
  spec: {
    minReplicas?: number;
    targetCPUUtilizationPercentage?: number;
    metrics?: object[];
    behavior?: { scaleUp?: ScalingRules; scaleDown?: ScalingRules };
  };
}

export function setAutoscalerDefaults(object: Autoscaler): void {
  const { spec, apiVersion } = object;
  spec.minReplicas ??= 1;
  if (apiVersion === "autoscaling/v1") {
    noteWhatV2Says(asJson(object));
    return;
  }
  spec.metrics ??= [
    {
      type: "Resource",
      resource: {
        name: "cpu",
        target: { type: "Utilization", averageUtilization: DEFAULT_UTILIZATION },
      },
    },
  ];
  if (!spec.behavior) return;
  const up = (spec.behavior.scaleUp ??= {});
  up.stabilizationWindowSeconds ??= 0;
  up.selectPolicy ??= "Max";
  if (asGiven(up, "policies") === null) {
    up.policies = [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ];
  }
  const down = (spec.behavior.scaleDown ??= {});
  down.selectPolicy ??= "Max";
  if (asGiven(down, "policies") === null) {
    down.policies = [{ type: "Percent", value: 100, periodSeconds: 15 }];
  }
}
