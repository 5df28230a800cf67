/**
 * Workloads as tables: the groups apps, batch and autoscaling.
 *
 * @module
 */
import type { SentObject } from "../../../kube/object.ts";
import { at, listAt, mapAt, numberAt, textAt } from "../../builtin/at.ts";
import type { TablePrinter } from "../../kinds.ts";
import { ageOf, humanDuration } from "../age.ts";
import {
  BOOLEAN,
  INTEGER,
  WIDE,
  ageColumn,
  column,
  conditionOf,
  containerColumns,
  countColumn,
  formatLabelSelector,
  formatLabels,
  listWithMore,
  nameColumn,
  printer,
  selectorColumn,
  textColumn,
} from "./column.ts";

const integerColumn = (name: string, path: string): ReturnType<typeof column> =>
  column(name, (object) => numberAt(object, path), INTEGER);

const readyOfDesired = column(
  "Ready",
  (object) => `${numberAt(object, "status.readyReplicas")}/${numberAt(object, "spec.replicas")}`,
);

const TEMPLATE_CONTAINERS = "spec.template.spec.containers";

function controllerText(object: SentObject): string {
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (!owner) return "<none>";
  const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.replace(/\/.*/, "")}` : "";
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}

/** The group apps, by kind. */
export const appsPrinters: Readonly<Record<string, TablePrinter>> = {
  Deployment: printer([
    nameColumn,
    readyOfDesired,
    column("Up-to-date", (object) => numberAt(object, "status.updatedReplicas")),
    column("Available", (object) => numberAt(object, "status.availableReplicas")),
    ageColumn,
    ...containerColumns(TEMPLATE_CONTAINERS),
    column("Selector", (object) => formatLabelSelector(at(object, "spec.selector")), WIDE),
  ]),
  ReplicaSet: printer([
    nameColumn,
    integerColumn("Desired", "spec.replicas"),
    integerColumn("Current", "status.replicas"),
    integerColumn("Ready", "status.readyReplicas"),
    ageColumn,
    ...containerColumns(TEMPLATE_CONTAINERS),
    selectorColumn("spec.selector"),
  ]),
  StatefulSet: printer([
    nameColumn,
    readyOfDesired,
    ageColumn,
    ...containerColumns(TEMPLATE_CONTAINERS),
  ]),
  DaemonSet: printer([
    nameColumn,
    integerColumn("Desired", "status.desiredNumberScheduled"),
    integerColumn("Current", "status.currentNumberScheduled"),
    integerColumn("Ready", "status.numberReady"),
    integerColumn("Up-to-date", "status.updatedNumberScheduled"),
    integerColumn("Available", "status.numberAvailable"),
    column("Node Selector", (object) =>
      formatLabels(mapAt(object, "spec.template.spec.nodeSelector")),
    ),
    ageColumn,
    ...containerColumns(TEMPLATE_CONTAINERS),
    selectorColumn("spec.selector"),
  ]),
  ControllerRevision: printer([
    nameColumn,
    column("Controller", controllerText),
    column("Revision", (object) => numberAt(object, "revision")),
    ageColumn,
  ]),
};

// ---- batch

function completions(job: SentObject): string {
  const succeeded = numberAt(job, "status.succeeded");
  const wanted = at(job, "spec.completions");
  if (typeof wanted === "number") return `${succeeded}/${wanted}`;
  const parallelism = numberAt(job, "spec.parallelism");
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: SentObject, nowMs: number): string {
  const started = textAt(job, "status.startTime");
  if (started === "") return "";
  const completed = textAt(job, "status.completionTime");
  return humanDuration((completed === "" ? nowMs : Date.parse(completed)) - Date.parse(started));
}

function jobStatus(job: SentObject): string {
  const has = (type: string): boolean => textAt(conditionOf(job, type), "status") === "True";
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (job.metadata.deletionTimestamp !== undefined) return "Terminating";
  return (
    ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find((type) => has(type)) ?? "Running"
  );
}

function booleanText(value: unknown): string {
  if (typeof value !== "boolean") return "<unset>";
  return value ? "True" : "False";
}

/** The group batch, by kind. */
export const batchPrinters: Readonly<Record<string, TablePrinter>> = {
  Job: printer([
    nameColumn,
    column("Status", jobStatus),
    column("Completions", completions),
    column("Duration", jobDuration),
    ageColumn,
    ...containerColumns(TEMPLATE_CONTAINERS),
    selectorColumn("spec.selector"),
  ]),
  CronJob: printer([
    nameColumn,
    textColumn("Schedule", "spec.schedule"),
    textColumn("Timezone", "spec.timeZone", "<none>"),
    column("Suspend", (object) => booleanText(at(object, "spec.suspend")), BOOLEAN),
    countColumn("Active", "status.active"),
    column("Last Schedule", (object, nowMs) => {
      const time = at(object, "status.lastScheduleTime");
      return time === undefined ? "<none>" : ageOf(time, nowMs);
    }),
    ageColumn,
    ...containerColumns("spec.jobTemplate.spec.template.spec.containers"),
    selectorColumn("spec.jobTemplate.spec.selector"),
  ]),
};

// ---- autoscaling, in the form of version 2

/** Where a metric type has its source. */
const METRIC_SOURCES: Readonly<Record<string, string>> = {
  External: "external",
  Pods: "pods",
  Object: "object",
  Resource: "resource",
  ContainerResource: "containerResource",
};

const percent = (value: unknown): string | undefined =>
  typeof value === "number" ? `${value}%` : undefined;

/** A quantity, as Go prints one that is not there. */
const quantityAt = (metric: unknown, path: string): string => textAt(metric, path, "<nil>");

function metricText(spec: unknown, status: unknown): string {
  const type = textAt(spec, "type");
  const source = METRIC_SOURCES[type];
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

/** The group autoscaling, by kind. */
export const autoscalingPrinters: Readonly<Record<string, TablePrinter>> = {
  HorizontalPodAutoscaler: printer(
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
  Scale: printer([
    nameColumn,
    integerColumn("Desired", "spec.replicas"),
    integerColumn("Available", "status.replicas"),
    ageColumn,
  ]),
};
