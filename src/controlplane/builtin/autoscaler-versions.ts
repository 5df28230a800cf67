/**
 * HorizontalPodAutoscalers in their two versions: fields that `autoscaling/v1` lacks are kept in
 * annotations there.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v1/
 */
import { asObject, copyJson, isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { listAt, mapAt } from "./at.ts";
import { inGoOrder } from "./go/order.ts";
import { normaliseShape } from "./go/shape.ts";

const PREFIX = "autoscaling.alpha.kubernetes.io/";
const METRICS = `${PREFIX}metrics`;
const CURRENT_METRICS = `${PREFIX}current-metrics`;
const CONDITIONS = `${PREFIX}conditions`;
const BEHAVIOR = `${PREFIX}behavior`;
const ROUND_TRIP = [
  METRICS,
  CURRENT_METRICS,
  CONDITIONS,
  BEHAVIOR,
  `${PREFIX}scale-down-tolerance`,
  `${PREFIX}scale-up-tolerance`,
];
/** The CPU utilization that both versions default to when there are no metrics. */
export const DEFAULT_UTILIZATION = 80;

const objectsAt = (object: JsonObject, path: string): JsonObject[] =>
  listAt(object, path).filter(isJsonObject);

function present(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** The field names of a metric's source in both versions: in v1, and in v2 below `target`. */
interface Names {
  /** The parent of the values in v2: `target` in a spec, `current` in a status. */
  readonly holder: "target" | "current";
  readonly value: string;
  readonly averageValue: string;
  readonly averageUtilization: string;
}

const SPEC: Names = {
  holder: "target",
  value: "targetValue",
  averageValue: "targetAverageValue",
  averageUtilization: "targetAverageUtilization",
};
const STATUS: Names = {
  holder: "current",
  value: "currentValue",
  averageValue: "currentAverageValue",
  averageUtilization: "currentAverageUtilization",
};

const SOURCES = ["object", "pods", "resource", "containerResource", "external"] as const;
type Source = (typeof SOURCES)[number];

function sourceToV1(source: Source, from: JsonObject, names: Names): JsonObject {
  const at = mapAt(from, names.holder);
  const metric = mapAt(from, "metric");
  switch (source) {
    case "object":
      return present({
        target: from["describedObject"],
        metricName: metric["name"],
        [names.value]: at["value"] ?? "0",
        selector: metric["selector"],
        averageValue: at["averageValue"],
      });
    case "pods":
      return present({
        metricName: metric["name"],
        [names.averageValue]: at["averageValue"] ?? "0",
        selector: metric["selector"],
      });
    case "external":
      return present({
        metricName: metric["name"],
        metricSelector: metric["selector"],
        [names.value]: at["value"],
        [names.averageValue]: at["averageValue"],
      });
    default:
      return present({
        name: from["name"],
        [names.averageUtilization]: at["averageUtilization"],
        [names.averageValue]: at["averageValue"] ?? (names === STATUS ? "0" : undefined),
        container: from["container"],
      });
  }
}

function sourceToV2(source: Source, from: JsonObject, names: Names): JsonObject {
  const values = present({
    value: from[names.value],
    averageValue: from[source === "object" ? "averageValue" : names.averageValue],
    averageUtilization: from[names.averageUtilization],
  });
  const held = names === SPEC ? { type: targetType(values), ...values } : values;
  const metric = present({
    name: from["metricName"],
    selector: from[source === "external" ? "metricSelector" : "selector"],
  });
  switch (source) {
    case "object":
      return present({ describedObject: from["target"], metric, [names.holder]: held });
    case "pods":
    case "external":
      return { metric, [names.holder]: held };
    default:
      return present({
        name: from["name"],
        container: from["container"],
        [names.holder]: held,
      });
  }
}

function targetType(values: JsonObject): string {
  if ("averageUtilization" in values) return "Utilization";
  return "averageValue" in values ? "AverageValue" : "Value";
}

function metricAs(convert: typeof sourceToV1, metric: JsonObject, names: Names): JsonObject {
  const made: JsonObject = { type: metric["type"] };
  for (const source of SOURCES) {
    const from = metric[source];
    if (isJsonObject(from)) made[source] = convert(source, from, names);
  }
  return made;
}

/** The CPU utilization that a metric of v2 requests or reports, for which v1 has a field. */
function cpuUtilization(metric: JsonObject, { holder }: Names): unknown {
  const resource = mapAt(metric, "resource");
  if (metric["type"] !== "Resource" || resource["name"] !== "cpu") return undefined;
  return mapAt(resource, holder)["averageUtilization"];
}

const RULES = ["StabilizationWindowSeconds", "SelectPolicy", "Policies", "Tolerance"];
const POLICY = ["Type", "Value", "PeriodSeconds"];
const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/**
 * The behavior as text for its annotation, with the field names of the API server's internal type.
 */
function behaviorToText(behavior: JsonObject): string {
  const internal = (fields: readonly string[], from: JsonObject): JsonObject =>
    Object.fromEntries(
      fields.map((field) => {
        const value = from[lowerFirst(field)] ?? null;
        const isPolicies = field === "Policies" && Array.isArray(value);
        const items = isPolicies ? (value as unknown[]).filter(isJsonObject) : [];
        return [field, isPolicies ? items.map((item) => internal(POLICY, item)) : value];
      }),
    );
  const rules = (name: string): JsonObject | null =>
    isJsonObject(behavior[name]) ? internal(RULES, behavior[name]) : null;
  return JSON.stringify({ ScaleUp: rules("scaleUp"), ScaleDown: rules("scaleDown") });
}

function behaviorOfText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(behaviorOfText);
  if (!isJsonObject(value)) return value;
  return present(
    Object.fromEntries(
      Object.entries(value).map(([name, field]) => [lowerFirst(name), behaviorOfText(field)]),
    ),
  );
}

function withAnnotations(object: JsonObject, annotations: JsonObject): JsonObject {
  const metadata = { ...mapAt(object, "metadata") };
  delete metadata["annotations"];
  return Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations };
}

function plainAnnotations(object: JsonObject): JsonObject {
  const annotations = { ...mapAt(object, "metadata.annotations") };
  for (const name of ROUND_TRIP) Reflect.deleteProperty(annotations, name);
  return annotations;
}

function toV1(given: JsonObject): JsonObject {
  // Lists and objects in annotations have their keys in the order of the fields.
  const object = inGoOrder(asObject(given));
  const [spec, status] = [mapAt(object, "spec"), mapAt(object, "status")];
  const metrics = objectsAt(spec, "metrics");
  const reported = objectsAt(status, "currentMetrics");
  const annotations = plainAnnotations(object);
  const others = metrics.filter((metric) => cpuUtilization(metric, SPEC) === undefined);
  const note = (name: string, list: readonly unknown[]): void => {
    if (list.length > 0) annotations[name] = JSON.stringify(list);
  };
  note(
    METRICS,
    others.map((metric) => metricAs(sourceToV1, metric, SPEC)),
  );
  note(
    CURRENT_METRICS,
    reported.map((metric) => metricAs(sourceToV1, metric, STATUS)),
  );
  if (isJsonObject(spec["behavior"])) annotations[BEHAVIOR] = behaviorToText(spec["behavior"]);
  note(CONDITIONS, objectsAt(status, "conditions"));
  const cpu = metrics.map((metric) => cpuUtilization(metric, SPEC));
  const used = reported.map((metric) => cpuUtilization(metric, STATUS));
  return {
    ...object,
    apiVersion: "autoscaling/v1",
    metadata: withAnnotations(object, annotations),
    spec: present({
      scaleTargetRef: spec["scaleTargetRef"],
      minReplicas: spec["minReplicas"],
      maxReplicas: spec["maxReplicas"],
      targetCPUUtilizationPercentage: cpu.find((value) => value !== undefined),
    }),
    status: present({
      observedGeneration: status["observedGeneration"],
      lastScaleTime: status["lastScaleTime"],
      currentReplicas: status["currentReplicas"] ?? 0,
      desiredReplicas: status["desiredReplicas"] ?? 0,
      currentCPUUtilizationPercentage: used.find((value) => value !== undefined),
    }),
  };
}

/** The list or object in an annotation; `undefined` when it is absent or not JSON. */
function parse(annotations: JsonObject, name: string): unknown {
  const text = annotations[name];
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const cpuMetric = (names: Names, held: JsonObject): JsonObject => ({
  type: "Resource",
  resource: { name: "cpu", [names.holder]: held },
});

function toV2(object: JsonObject): JsonObject {
  const [spec, status] = [mapAt(object, "spec"), mapAt(object, "status")];
  const annotations = mapAt(object, "metadata.annotations");
  const noted = (name: string): JsonObject[] =>
    objectsAt({ list: parse(annotations, name) }, "list");
  const target = spec["targetCPUUtilizationPercentage"];
  const used = status["currentCPUUtilizationPercentage"];
  const metrics = noted(METRICS).map((metric) => metricAs(sourceToV2, metric, SPEC));
  if (target !== undefined || metrics.length === 0) {
    const averageUtilization = target ?? DEFAULT_UTILIZATION;
    metrics.push(cpuMetric(SPEC, { type: "Utilization", averageUtilization }));
  }
  const reported = noted(CURRENT_METRICS).map((metric) => metricAs(sourceToV2, metric, STATUS));
  if (reported.length === 0 && used !== undefined) {
    reported.push(cpuMetric(STATUS, { averageUtilization: used }));
  }
  const conditions = noted(CONDITIONS);
  const current = status["currentReplicas"];
  return {
    ...object,
    apiVersion: "autoscaling/v2",
    metadata: withAnnotations(object, plainAnnotations(object)),
    spec: present({
      scaleTargetRef: spec["scaleTargetRef"],
      minReplicas: spec["minReplicas"],
      maxReplicas: spec["maxReplicas"],
      metrics,
      behavior: behaviorOfText(parse(annotations, BEHAVIOR)),
    }),
    status: {
      ...present({
        observedGeneration: status["observedGeneration"],
        lastScaleTime: status["lastScaleTime"],
        currentReplicas: current === 0 ? undefined : current,
        conditions: conditions.length > 0 ? conditions : undefined,
      }),
      desiredReplicas: status["desiredReplicas"] ?? 0,
      currentMetrics: reported.length > 0 ? reported : null,
    },
  };
}

/**
 * Converts an autoscaler to the other version, with the fields that Go's struct of it always has.
 * The input is not modified, and the result shares nothing with it.
 */
export function convertAutoscaler(object: JsonObject, apiVersion: string): JsonObject {
  const convert = apiVersion === "autoscaling/v1" ? toV1 : toV2;
  const converted = copyJson(convert(object));
  normaliseShape(asObject(converted));
  return converted;
}

/**
 * Normalises an autoscaler of v1 in place: the fields of v2 that its annotations and its status
 * hold are written to the annotations anew, in order, and metrics are defaulted.
 */
export function noteWhatV2Says(object: JsonObject): void {
  Object.assign(object, convertAutoscaler(toV2(object), "autoscaling/v1"));
}
