import { asJson } from "../../../../../kube/json.ts";
import type { SentObject } from "../../../../../kube/object.ts";
import { DEFAULT_UTILIZATION, noteWhatV2Says } from "../../../autoscaler-versions.ts";
import { asGiven } from "../../../go/emptied.ts";
import { at, listAt, textAt } from "../../../at.ts";
import { listWithMore } from "../../../tables/cells.ts";
import { checked, checkedChange } from "../../../shared/checks.ts";
import type { HorizontalPodAutoscalerSpec } from "../../../../../generated/k8s/autoscaling-v2.ts";
import type { Loose } from "../../../shared/shapes.ts";
import type { KindRules } from "../../../kind-rules.ts";
import { autoscalerStrategy } from "./strategy.ts";
import { SOURCE_OF_TYPE, checkAutoscaler, checkAutoscalerStatus } from "./autoscaler-validation.ts";

type Autoscaler = SentObject & { spec: Loose<HorizontalPodAutoscalerSpec> };

function setAutoscalerDefaults(object: Autoscaler): void {
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

const percent = (value: unknown): string | undefined =>
  typeof value === "number" ? `${value}%` : undefined;

/** The quantity at a path, or `<nil>`, as Go prints an absent one. */
const quantityAt = (metric: unknown, path: string): string => textAt(metric, path, "<nil>");

function metricText(spec: unknown, status: unknown): string {
  const type = textAt(spec, "type");
  const source = SOURCE_OF_TYPE.get(type);
  if (source === undefined) return "<unknown type>";
  const isNamed = type === "Resource" || type === "ContainerResource";
  const name = isNamed ? `${textAt(spec, `${source}.name`)}: ` : "";
  const known = at(status, source) !== undefined;
  const current = (field: string): string =>
    known ? quantityAt(status, `${source}.current.${field}`) : "<unknown>";
  const target = (field: string): string => quantityAt(spec, `${source}.target.${field}`);
  const isAverage = at(spec, `${source}.target.averageValue`) !== undefined;
  if (type === "Pods" || (isNamed && isAverage)) {
    return `${name}${current("averageValue")}/${target("averageValue")}`;
  }
  if (isNamed) {
    const wanted = percent(at(spec, `${source}.target.averageUtilization`)) ?? "<auto>";
    const now = percent(at(status, `${source}.current.averageUtilization`)) ?? "<unknown>";
    return `${name}${now}/${wanted}`;
  }
  if (!isAverage) return `${current("value")}/${target("value")}`;
  const average = textAt(status, `${source}.current.averageValue`, "<unknown>");
  return `${average}/${target("averageValue")} (avg)`;
}

function metricsText(scaler: SentObject): string {
  const statuses = listAt(scaler, "status.currentMetrics");
  const texts = listAt(scaler, "spec.metrics").map((spec, index) =>
    metricText(spec, statuses[index]),
  );
  return listWithMore(texts, { absent: "<none>", max: 2, separator: ", " });
}

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
  wrap: autoscalerStrategy,
};
