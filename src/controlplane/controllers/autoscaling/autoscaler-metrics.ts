/**
 * The conditions of an autoscaler about its metrics in a cluster that serves none.
 *
 * Pure.
 *
 * @see
 * https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#support-for-metrics-apis
 */
import type { ResourceName } from "../../resource-name.ts";
import type { SentObject } from "../../../kube/object.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import type {
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
  MetricTarget,
} from "../../../generated/k8s/autoscaling-v2.ts";
import { selectorText } from "../../../kube/selectors/selector-text.ts";

/** A HorizontalPodAutoscaler. */
export interface Autoscaler extends SentObject {
  spec: HorizontalPodAutoscalerSpec;
  status?: Partial<Omit<HorizontalPodAutoscalerStatus, "currentMetrics" | "conditions">> & {
    currentMetrics?: object[] | null;
    conditions?: Condition[];
  };
}

export const AUTOSCALERS: ResourceName<Autoscaler> = {
  group: "autoscaling",
  plural: "horizontalpodautoscalers",
};

/** The reason why a metric has no value. */
export interface MetricProblem {
  readonly reason: string;
  readonly message: string;
  /** The problem as a part of the message about all metrics. */
  readonly within: string;
}

const CUSTOM =
  "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";
const notFound = (api: string, resource: string): string =>
  `unable to fetch metrics from ${api} metrics API: the server could not find the requested resource (get ${resource})`;

/** The reason why the metric has no value. */
export function problemOf(spec: MetricSpec, namespace: string): MetricProblem {
  const reason = `FailedGet${spec.type}Metric`;
  const { resource, containerResource, pods, object, external } = spec;
  const usage = (name: string, { averageValue }: MetricTarget): string => {
    const what = averageValue === undefined ? "utilization" : "usage";
    const cause = notFound("resource", "pods.metrics.k8s.io");
    return `failed to get ${name} ${what}: unable to get metrics for resource ${name}: ${cause}`;
  };
  const problem = (message: string, what: string, inner = message): MetricProblem => ({
    reason,
    message,
    within: `failed to get ${what} metric value: ${inner}`,
  });
  if (resource) return problem(usage(resource.name, resource.target), `${resource.name} resource`);
  if (containerResource) {
    const { name, container, target } = containerResource;
    return problem(usage(name, target), `${container} container`);
  }
  if (pods) return problem(`unable to get metric ${pods.metric.name}: ${CUSTOM}`, "pods");
  if (object) {
    const { metric, describedObject, target } = object;
    const where = `${describedObject.kind} ${namespace}/${describedObject.name}`;
    const message = `unable to get metric ${metric.name} on ${where}: ${CUSTOM}`;
    const inner =
      target.averageValue === undefined
        ? message
        : `failed to get ${metric.name} object metric: ${message}`;
    return problem(message, "object", inner);
  }
  if (external) {
    const { metric, target } = external;
    const cause = notFound("external", `${metric.name}.external.metrics.k8s.io`);
    const message = `unable to get external metric ${namespace}/${metric.name}/${selectorText(metric.selector)}: ${cause}`;
    const what =
      target.averageValue === undefined
        ? `external metric ${metric.name}`
        : `${metric.name} external metric`;
    return problem(message, `${metric.name} external`, `failed to get ${what}: ${message}`);
  }
  const message = `unknown metric source type ${JSON.stringify(spec.type)}`;
  return { reason: "InvalidMetricSourceType", message, within: message };
}
