/** The server of the metrics. */
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { present } from "../../present.ts";
import { httpTls } from "./http-tls.ts";
import { serveMetrics, type MetricsEndpoint } from "./health.ts";
import type { RunningServer } from "./http-serving.ts";
import type { OperatorMetrics } from "../metrics/metrics.ts";
import type { ReviewFilter } from "./review-filter.ts";
import type { BoundlessMetric } from "../metrics/series-watch.ts";

interface MetricsParts {
  readonly metrics: OperatorMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

interface MetricsAccess {
  readonly filter: ReviewFilter;
  readonly maxConnections: number;
}

export async function openMetrics(
  endpoint: MetricsEndpoint | undefined,
  { metrics, clock, log }: MetricsParts,
  { filter, maxConnections }: MetricsAccess,
): Promise<RunningServer | undefined> {
  if (!endpoint) return undefined;
  metrics.collectProcessMetrics();
  const { reviewed = false, tls, clients } = endpoint;
  const observe = metrics.certificateReads("metrics");
  const guards = {
    boundless: ({ metric, label, series }: BoundlessMetric) => {
      log.warn(
        { metric, label, series },
        `the metric ${metric} has ${series} series, most by its label ${label}: each stays in memory, here and in Prometheus. Use labels that have few values.`,
      );
    },
    failed: (error: unknown) => {
      log.warn({ err: error }, `a request for the metrics failed: ${messageOf(error)}`);
    },
    ...(reviewed ? { filter } : {}),
    ...(tls ? { tls: httpTls({ tls, ...present({ clients }) }, clock, log, observe) } : {}),
  };
  return serveMetrics({ ...endpoint, maxConnections }, metrics.registry, guards);
}
