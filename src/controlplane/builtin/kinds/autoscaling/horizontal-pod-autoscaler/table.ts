/** HorizontalPodAutoscalers as a table. */
import type { SentObject } from "../../../../../kube/object.ts";
import { at, listAt, textAt } from "../../../at.ts";
import { listWithMore } from "../../../tables/cells.ts";

/** The field with the source of a metric, by metric type. */
const METRIC_SOURCES: Readonly<Record<string, string>> = {
  External: "external",
  Pods: "pods",
  Object: "object",
  Resource: "resource",
  ContainerResource: "containerResource",
};

const percent = (value: unknown): string | undefined =>
  typeof value === "number" ? `${value}%` : undefined;

/** The quantity at a path, or `<nil>`, as Go prints an absent one. */
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

export function metricsText(scaler: SentObject): string {
  const statuses = listAt(scaler, "status.currentMetrics");
  const texts = listAt(scaler, "spec.metrics").map((spec, index) =>
    metricText(spec, statuses[index]),
  );
  return listWithMore(texts, { absent: "<none>", max: 2, separator: ", " });
}
