/**
 * HorizontalPodAutoscalers in a cluster without metrics: replicas are kept within their bounds, and
 * the conditions say that there are no metrics.
 *
 * @see https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/
 */
import type {
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
  MetricTarget,
} from "../../../generated/k8s/autoscaling-v2.ts";
import type { SentObject } from "../../../kube/object.ts";
import { selectorText } from "../../../kube/selectors/selector-text.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import { sameJson } from "../../../kube/json.ts";
import { messageOf } from "../../../errors.ts";
import { groupResourceOf, parseApiVersion } from "../../../kube/resource.ts";
import { matchesLabels, parseLabelSelector } from "../../../kube/selectors/selector.ts";
import { withCondition } from "../framework/conditions.ts";
import type { ScaleView } from "../framework/client.ts";
import type { ResourceName } from "../../resource-name.ts";
import { referredResource, textOf } from "../framework/keys.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import { PODS } from "../../builtin/tokens.ts";
import { timeOf } from "../../../kube/values/times.ts";
import { ObjectController, watch } from "../framework/controller.ts";

interface Autoscaler extends SentObject {
  spec: HorizontalPodAutoscalerSpec;
  status?: Partial<Omit<HorizontalPodAutoscalerStatus, "currentMetrics" | "conditions">> & {
    currentMetrics?: object[] | null;
    conditions?: Condition[];
  };
}

const AUTOSCALERS: ResourceName<Autoscaler> = {
  group: "autoscaling",
  plural: "horizontalpodautoscalers",
};

type Status = NonNullable<Autoscaler["status"]>;

/** How often each autoscaler is looked at, in milliseconds. */
const PERIOD_MS = 15_000;

/** Keeps the targets of autoscalers within their bounds. */
export class AutoscalerController extends ObjectController<Autoscaler> {
  readonly name = "Autoscaler";
  readonly resource = AUTOSCALERS;
  readonly watches = [
    // A change of its own status needs no second look.
    watch(AUTOSCALERS, ({ object, old }) =>
      sameJson(object.spec, old?.spec) ? [] : [textOf(object)],
    ),
  ];

  protected async reconcile(scaler: Autoscaler): Promise<number | undefined> {
    if (scaler.metadata.deletionTimestamp) return undefined;
    const status: Status = structuredClone(scaler.status ?? {});
    await this.#look(scaler, status);
    await this.client.updateStatus(AUTOSCALERS, scaler, status);
    return PERIOD_MS;
  }

  async #look(scaler: Autoscaler, status: Status): Promise<void> {
    const { scaleTargetRef, minReplicas = 1, maxReplicas } = scaler.spec;
    const key = { namespace: scaler.metadata.namespace ?? "", name: scaleTargetRef.name };
    const found = this.#scaleOf(scaler);
    if (typeof found === "string") {
      const message = `the HPA controller was unable to get the target's current scale: ${found}`;
      this.#set(status, "AbleToScale", "False", "FailedGetScale", message);
      status.desiredReplicas ??= 0;
      status.currentMetrics ??= null;
      await this.events.record(scaler, "Warning", "FailedGetScale", found);
      return;
    }
    status.observedGeneration = scaler.metadata.generation ?? 0;
    const { resource, scale } = found;
    const { replicas } = scale;
    const able = "the HPA controller was able to get the target's current scale";
    this.#set(status, "AbleToScale", "True", "SucceededGetScale", able);
    const limit =
      replicas > maxReplicas
        ? "Current number of replicas above Spec.MaxReplicas"
        : "Current number of replicas below Spec.MinReplicas";
    const wanted = Math.min(maxReplicas, Math.max(minReplicas, replicas));
    if (replicas === 0 && minReplicas !== 0) {
      const message = "scaling is disabled since the replica count of the target is zero";
      this.#set(status, "ScalingActive", "False", "ScalingDisabled", message);
      noteReplicas(status, 0, 0, null);
    } else if (wanted === replicas) await this.#noteMissingMetrics(scaler, status, scale);
    else {
      try {
        await this.client.rescale(resource, key, wanted);
      } catch (thrown) {
        const problem = messageOf(thrown);
        const told = `New size: ${wanted}; reason: ${limit}; error: ${problem}`;
        await this.events.record(scaler, "Warning", "FailedRescale", told);
        const message = `the HPA controller was unable to update the target scale: ${problem}`;
        this.#set(status, "AbleToScale", "False", "FailedUpdateScale", message);
        noteReplicas(status, replicas, status.desiredReplicas ?? 0, null);
        return;
      }
      const message = `the HPA controller was able to update the target scale to ${wanted}`;
      this.#set(status, "AbleToScale", "True", "SucceededRescale", message);
      const told = `New size: ${wanted}; reason: ${limit}`;
      await this.events.record(scaler, "Normal", "SuccessfulRescale", told);
      // Only metrics scale a target to zero, and there are none.
      const kept = "the HPA controller did not scale the workload to zero";
      this.#set(status, "ScaledToZero", "False", "NotScaledToZero", kept);
      noteReplicas(status, replicas, wanted, null);
      status.lastScaleTime = timeOf(this.clock.now());
    }
  }

  /** The scale of an autoscaler's target, or why it is unknown. */
  #scaleOf({ spec, metadata }: Autoscaler): { resource: ResourceName; scale: ScaleView } | string {
    const { apiVersion = "", kind, name } = spec.scaleTargetRef;
    const resource = referredResource(this.client, { apiVersion, kind });
    if (!resource) {
      return `no matches for kind "${kind}" in group "${parseApiVersion(apiVersion).group}"`;
    }
    try {
      const key = { namespace: metadata.namespace ?? "", name };
      const scale = this.client.findScale(resource, key);
      return scale ? { resource, scale } : `${groupResourceOf(resource)} "${name}" not found`;
    } catch (thrown) {
      return messageOf(thrown);
    }
  }

  async #noteMissingMetrics(scaler: Autoscaler, status: Status, scale: ScaleView): Promise<void> {
    const { namespace = "" } = scaler.metadata;
    const fail = async (reason: string, why: string, summary: string): Promise<void> => {
      this.#set(status, "ScalingActive", "False", reason, why);
      const { desiredReplicas = 0, currentMetrics = null } = status;
      noteReplicas(status, scale.replicas, desiredReplicas, currentMetrics);
      await this.events.record(scaler, "Warning", "FailedComputeMetricsReplicas", summary);
    };
    status.currentMetrics = null;
    if (scale.selector === "") {
      await this.events.record(scaler, "Warning", "SelectorRequired", "selector is required");
      const message = "the HPA target's scale is missing a selector";
      return fail("InvalidSelector", message, "selector is required");
    }
    const rivals = this.#rivalsOf(scaler, scale.selector);
    if (rivals.length > 1) {
      const [one = "", other = ""] = rivals.map((name) => `${namespace}/${name}`);
      const message = `pods by selector ${scale.selector} are controlled by more than one HPA (e.g. [${one} ${other}])`;
      await this.events.record(scaler, "Warning", "AmbiguousSelector", message);
      return fail("AmbiguousSelector", message, message);
    }
    const { metrics = [] } = scaler.spec;
    const problems = metrics.map((metric) => problemOf(metric, namespace));
    for (const { reason, message } of problems) {
      await this.events.record(scaler, "Warning", reason, message);
    }
    const [first] = problems;
    if (!first) return;
    status.currentMetrics = metrics.map(() => ({ type: "" }));
    const message = `the HPA was unable to compute the replica count: ${first.message}`;
    const count = `${metrics.length} invalid out of ${metrics.length}`;
    await fail(
      first.reason,
      message,
      `invalid metrics (${count}), first error is: ${first.within}`,
    );
  }

  /** The names of the autoscalers whose targets have one of the selected pods. */
  #rivalsOf(scaler: Autoscaler, selector: string): string[] {
    const { namespace = "" } = scaler.metadata;
    const selected = (pods: readonly Pod[], text: string): readonly Pod[] => {
      const wanted = parseLabelSelector(text);
      return pods.filter(({ metadata }) => matchesLabels(wanted, metadata.labels));
    };
    const pods = selected(this.client.list(PODS, { namespace }), selector);
    return this.client
      .list(AUTOSCALERS, { namespace })
      .filter((other) => {
        const found = this.#scaleOf(other);
        if (typeof found === "string" || found.scale.selector === "") return false;
        return selected(pods, found.scale.selector).length > 0;
      })
      .map(({ metadata }) => metadata.name ?? "");
  }

  #set(status: Status, type: string, value: string, reason: string, message: string): void {
    const change = { type, status: value, reason, message };
    status.conditions = withCondition(status.conditions, change, this.clock.now());
  }
}

function noteReplicas(
  status: Status,
  current: number,
  desired: number,
  metrics: object[] | null,
): void {
  if (current > 0) status.currentReplicas = current;
  else delete status.currentReplicas;
  status.desiredReplicas = desired;
  status.currentMetrics = metrics;
}

interface MetricProblem {
  readonly reason: string;
  readonly message: string;
  /** The problem as a part of the message about all metrics. */
  readonly within: string;
}

const CUSTOM =
  "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";
const notFound = (api: string, resource: string): string =>
  `unable to fetch metrics from ${api} metrics API: the server could not find the requested resource (get ${resource})`;

function problemOf(spec: MetricSpec, namespace: string): MetricProblem {
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
