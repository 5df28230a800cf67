/** Validation of HorizontalPodAutoscalers. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
} from "../../../../../kube/field-errors.ts";
import { dns1123LabelErrors } from "../../../../../kube/names.ts";
import type { SentObject } from "../../../../../kube/object.ts";
import { parseQuantity } from "../../../../../kube/values/quantity.ts";
import { notNegative, oneOf, segmentErrors } from "../../../shared/checks.ts";
import { containerResourceNameErrors } from "../../../shared/resource-names.ts";

interface Reference {
  kind?: string;
  name?: string;
  apiVersion?: string;
}

interface Target {
  type?: string;
  value?: string;
  averageValue?: string;
  averageUtilization?: number;
}

interface Source {
  name?: string;
  container?: string;
  metric?: { name?: string };
  describedObject?: Reference;
  target?: Target;
}

const SOURCES = ["object", "external", "pods", "resource", "containerResource"] as const;

type SourceName = (typeof SOURCES)[number];

type Metric = { type?: string } & Partial<Record<SourceName, Source>>;

interface ScalingRules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: { type: string; value: number; periodSeconds: number }[];
  tolerance?: string;
}

interface Autoscaler extends SentObject {
  spec: {
    minReplicas?: number;
    maxReplicas?: number;
    scaleTargetRef?: Reference;
    metrics?: Metric[] | null;
    behavior?: { scaleUp?: ScalingRules; scaleDown?: ScalingRules };
  };
  status?: { currentReplicas?: number; desiredReplicas?: number };
}

const TYPES: Readonly<Record<string, SourceName>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};

const TARGET_TYPES = ["Utilization", "Value", "AverageValue"];
const MAX_WINDOW = 3600;
const MAX_PERIOD = 1800;

export function autoscalerErrors(object: Autoscaler): FieldError[] {
  const { minReplicas, maxReplicas = 0, scaleTargetRef = {}, metrics, behavior } = object.spec;
  const errors: FieldError[] = [];
  if (minReplicas !== undefined && minReplicas < 0) {
    errors.push(
      invalidValue("spec.minReplicas", minReplicas, "must be greater than or equal to 0"),
    );
  }
  const highest = "spec.maxReplicas";
  if (maxReplicas === 0) errors.push(required(highest, "must be set and greater than 0"));
  else if (maxReplicas < 0) {
    errors.push(invalidValue(highest, maxReplicas, "must be greater than or equal to 1"));
  }
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(
      invalidValue(highest, maxReplicas, "must be greater than or equal to `minReplicas`"),
    );
  }
  errors.push(...referenceErrors("spec.scaleTargetRef", scaleTargetRef, true));
  for (const [index, metric] of (metrics ?? []).entries()) {
    errors.push(...metricErrors(`spec.metrics[${index}]`, metric));
  }
  const types = (metrics ?? []).map(({ type }) => type);
  if (minReplicas === 0 && !types.includes("Object") && !types.includes("External")) {
    errors.push(
      forbidden(
        "spec.metrics",
        "must specify at least one Object or External metric to support scaling to zero replicas",
      ),
    );
  }
  return [
    ...errors,
    ...rulesErrors("spec.behavior.scaleUp", behavior?.scaleUp),
    ...rulesErrors("spec.behavior.scaleDown", behavior?.scaleDown),
  ];
}

export function autoscalerStatusErrors(object: Autoscaler): FieldError[] {
  const { status } = object;
  return [
    ...notNegative("status.currentReplicas", status?.currentReplicas),
    ...notNegative("status.desiredReplicas", status?.desiredReplicas),
  ];
}

function referenceErrors(at: string, reference: Reference, needsGroup: boolean): FieldError[] {
  const { kind = "", name = "", apiVersion = "" } = reference;
  const errors = [...segmentErrors(`${at}.kind`, kind), ...segmentErrors(`${at}.name`, name)];
  const parts = apiVersion.split("/");
  if (parts.length > 2) {
    const detail = `unexpected GroupVersion string: ${apiVersion}`;
    errors.push(invalidValue(`${at}.apiVersion`, apiVersion, detail));
  } else if (
    needsGroup &&
    (parts.length < 2 || parts[0] === "") &&
    kind !== "ReplicationController"
  ) {
    errors.push(invalidValue(`${at}.apiVersion`, apiVersion, "apiVersion must specify API group"));
  }
  return errors;
}

function metricErrors(at: string, metric: Metric): FieldError[] {
  const { type = "" } = metric;
  const errors: FieldError[] = [];
  const known = Object.keys(TYPES);
  if (type === "") errors.push(required(`${at}.type`, "must specify a metric source type"));
  if (!known.includes(type)) errors.push(notSupported(`${at}.type`, type, known));
  const present = SOURCES.filter((name) => metric[name] !== undefined);
  const [first] = present;
  if (first) errors.push(...sourceErrors(`${at}.${first}`, first, metric[first] ?? {}));
  const expected = TYPES[type];
  if (!expected) errors.push(notSupported(`${at}.type`, type, known));
  else if (metric[expected] === undefined) {
    errors.push(
      required(`${at}.${expected}`, "must populate information for the given metric source"),
    );
  }
  if (present.length === 1) return errors;
  return [
    ...errors,
    ...present
      .filter((name) => name !== expected)
      .map((name) => forbidden(`${at}.${name}`, "must populate the given metric source only")),
  ];
}

function sourceErrors(at: string, kind: SourceName, source: Source): FieldError[] {
  const { name = "", container = "", metric, describedObject = {}, target = {} } = source;
  const errors: FieldError[] = [];
  if (kind === "object")
    errors.push(...referenceErrors(`${at}.describedObject`, describedObject, false));
  if (kind === "resource" || kind === "containerResource") {
    if (name === "") errors.push(required(`${at}.name`, "must specify a resource name"));
    else if (kind === "containerResource") {
      errors.push(...containerResourceNameErrors(`${at}.name`, name));
    }
  } else if (metric?.name) errors.push(...segmentErrors(`${at}.metric.name`, metric.name));
  else errors.push(required(`${at}.metric.name`, "must specify a metric name"));
  if (kind === "containerResource") {
    errors.push(
      ...(container === ""
        ? [required(`${at}.container`, "must specify a container")]
        : nameErrorsAt(`${at}.container`, container, dns1123LabelErrors)),
    );
  }
  return [...errors, ...targetErrors(`${at}.target`, target), ...choiceErrors(at, kind, target)];
}

/** Validates that the type of the target fits the type of the metric source. */
function choiceErrors(at: string, kind: SourceName, target: Target): FieldError[] {
  const { value, averageValue, averageUtilization } = target;
  const average = `${at}.target.averageValue`;
  switch (kind) {
    case "object":
      return value === undefined && averageValue === undefined
        ? [required(average, "must set either a target value or averageValue")]
        : [];
    case "external":
      if (value === undefined && averageValue === undefined) {
        return [required(average, "must set either a target value for metric or a per-pod target")];
      }
      return value !== undefined && averageValue !== undefined
        ? [
            forbidden(
              `${at}.target.value`,
              "may not set both a target value for metric and a per-pod target",
            ),
          ]
        : [];
    case "pods":
      return averageValue === undefined
        ? [required(average, "must specify a positive target averageValue")]
        : [];
    case "resource":
    case "containerResource":
      if (averageUtilization === undefined && averageValue === undefined) {
        return [
          required(
            `${at}.target.averageUtilization`,
            "must set either a target raw value or a target utilization",
          ),
        ];
      }
      return averageUtilization !== undefined && averageValue !== undefined
        ? [forbidden(average, "may not set both a target raw value and a target utilization")]
        : [];
  }
}

function targetErrors(at: string, target: Target): FieldError[] {
  const { type = "", averageUtilization } = target;
  const errors: FieldError[] = [];
  if (type === "") errors.push(required(`${at}.type`, "must specify a metric target type"));
  if (!TARGET_TYPES.includes(type)) {
    errors.push(
      invalidValue(`${at}.type`, type, "must be either Utilization, Value, or AverageValue"),
    );
  }
  for (const part of ["value", "averageValue"] as const) {
    const amount = target[part];
    if (amount !== undefined && parseQuantity(amount).nanos <= 0n) {
      errors.push(invalidValue(`${at}.${part}`, amount, "must be positive"));
    }
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.push(
      invalidValue(`${at}.averageUtilization`, averageUtilization, "must be greater than 0"),
    );
  }
  return errors;
}

function rulesErrors(at: string, rules: ScalingRules | undefined): FieldError[] {
  if (!rules) return [];
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [], tolerance } = rules;
  const errors: FieldError[] = [];
  const field = `${at}.stabilizationWindowSeconds`;
  if (window !== undefined && window < 0) {
    errors.push(invalidValue(field, window, "must be greater than or equal to zero"));
  }
  if (window !== undefined && window > MAX_WINDOW) {
    errors.push(invalidValue(field, window, `must be less than or equal to ${MAX_WINDOW}`));
  }
  if (selectPolicy !== undefined) {
    errors.push(...oneOf(`${at}.selectPolicy`, selectPolicy, ["Disabled", "Max", "Min"]));
  }
  if (policies.length === 0) {
    errors.push(required(`${at}.policies`, "must specify at least one Policy"));
  }
  for (const [index, { type, value, periodSeconds }] of policies.entries()) {
    const policy = `${at}.policies[${index}]`;
    errors.push(...oneOf(`${policy}.type`, type, ["Percent", "Pods"]));
    if (value <= 0)
      errors.push(invalidValue(`${policy}.value`, value, "must be greater than zero"));
    if (periodSeconds <= 0) {
      errors.push(
        invalidValue(`${policy}.periodSeconds`, periodSeconds, "must be greater than zero"),
      );
    }
    if (periodSeconds > MAX_PERIOD) {
      const detail = `must be less than or equal to ${MAX_PERIOD}`;
      errors.push(invalidValue(`${policy}.periodSeconds`, periodSeconds, detail));
    }
  }
  if (tolerance !== undefined && parseQuantity(tolerance).nanos < 0n) {
    errors.push(invalidValue(`${at}.tolerance`, tolerance, "must be greater than or equal to 0"));
  }
  return errors;
}
