/** Counts and measures what the runtime does. */
import { collectDefaultMetrics, Counter, Gauge, Registry } from "prom-client";
import type { Clock } from "../../clock.ts";
import type { InformerHealth } from "../cache/cache-view.ts";
import type { ExchangeObserver } from "../rest/rest-client.ts";
import type { QueueObserver } from "../queue/work-queue.ts";
import { registerMetrics } from "./definitions.ts";
import type { Tallied } from "./tallies.ts";

type ReconcileResult = "success" | "error" | "requeue_after";

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

export class OperatorMetrics implements RuntimeMetrics {
  readonly registry = new Registry();
  readonly #clock: Clock;
  // Controller -> key -> the start of its worker.
  readonly #running = new Map<string, ReadonlyMap<string, number>>();
  readonly #informerHealth: (() => readonly InformerHealth[])[] = [];
  readonly #metrics = registerMetrics(this.registry, () => {
    this.#measureRunning();
  });

  constructor(clock: Clock) {
    this.#clock = clock;
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
      this.#metrics.unfinished.set(
        labels,
        seconds.reduce((sum, one) => sum + one, 0),
      );
      this.#metrics.longest.set(labels, Math.max(0, ...seconds));
    }
  }

  /** Counts the requests to one API server. */
  requests(host: string): ExchangeObserver {
    const tallies = new Map<string, { value: number }>();
    return (method, code) => {
      const id = `${method} ${code}`;
      const tally = tallies.get(id) ?? this.#metrics.requests.at({ code, method, host });
      tallies.set(id, tally);
      tally.value++;
    };
  }

  /** Counts the readings of a served certificate, and notes when it expires. */
  certificateReads(certificate: string): (expiresAtMs?: number) => void {
    return (expiresAtMs) => {
      this.#metrics.certificates.inc();
      if (expiresAtMs === undefined) this.#metrics.certificateErrors.inc();
      else this.certificateExpires(certificate, "", expiresAtMs);
    };
  }

  /** Notes when a certificate in use expires. */
  certificateExpires(certificate: string, cluster: string, atMs: number): void {
    this.#metrics.certificateExpiry.set({ certificate, cluster }, atMs / 1000);
  }

  trustRenewed(what: string, cluster: string): void {
    this.#metrics.renewals.inc({ what, cluster });
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
    this.#metrics.leader.set({ name }, leads ? 1 : 0);
  }

  /** The metrics of one controller. Call it once for each. */
  controller(controller: string, maxConcurrentReconciles: number): ControllerMetrics {
    this.#metrics.maxWorkers.set({ controller }, maxConcurrentReconciles);
    const labels = { name: controller, controller };
    const takenAtMs = new Map<string, number>();
    this.#running.set(controller, takenAtMs);
    const clock = this.#clock;
    const metrics = this.#metrics;
    const adds = metrics.adds.at(labels);
    const depth = metrics.depth.at(labels);
    const retries = metrics.retries.at(labels);
    const queueSeconds = metrics.queueSeconds.at(labels);
    const workSeconds = metrics.workSeconds.at(labels);
    const activeWorkers = metrics.activeWorkers.at({ controller });
    const reconciles = {
      success: metrics.reconciles.at({ controller, result: "success" }),
      error: metrics.reconciles.at({ controller, result: "error" }),
      requeue_after: metrics.reconciles.at({ controller, result: "requeue_after" }),
    };
    const reconcileSeconds = metrics.reconcileSeconds.at({ controller });
    const errors = metrics.errors.at({ controller });
    const countIn = (metric: Tallied<"controller">): (() => void) => {
      const tally = metric.at({ controller });
      return () => {
        tally.value++;
      };
    };
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
      terminalError: countIn(metrics.terminalErrors),
      panicked: countIn(metrics.panics),
      hotLoop: countIn(metrics.hotLoops),
      cleanupOverdue: countIn(metrics.overdueCleanups),
      ownEvent: countIn(metrics.ownEvents),
      timedOut: countIn(metrics.timeouts),
      sourceFailed: countIn(metrics.sourceErrors),
    };
  }
}

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
