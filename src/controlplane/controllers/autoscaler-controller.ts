/**
 * HorizontalPodAutoscalers in a cluster that measures nothing: replicas are kept within their bounds, and the
 * conditions say that there are no metrics.
 *
 * @see https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../clock.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Condition } from "../builtin/strategies/shapes.ts";
import type { ControllerClient, ResourceName, StoreEvent } from "./client.ts";
import type { EventRecorder } from "./event-recorder.ts";
import { AUTOSCALERS, concerns, keyFrom, textOf } from "./keys.ts";
import { timeOf } from "./times.ts";
import type { Controller } from "./work-loop.ts";

interface Metric {
  type?: string;
  resource?: { name?: string };
}

interface Autoscaler extends KubeObject {
  spec: {
    minReplicas?: number;
    maxReplicas: number;
    scaleTargetRef: { apiVersion?: string; kind: string; name: string };
    metrics?: Metric[];
  };
  status?: {
    observedGeneration?: number;
    lastScaleTime?: string;
    currentReplicas?: number;
    desiredReplicas?: number;
    currentMetrics?: object[] | null;
    conditions?: Condition[];
  };
}

interface Target extends KubeObject {
  spec?: { replicas?: number };
  status?: { replicas?: number };
}

/** How often an autoscaler looks. */
const PERIOD_MS = 15_000;

/** Keeps what autoscalers point at within their bounds. */
export class AutoscalerController implements Controller {
  readonly name = "Autoscaler";
  readonly watches = [AUTOSCALERS];
  readonly #client: ControllerClient;
  readonly #events: EventRecorder;
  readonly #clock: Clock;

  constructor(client: ControllerClient, events: EventRecorder, clock: Clock) {
    this.#client = client;
    this.#events = events;
    this.#clock = clock;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (!concerns(event, AUTOSCALERS)) return;
    // Its own status is no reason to look again.
    const { spec } = event.object as Autoscaler;
    if (!event.old || !isDeepStrictEqual(spec, (event.old as Autoscaler).spec)) {
      yield textOf(event.object);
    }
  }

  async sync(key: string): Promise<number | undefined> {
    const scaler = this.#client.find(AUTOSCALERS, keyFrom(key)) as Autoscaler | undefined;
    if (!scaler || scaler.metadata.deletionTimestamp) return undefined;
    const status: NonNullable<Autoscaler["status"]> = structuredClone(scaler.status ?? {});
    await this.#look(scaler, status);
    if (!isDeepStrictEqual(structuredClone(scaler.status), status)) {
      await this.#client.update(AUTOSCALERS, { ...scaler, status } as Autoscaler, "status");
    }
    return PERIOD_MS;
  }

  async #look(scaler: Autoscaler, status: NonNullable<Autoscaler["status"]>): Promise<void> {
    const { scaleTargetRef, minReplicas = 1, maxReplicas } = scaler.spec;
    const { namespace = "" } = scaler.metadata;
    const set = (type: string, value: string, reason: string, message: string): void => {
      status.conditions = this.#withCondition(status.conditions, type, value, reason, message);
    };
    const [group = ""] = scaleTargetRef.apiVersion?.includes("/")
      ? scaleTargetRef.apiVersion.split("/")
      : [""];
    const resource = this.#resourceOf(group, scaleTargetRef.kind);
    const target =
      resource &&
      (this.#client.find(resource, { namespace, name: scaleTargetRef.name }) as Target | undefined);
    if (!resource || !target) {
      const plural = resource?.plural ?? scaleTargetRef.kind.toLowerCase();
      const what = group === "" ? plural : `${plural}.${group}`;
      const problem = resource
        ? `${what} "${scaleTargetRef.name}" not found`
        : `no matches for kind "${scaleTargetRef.kind}" in group "${group}"`;
      const message = `the HPA controller was unable to get the target's current scale: ${problem}`;
      set("AbleToScale", "False", "FailedGetScale", message);
      await this.#events.record(scaler, "Warning", "FailedGetScale", problem);
      return;
    }
    const replicas = target.spec?.replicas ?? 1;
    status.currentReplicas = target.status?.replicas ?? 0;
    set(
      "AbleToScale",
      "True",
      "SucceededGetScale",
      "the HPA controller was able to get the target's current scale",
    );
    if (replicas === 0 && minReplicas !== 0) {
      status.desiredReplicas = 0;
      const message = "scaling is disabled since the replica count of the target is zero";
      set("ScalingActive", "False", "ScalingDisabled", message);
      return;
    }
    const wanted = Math.min(maxReplicas, Math.max(minReplicas, replicas));
    if (wanted !== replicas) {
      const limit =
        replicas > maxReplicas
          ? "Current number of replicas above Spec.MaxReplicas"
          : "Current number of replicas below Spec.MinReplicas";
      await this.#client.patch(
        resource,
        { namespace, name: scaleTargetRef.name },
        { spec: { replicas: wanted } },
      );
      const message = `New size: ${wanted}; reason: ${limit}`;
      await this.#events.record(scaler, "Normal", "SuccessfulRescale", message);
      set(
        "AbleToScale",
        "True",
        "SucceededRescale",
        `the HPA controller was able to update the target scale to ${wanted}`,
      );
      status.desiredReplicas = wanted;
      status.lastScaleTime = timeOf(this.#clock.now());
      return;
    }
    status.desiredReplicas ??= 0;
    await this.#noteMissingMetrics(scaler, status, set);
  }

  async #noteMissingMetrics(
    scaler: Autoscaler,
    status: NonNullable<Autoscaler["status"]>,
    set: (type: string, value: string, reason: string, message: string) => void,
  ): Promise<void> {
    const [metric] = scaler.spec.metrics ?? [];
    const name = metric?.resource?.name ?? "cpu";
    const isResource = metric?.type === "Resource" || metric?.type === "ContainerResource";
    const reason = isResource ? "FailedGetResourceMetric" : `FailedGet${metric?.type ?? ""}Metric`;
    const api = isResource
      ? `failed to get ${name} utilization: unable to get metrics for resource ${name}: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)`
      : "no metrics API is served";
    status.currentMetrics = (scaler.spec.metrics ?? []).map(() => ({ type: "" }));
    const message = `the HPA was unable to compute the replica count: ${api}`;
    set("ScalingActive", "False", reason, message);
    await this.#events.record(scaler, "Warning", reason, api);
  }

  #resourceOf(group: string, kind: string): ResourceName | undefined {
    return this.#client
      .resources()
      .find((resource) => resource.group === group && resource.kind === kind);
  }

  #withCondition(
    conditions: readonly Condition[] = [],
    type: string,
    status: string,
    reason: string,
    message: string,
  ): Condition[] {
    const known = conditions.find((condition) => condition.type === type);
    const since = known?.status === status ? known.lastTransitionTime : undefined;
    const next: Condition = {
      type,
      status,
      lastTransitionTime: since ?? timeOf(this.#clock.now()),
      reason,
      message,
    };
    return known
      ? conditions.map((condition) => (condition === known ? next : condition))
      : [...conditions, next];
  }
}
