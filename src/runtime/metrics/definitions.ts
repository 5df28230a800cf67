/**
 * The metrics of the runtime, under the names of controller-runtime and client-go, so that existing
 * dashboards work.
 *
 * @see https://book.kubebuilder.io/reference/metrics-reference
 */
import { Counter, Gauge, type Registry } from "prom-client";
import {
  talliedCounter,
  talliedGauge,
  TalliedHistogram,
  DURATION_BUCKETS,
  type Tallied,
} from "./tallies.ts";

const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
  1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** The labels of a work queue's metrics. */
type OfQueue = "name" | "controller";

/**
 * Registers all metrics but those of informers.
 *
 * @param measureRunning - sets `unfinished` and `longest`; called when `/metrics` is read
 */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the names and labels say it
export function registerMetrics(registry: Registry, measureRunning: () => void) {
  const registers = [registry];
  const ofController: "controller"[] = ["controller"];
  const ofQueue: OfQueue[] = ["name", "controller"];
  const tally = (name: string, help: string): Tallied<"controller"> =>
    talliedCounter({ name, help, labelNames: ofController, registers });
  const queueTally = (name: string, help: string): Tallied<OfQueue> =>
    talliedCounter({ name, help, labelNames: ofQueue, registers });
  const queueSeconds = (name: string, help: string): TalliedHistogram<OfQueue> =>
    new TalliedHistogram({ name, help, labelNames: ofQueue, registers }, DURATION_BUCKETS);
  const gauge = <L extends string>(name: string, help: string, labelNames: L[]): Gauge<L> =>
    new Gauge({ name, help, labelNames, registers });
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers });
  return {
    reconciles: talliedCounter({
      name: "controller_runtime_reconcile_total",
      help: "Total number of reconciliations per controller",
      labelNames: ["controller", "result"],
      registers,
    }),
    errors: tally(
      "controller_runtime_reconcile_errors_total",
      "Total number of reconciliation errors per controller",
    ),
    terminalErrors: tally(
      "controller_runtime_terminal_reconcile_errors_total",
      "Total number of terminal reconciliation errors per controller",
    ),
    panics: tally(
      "controller_runtime_reconcile_panics_total",
      "Total number of reconciliation panics per controller",
    ),
    timeouts: tally(
      "controller_runtime_reconcile_timeouts_total",
      "Total number of reconciliation timeouts per controller",
    ),
    hotLoops: tally(
      "tsop_hot_loops_total",
      "Total number of reconciliations that repeated a change and slowed their key down",
    ),
    overdueCleanups: tally(
      "tsop_cleanups_overdue_total",
      "Objects being deleted whose cleanup was not done in time",
    ),
    reconcileSeconds: new TalliedHistogram(
      {
        name: "controller_runtime_reconcile_time_seconds",
        help: "Length of time per reconciliation per controller",
        labelNames: ofController,
        registers,
      },
      RECONCILE_BUCKETS,
    ),
    maxWorkers: gauge(
      "controller_runtime_max_concurrent_reconciles",
      "Maximum number of concurrent reconciles per controller",
      ofController,
    ),
    activeWorkers: talliedGauge({
      name: "controller_runtime_active_workers",
      help: "Number of currently used workers per controller",
      labelNames: ofController,
      registers,
    }),
    depth: talliedGauge({
      name: "workqueue_depth",
      help: "Current depth of workqueue",
      labelNames: ofQueue,
      registers,
    }),
    adds: queueTally("workqueue_adds_total", "Total number of adds handled by workqueue"),
    retries: queueTally("workqueue_retries_total", "Total number of retries handled by workqueue"),
    queueSeconds: queueSeconds(
      "workqueue_queue_duration_seconds",
      "How long in seconds an item stays in workqueue before being requested",
    ),
    workSeconds: queueSeconds(
      "workqueue_work_duration_seconds",
      "How long in seconds processing an item from workqueue takes",
    ),
    unfinished: new Gauge({
      name: "workqueue_unfinished_work_seconds",
      help: "How many seconds of work is in progress and not yet observed by work_duration",
      labelNames: ofQueue,
      registers,
      collect: measureRunning,
    }),
    longest: gauge(
      "workqueue_longest_running_processor_seconds",
      "How many seconds the longest running worker has been at its key",
      ofQueue,
    ),
    requests: talliedCounter({
      name: "rest_client_requests_total",
      help: "Number of HTTP requests, partitioned by status code, method, and host",
      labelNames: ["code", "method", "host"],
      registers,
    }),
    certificates: counter(
      "certwatcher_read_certificate_total",
      "Total number of certificate reads",
    ),
    certificateErrors: counter(
      "certwatcher_read_certificate_errors_total",
      "Total number of certificate read errors",
    ),
    certificateExpiry: gauge(
      "tsop_certificate_expiration_timestamp_seconds",
      "When a certificate in use expires, in seconds since 1970; cluster is empty for the manager's own cluster",
      ["certificate", "cluster"],
    ),
    renewals: new Counter({
      name: "tsop_trust_renewals_total",
      help: "Renewed servers, certificates and tokens that took the place of others in this process",
      labelNames: ["what", "cluster"],
      registers,
    }),
    ownEvents: tally(
      "tsop_own_events_total",
      "Events of the operator's own writes that caused no reconcile, because a reconcile had seen them already",
    ),
    sourceErrors: tally(
      "tsop_source_errors_total",
      "Retries of events at which a map function, handler, filter or timer failed, and failed polls",
    ),
    leader: gauge("leader_election_master_status", "Whether this process is the leader", ["name"]),
  };
}
