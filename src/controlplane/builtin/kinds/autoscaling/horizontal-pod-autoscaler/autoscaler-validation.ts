import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HPAScalingRules,
  MetricSpec,
  MetricTarget,
} from "../../../../../generated/k8s/autoscaling-v2.ts";
import type { Check } from "../../../../../kube/check.ts";
import { dns1123LabelErrors } from "../../../../../kube/names.ts";
import { parseQuantity } from "../../../../../kube/values/quantity.ts";
import { NOT_NEGATIVE, checkNotNegative, checkSegment } from "../../../shared/checks.ts";
import { checkContainerResourceName } from "../../../shared/resource-names.ts";
import type { Loose, Sent } from "../../../shared/shapes.ts";
import { tableOf } from "../../../../../table.ts";

type SourceName = Exclude<keyof MetricSpec, "type">;

/** The fields of all metric sources. */
interface Source {
  name?: string;
  container?: string;
  metric?: { name?: string };
  describedObject?: Loose<CrossVersionObjectReference>;
  target?: Loose<MetricTarget>;
}

type Metric = { type?: string } & { [K in SourceName]?: Source };

/** The field of the source of each type of metric. */
export const SOURCE_OF_TYPE = tableOf<SourceName>({
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
});

/** The sources in the order in which they are validated. */
const SOURCES = ["object", "external", "pods", "resource", "containerResource"] as const;

const MAX_WINDOW_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;

export function checkAutoscaler(object: Check<Sent<HorizontalPodAutoscaler>>): void {
  const spec = object.at("spec");
  const { minReplicas, maxReplicas = 0 } = spec.value ?? {};
  checkNotNegative(spec.at("minReplicas"));
  const highest = spec.at("maxReplicas");
  if (maxReplicas === 0) highest.required("must be set and greater than 0");
  else if (maxReplicas < 0) highest.invalid("must be greater than or equal to 1");
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    highest.invalid("must be greater than or equal to `minReplicas`", maxReplicas);
  }
  checkReference(spec.at("scaleTargetRef"), true);
  const metrics: Check<Metric[] | null | undefined> = spec.at("metrics");
  metrics.each(checkMetric);
  const types = (metrics.value ?? []).map(({ type }) => type);
  if (minReplicas === 0 && !types.includes("Object") && !types.includes("External")) {
    metrics.forbidden(
      "must specify at least one Object or External metric to support scaling to zero replicas",
    );
  }
  spec.at("behavior", "scaleUp").ifSet(checkScalingRules);
  spec.at("behavior", "scaleDown").ifSet(checkScalingRules);
}

export function checkAutoscalerStatus(object: Check<Sent<HorizontalPodAutoscaler>>): void {
  checkNotNegative(object.at("status", "currentReplicas"));
  checkNotNegative(object.at("status", "desiredReplicas"));
}

function checkReference(
  reference: Check<Loose<CrossVersionObjectReference> | undefined>,
  needsGroup = false,
): void {
  const { kind, apiVersion = "" } = reference.value ?? {};
  checkSegment(reference.at("kind"));
  checkSegment(reference.at("name"));
  const [group, ...rest] = apiVersion.split("/");
  const version = reference.child("apiVersion", apiVersion);
  if (rest.length > 1) version.invalid(`unexpected GroupVersion string: ${apiVersion}`);
  else if (needsGroup && (rest.length === 0 || group === "") && kind !== "ReplicationController") {
    version.invalid("apiVersion must specify API group");
  }
}

function checkMetric(metric: Check<Metric>): void {
  const type = metric.at("type");
  const expected = SOURCE_OF_TYPE.get(type.value ?? "");
  type.given("must specify a metric source type");
  type.oneOf([...SOURCE_OF_TYPE.keys()]);
  const given = SOURCES.filter((name) => metric.value[name] !== undefined);
  const [first] = given;
  if (first) metric.at(first).ifSet((source) => checkSource(source, first));
  if (!expected) type.oneOf([...SOURCE_OF_TYPE.keys()]);
  else if (metric.value[expected] === undefined) {
    metric.at(expected).required("must populate information for the given metric source");
  }
  if (given.length === 1) return;
  for (const name of given) {
    if (name === expected) continue;
    metric.at(name).forbidden("must populate the given metric source only");
  }
}

function checkSource(source: Check<Source>, kind: SourceName): void {
  const name = source.at("name");
  const metric = source.at("metric", "name");
  if (kind === "object") checkReference(source.at("describedObject"));
  if (kind === "resource" || kind === "containerResource") {
    const isGiven = name.given("must specify a resource name");
    if (isGiven && kind === "containerResource") {
      name.ifSet(checkContainerResourceName);
    }
  } else if (metric.given("must specify a metric name")) checkSegment(metric);
  const container = source.at("container");
  if (kind === "containerResource" && container.given("must specify a container")) {
    container.named(dns1123LabelErrors);
  }
  const target = source.at("target");
  checkTarget(target);
  checkChoice(target, kind);
}

function checkTarget(target: Check<Source["target"]>): void {
  const type = target.at("type");
  type.given("must specify a metric target type");
  if (!["Utilization", "Value", "AverageValue"].includes(type.value ?? "")) {
    type.invalid("must be either Utilization, Value, or AverageValue", type.value ?? "");
  }
  for (const part of ["value", "averageValue"] as const) {
    target.at(part).ifSet((amount) => {
      if (parseQuantity(amount.value).nanos <= 0n) amount.invalid("must be positive");
    });
  }
  const utilization = target.at("averageUtilization");
  if ((utilization.value ?? 1) < 1) utilization.invalid("must be greater than 0");
}

/** Validates that the target has the amounts that the metric source needs. */
function checkChoice(target: Check<Source["target"]>, kind: SourceName): void {
  const [value, average, utilization] = [
    target.at("value"),
    target.at("averageValue"),
    target.at("averageUtilization"),
  ];
  const isMissing = (...amounts: Check<unknown>[]): boolean =>
    amounts.every((amount) => amount.value === undefined);
  switch (kind) {
    case "object":
      if (isMissing(value, average)) {
        average.required("must set either a target value or averageValue");
      }
      return;
    case "external":
      if (isMissing(value, average)) {
        average.required("must set either a target value for metric or a per-pod target");
      } else if (!isMissing(value) && !isMissing(average)) {
        value.forbidden("may not set both a target value for metric and a per-pod target");
      }
      return;
    case "pods":
      if (isMissing(average)) average.required("must specify a positive target averageValue");
      return;
    case "resource":
    case "containerResource":
      if (isMissing(utilization, average)) {
        utilization.required("must set either a target raw value or a target utilization");
      } else if (!isMissing(utilization) && !isMissing(average)) {
        average.forbidden("may not set both a target raw value and a target utilization");
      }
  }
}

function checkScalingRules(rules: Check<Loose<HPAScalingRules>>): void {
  const window = rules.at("stabilizationWindowSeconds");
  const { value: seconds = 0 } = window;
  if (seconds < 0) window.invalid("must be greater than or equal to zero");
  if (seconds > MAX_WINDOW_SECONDS) {
    window.invalid(`must be less than or equal to ${MAX_WINDOW_SECONDS}`);
  }
  rules.at("selectPolicy").ifSet((policy) => policy.oneOf(["Disabled", "Max", "Min"]));
  const policies = rules.at("policies");
  policies.given("must specify at least one Policy");
  policies.each((policy) => {
    policy.at("type").oneOf(["Percent", "Pods"]);
    const period = policy.at("periodSeconds");
    for (const number of [policy.at("value"), period]) {
      if ((number.value ?? 0) <= 0) number.invalid("must be greater than zero", number.value ?? 0);
    }
    if ((period.value ?? 0) > MAX_PERIOD_SECONDS) {
      period.invalid(`must be less than or equal to ${MAX_PERIOD_SECONDS}`);
    }
  });
  rules.at("tolerance").ifSet((tolerance) => {
    if (parseQuantity(tolerance.value).nanos < 0n) tolerance.invalid(NOT_NEGATIVE);
  });
}
