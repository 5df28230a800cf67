/**
 * The metrics of the runtime, under the names of controller-runtime and client-go, so that existing
 * dashboards work.
 *
 * @see https://book.kubebuilder.io/reference/metrics-reference
 */
import { collectDefaultMetrics, Counter, Gauge, Registry } from "prom-client";
import type { Clock } from "../../clock.ts";
import type { InformerHealth } from "../cache/cache-view.ts";
import type { ExchangeObserver } from "../client/rest-client.ts";
import type { QueueObserver } from "../queue/work-queue.ts";
import { talliedCounter, talliedGauge, TalliedHistogram, type Tallied } from "./tallies.ts";

/** The outcome of a reconcile. */
type ReconcileResult = "success" | "error" | "requeue_after";

const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
  1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
// client-go's ExponentialBuckets(10e-9, 10, 12), in seconds.
const QUEUE_BUCKETS = Array.from({ length: 12 }, (_, power) => 10 ** (power - 8));

/**
 * The metrics of an operator; its own are added to `manager.metrics.registry`.
 *
 * @example
 * const builds = new Counter({ name: "web_builds_total", help: "Builds", registers: [manager.metrics.registry] });
 */
export interface RuntimeMetrics {
  /** The registry of all metrics at `/metrics`, a prom-client registry. */
  readonly registry: Registry;
}

/** The counters and gauges of the runtime. */
export class OperatorMetrics implements RuntimeMetrics {
  readonly registry = new Registry();
  readonly #clock: Clock;
  readonly #reconciles;
  readonly #errors;
  readonly #terminalErrors;
  readonly #panics;
  readonly #timeouts;
  readonly #hotLoops;
  readonly #overdueCleanups;
  readonly #reconcileSeconds;
  readonly #maxWorkers;
  readonly #activeWorkers;
  readonly #depth;
  readonly #adds;
  readonly #retries;
  readonly #queueSeconds;
  readonly #workSeconds;
  readonly #unfinished: Gauge<"name" | "controller">;
  readonly #longest: Gauge<"name" | "controller">;
  // Controller -> key -> the start of its worker.
  readonly #running = new Map<string, ReadonlyMap<string, number>>();
  readonly #informerHealth: (() => readonly InformerHealth[])[] = [];
  readonly #requests;
  readonly #leader;
  readonly #certificates;
  readonly #certificateErrors;
  readonly #ownEvents;
  readonly #sourceErrors;

  constructor(clock: Clock) {
    this.#clock = clock;
    const registers = [this.registry];
    const counter = <L extends string>(
      name: string,
      help: string,
      ...labelNames: L[]
    ): Counter<L> => new Counter({ name, help, labelNames, registers });
    const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]): Gauge<L> =>
      new Gauge({ name, help, labelNames, registers });
    const often = <L extends string>(name: string, help: string, ...labelNames: L[]): Tallied<L> =>
      talliedCounter({ name, help, labelNames, registers });
    const level = <L extends string>(name: string, help: string, ...labelNames: L[]): Tallied<L> =>
      talliedGauge({ name, help, labelNames, registers });
    const histogram = <L extends string>(
      name: string,
      help: string,
      buckets: number[],
      ...labelNames: L[]
    ): TalliedHistogram<L> => new TalliedHistogram({ name, help, labelNames, registers }, buckets);

    const prefix = "controller_runtime";
    this.#reconciles = often(
      `${prefix}_reconcile_total`,
      "Total number of reconciliations per controller",
      "controller",
      "result",
    );
    this.#errors = often(
      `${prefix}_reconcile_errors_total`,
      "Total number of reconciliation errors per controller",
      "controller",
    );
    this.#terminalErrors = often(
      `${prefix}_terminal_reconcile_errors_total`,
      "Total number of terminal reconciliation errors per controller",
      "controller",
    );
    this.#panics = often(
      `${prefix}_reconcile_panics_total`,
      "Total number of reconciliation panics per controller",
      "controller",
    );
    this.#timeouts = often(
      `${prefix}_reconcile_timeouts_total`,
      "Total number of reconciliation timeouts per controller",
      "controller",
    );
    this.#hotLoops = often(
      "tsop_hot_loops_total",
      "Total number of reconciliations that repeated a change and slowed their key down",
      "controller",
    );
    this.#overdueCleanups = often(
      "tsop_cleanups_overdue_total",
      "Objects being deleted whose cleanup was not done in time",
      "controller",
    );
    this.#reconcileSeconds = histogram(
      `${prefix}_reconcile_time_seconds`,
      "Length of time per reconciliation per controller",
      RECONCILE_BUCKETS,
      "controller",
    );
    this.#maxWorkers = gauge(
      `${prefix}_max_concurrent_reconciles`,
      "Maximum number of concurrent reconciles per controller",
      "controller",
    );
    this.#activeWorkers = level(
      `${prefix}_active_workers`,
      "Number of currently used workers per controller",
      "controller",
    );
    this.#depth = level("workqueue_depth", "Current depth of workqueue", "name", "controller");
    this.#adds = often(
      "workqueue_adds_total",
      "Total number of adds handled by workqueue",
      "name",
      "controller",
    );
    this.#retries = often(
      "workqueue_retries_total",
      "Total number of retries handled by workqueue",
      "name",
      "controller",
    );
    this.#queueSeconds = histogram(
      "workqueue_queue_duration_seconds",
      "How long in seconds an item stays in workqueue before being requested",
      QUEUE_BUCKETS,
      "name",
      "controller",
    );
    this.#workSeconds = histogram(
      "workqueue_work_duration_seconds",
      "How long in seconds processing an item from workqueue takes",
      QUEUE_BUCKETS,
      "name",
      "controller",
    );
    // This metric and the next are computed when `/metrics` is read.
    const collect = (): void => {
      this.#measureRunning();
    };
    this.#unfinished = new Gauge({
      name: "workqueue_unfinished_work_seconds",
      help: "How many seconds of work is in progress and not yet observed by work_duration",
      labelNames: ["name", "controller"],
      registers,
      collect,
    });
    this.#longest = new Gauge({
      name: "workqueue_longest_running_processor_seconds",
      help: "How many seconds the longest running worker has been at its key",
      labelNames: ["name", "controller"],
      registers,
    });
    this.#requests = often(
      "rest_client_requests_total",
      "Number of HTTP requests, partitioned by status code, method, and host",
      "code",
      "method",
      "host",
    );
    this.#certificates = counter(
      "certwatcher_read_certificate_total",
      "Total number of certificate reads",
    );
    this.#certificateErrors = counter(
      "certwatcher_read_certificate_errors_total",
      "Total number of certificate read errors",
    );
    this.#ownEvents = often(
      "tsop_own_events_total",
      "Events of the operator's own writes that caused no reconcile, because a reconcile had seen them already",
      "controller",
    );
    this.#sourceErrors = often(
      "tsop_source_errors_total",
      "Retries of events at which a map function, handler, filter or timer failed, and failed polls",
      "controller",
    );
    this.#leader = gauge(
      "leader_election_master_status",
      "Whether this process is the leader",
      "name",
    );
  }

  /** Adds prom-client's metrics of the process: memory, event loop, garbage collection. */
  collectProcessMetrics(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  #measureRunning(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [controller, takenAtMs] of this.#running) {
      const seconds = [...takenAtMs.values()].map((sinceMs) => (nowMs - sinceMs) / 1000);
      const labels = { name: controller, controller };
      this.#unfinished.set(
        labels,
        seconds.reduce((sum, one) => sum + one, 0),
      );
      this.#longest.set(labels, Math.max(0, ...seconds));
    }
  }

  /** Counts the requests to one API server. */
  requests(host: string): ExchangeObserver {
    const tallies = new Map<string, { value: number }>();
    return (method, code) => {
      const id = `${method} ${code}`;
      const tally = tallies.get(id) ?? this.#requests.at({ code, method, host });
      tallies.set(id, tally);
      tally.value++;
    };
  }

  /** Counts a read of a server's certificate. */
  certificateRead(outcome: "read" | "error"): void {
    this.#certificates.inc();
    if (outcome === "error") this.#certificateErrors.inc();
  }

  /** Adds the state of a cache's informers, read whenever `/metrics` is. */
  informers(health: () => readonly InformerHealth[]): void {
    this.#informerHealth.push(health);
    if (this.#informerHealth.length > 1) return;
    const all = (): InformerHealth[] => this.#informerHealth.flatMap((one) => one());
    const registers = [this.registry];
    const objects: Gauge<"resource" | "state"> = new Gauge({
      name: "tsop_informer_objects",
      help: "How many objects an informer holds, by its state",
      labelNames: ["resource", "state"],
      registers,
      collect: () => {
        objects.reset();
        for (const { resource, state, objects: count } of all()) {
          objects.set({ resource, state }, count);
        }
      },
    });
    const occurrences: Counter<"resource" | "what"> = new Counter({
      name: "tsop_informer_occurrences_total",
      help: "Lists, watches, watches that closed immediately or went silent, and outdated events",
      labelNames: ["resource", "what"],
      registers,
      collect: () => {
        occurrences.reset();
        for (const { resource, counts } of all()) {
          for (const [what, count] of Object.entries(counts)) {
            occurrences.inc({ resource, what }, count);
          }
        }
      },
    });
  }

  /** Notes whether this process is the leader of the election of that name. */
  leading(name: string, leads: boolean): void {
    this.#leader.set({ name }, leads ? 1 : 0);
  }

  /** The metrics of one controller. Call it once for each. */
  controller(controller: string, maxConcurrentReconciles: number): ControllerMetrics {
    this.#maxWorkers.set({ controller }, maxConcurrentReconciles);
    const labels = { name: controller, controller };
    const takenAtMs = new Map<string, number>();
    this.#running.set(controller, takenAtMs);
    const clock = this.#clock;
    const adds = this.#adds.at(labels);
    const depth = this.#depth.at(labels);
    const retries = this.#retries.at(labels);
    const queueSeconds = this.#queueSeconds.at(labels);
    const workSeconds = this.#workSeconds.at(labels);
    const activeWorkers = this.#activeWorkers.at({ controller });
    const reconciles = {
      success: this.#reconciles.at({ controller, result: "success" }),
      error: this.#reconciles.at({ controller, result: "error" }),
      requeue_after: this.#reconciles.at({ controller, result: "requeue_after" }),
    };
    const reconcileSeconds = this.#reconcileSeconds.at({ controller });
    const errors = this.#errors.at({ controller });
    const terminalErrors = this.#terminalErrors.at({ controller });
    const panics = this.#panics.at({ controller });
    const hotLoops = this.#hotLoops.at({ controller });
    const overdueCleanups = this.#overdueCleanups.at({ controller });
    const ownEvents = this.#ownEvents.at({ controller });
    const timeouts = this.#timeouts.at({ controller });
    const sourceErrors = this.#sourceErrors.at({ controller });
    return {
      added: () => {
        adds.value++;
        depth.value++;
      },
      taken: (key, addedAtMs) => {
        depth.value--;
        const nowMs = clock.monotonicMs();
        queueSeconds.observe((nowMs - addedAtMs) / 1000);
        takenAtMs.set(key, nowMs);
        activeWorkers.value++;
      },
      done: (key) => {
        const takenMs = takenAtMs.get(key);
        takenAtMs.delete(key);
        if (takenMs !== undefined) workSeconds.observe((clock.monotonicMs() - takenMs) / 1000);
        activeWorkers.value--;
      },
      delayed: () => {
        retries.value++;
      },
      reconciled: (result, seconds) => {
        reconciles[result].value++;
        reconcileSeconds.observe(seconds);
        if (result === "error") errors.value++;
      },
      terminalError: () => {
        terminalErrors.value++;
      },
      panicked: () => {
        panics.value++;
      },
      hotLoop: () => {
        hotLoops.value++;
      },
      cleanupOverdue: () => {
        overdueCleanups.value++;
      },
      ownEvent: () => {
        ownEvents.value++;
      },
      timedOut: () => {
        timeouts.value++;
      },
      sourceFailed: () => {
        sourceErrors.value++;
      },
    };
  }
}

/** The metrics of one controller. */
export interface ControllerMetrics extends QueueObserver {
  reconciled(result: ReconcileResult, seconds: number): void;
  terminalError(): void;
  /** Counts an error that the reconciler threw before it returned a promise. */
  panicked(): void;
  timedOut(): void;
  /** Counts an event or a poll that failed and is retried. */
  readonly sourceFailed: () => void;
  /** Counts an event of an own write that a later reconcile had seen. */
  ownEvent(): void;
  /** Counts a cleanup that was not done in time. */
  cleanupOverdue(): void;
  /** Counts a reconcile that repeated a change, and is slowed down. */
  hotLoop(): void;
}
