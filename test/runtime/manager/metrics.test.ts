import { Histogram, Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { OperatorMetrics } from "../../../src/runtime/metrics/metrics.ts";
import { PriorityQueue } from "../../../src/runtime/queue/work-queue.ts";

/** As client-go and controller-runtime name them, with their labels: what dashboards and alerts are made of. */
const THEIRS: Readonly<Record<string, readonly string[]>> = {
  controller_runtime_reconcile_total: ["controller", "result"],
  controller_runtime_reconcile_errors_total: ["controller"],
  controller_runtime_terminal_reconcile_errors_total: ["controller"],
  controller_runtime_reconcile_panics_total: ["controller"],
  controller_runtime_reconcile_timeouts_total: ["controller"],
  controller_runtime_reconcile_time_seconds: ["controller"],
  controller_runtime_max_concurrent_reconciles: ["controller"],
  controller_runtime_active_workers: ["controller"],
  workqueue_depth: ["name", "controller"],
  workqueue_adds_total: ["name", "controller"],
  workqueue_queue_duration_seconds: ["name", "controller"],
  workqueue_work_duration_seconds: ["name", "controller"],
  workqueue_unfinished_work_seconds: ["name", "controller"],
  workqueue_longest_running_processor_seconds: ["name", "controller"],
  workqueue_retries_total: ["name", "controller"],
  rest_client_requests_total: ["code", "method", "host"],
  leader_election_master_status: ["name"],
  certwatcher_read_certificate_total: [],
  certwatcher_read_certificate_errors_total: [],
};

describe("the metrics", () => {
  it("have client-go's and controller-runtime's names and labels", () => {
    const { registry } = new OperatorMetrics(new VirtualClock());
    for (const [name, labels] of Object.entries(THEIRS)) {
      const metric = registry.getSingleMetric(name) as { labelNames?: string[] } | undefined;
      expect(metric?.labelNames, name).toEqual(labels);
    }
  });

  it("are written as prom-client writes them", async () => {
    const clock = new VirtualClock();
    const ours = new OperatorMetrics(clock);
    const controller = ours.controller("web", 1);
    const registry = new Registry();
    const labelNames = ["controller"];
    const metric = ours.registry.getSingleMetric("controller_runtime_reconcile_time_seconds")!;
    const { name, help, values: none } = await metric.get();
    const buckets = none.map(({ labels }) => Number(labels["le"])).filter(Number.isFinite);
    expect(buckets.length).toBe(40);
    const registers = [registry];
    const theirs = new Histogram({ name, help, labelNames, buckets, registers });
    for (const seconds of [0, 0.005, 0.0051, 0.3, 59, 61]) {
      controller.reconciled("success", seconds);
      theirs.observe({ controller: "web" }, seconds);
    }
    const text = await ours.registry.getSingleMetricAsString(name);
    expect(text).toBe(await registry.getSingleMetricAsString(name));
    const { values } = await metric.get();
    expect((await theirs.get()).values).toMatchObject(values);
  });

  it("T54: are as many with ten thousand keys in a thousand priorities as with one", async () => {
    const seriesAfter = async (keys: number): Promise<number> => {
      const clock = new VirtualClock();
      const metrics = new OperatorMetrics(clock);
      const controller = metrics.controller("web", 1);
      const queue = new PriorityQueue(clock, undefined, controller);
      for (let index = 0; index < keys; index++) queue.add(`d/key-${index}`, index % 1000);
      for (let key = queue.take(); key !== undefined; key = queue.take()) {
        controller.reconciled("success", 0.01);
        queue.done(key);
      }
      const text = await metrics.registry.metrics();
      return text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).length;
    };
    expect(await seriesAfter(10_000)).toBe(await seriesAfter(1));
  });
});
