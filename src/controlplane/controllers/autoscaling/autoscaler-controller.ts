/**
 * HorizontalPodAutoscalers in a cluster without metrics: replicas are kept within their bounds, and
 * the conditions say that there are no metrics.
 *
 * @see https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/
 */
import { sameJson } from "../../../kube/json.ts";
import { messageOf } from "../../../errors.ts";
import { matchesLabels, parseLabelSelector } from "../../../kube/selectors/selector.ts";
import { withCondition } from "../conditions.ts";
import { type Autoscaler, problemOf } from "./autoscaler-metrics.ts";
import type { ScaleView } from "../client.ts";
import type { ResourceName } from "../../resource-name.ts";
import { textOf } from "../keys.ts";
import { AUTOSCALERS } from "./autoscaler-metrics.ts";
import { PODS } from "../../builtin/tokens.ts";
import { timeOf } from "../../../kube/values/times.ts";
import { ObjectController, watch } from "../controller.ts";

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
    const [group = ""] = apiVersion.includes("/") ? apiVersion.split("/") : [""];
    const resource = this.client
      .resources()
      .find((served) => served.group === group && served.kind === kind);
    if (!resource) return `no matches for kind "${kind}" in group "${group}"`;
    const { plural } = resource;
    try {
      const scale = this.client.findScale(resource, {
        namespace: metadata.namespace ?? "",
        name,
      });
      if (scale) return { resource, scale };
    } catch (thrown) {
      return messageOf(thrown);
    }
    return `${group === "" ? plural : `${plural}.${group}`} "${name}" not found`;
  }

  async #noteMissingMetrics(scaler: Autoscaler, status: Status, scale: ScaleView): Promise<void> {
    const { namespace = "" } = scaler.metadata;
    const fail = async (message: string): Promise<void> => {
      const { desiredReplicas = 0 } = status;
      noteReplicas(status, scale.replicas, desiredReplicas, status.currentMetrics ?? null);
      await this.events.record(scaler, "Warning", "FailedComputeMetricsReplicas", message);
    };
    status.currentMetrics = null;
    if (scale.selector === "") {
      const message = "the HPA target's scale is missing a selector";
      this.#set(status, "ScalingActive", "False", "InvalidSelector", message);
      await this.events.record(scaler, "Warning", "SelectorRequired", "selector is required");
      await fail("selector is required");
      return;
    }
    const rivals = this.#rivalsOf(scaler, scale.selector);
    if (rivals.length > 1) {
      const list = rivals
        .slice(0, 2)
        .map((name) => `{${name} ${namespace}}`)
        .join(" ");
      const message = `pods by selector ${scale.selector} are controlled by more than one HPA (e.g. [${list}])`;
      this.#set(status, "ScalingActive", "False", "AmbiguousSelector", message);
      await this.events.record(scaler, "Warning", "AmbiguousSelector", message);
      await fail(message);
      return;
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
    this.#set(status, "ScalingActive", "False", first.reason, message);
    const count = `${metrics.length} invalid out of ${metrics.length}`;
    await fail(`invalid metrics (${count}), first error is: ${first.within}`);
  }

  /** The names of the autoscalers whose targets have one of the selected pods. */
  #rivalsOf(scaler: Autoscaler, selector: string): string[] {
    const { namespace = "" } = scaler.metadata;
    const wanted = parseLabelSelector(selector);
    const pods = this.client
      .list(PODS, { namespace })
      .filter(({ metadata }) => matchesLabels(wanted, metadata.labels));
    return this.client
      .list(AUTOSCALERS, { namespace })
      .filter((other) => {
        const found = this.#scaleOf(other);
        if (typeof found === "string" || found.scale.selector === "") return false;
        const theirs = parseLabelSelector(found.scale.selector);
        return pods.some(({ metadata }) => matchesLabels(theirs, metadata.labels));
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
