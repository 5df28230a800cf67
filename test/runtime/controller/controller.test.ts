import { describe, expect, it } from "vitest";
import { settlePromises, VirtualClock } from "../../../src/clock.ts";
import { TerminalError } from "../../../src/errors.ts";
import { type Logger, silentLogger } from "../../../src/log.ts";
import { failure } from "../../../src/kube/status.ts";
import type { ObjectKey } from "../../../src/kube/object.ts";
import { Controller } from "../../../src/runtime/controller/controller.ts";
import type { ControllerOptions } from "../../../src/runtime/controller/controller-parts.ts";
import { enqueueOwner } from "../../../src/runtime/controller/sources/handlers.ts";
import { predicates } from "../../../src/runtime/controller/sources/predicates.ts";
import { ReconcileScopes } from "../../../src/runtime/controller/reconcile-scopes.ts";
import type { Reconciler } from "../../../src/runtime/controller/reconciler.ts";
import { channelSource } from "../../../src/runtime/controller/sources/sources.ts";
import { ItemExponentialFailureRateLimiter } from "../../../src/runtime/queue/rate-limiters.ts";
import { OperatorMetrics } from "../../../src/runtime/metrics/metrics.ts";
import { asRead } from "../../support/as-read.ts";

const noKinds = (): never => {
  throw new Error("no kinds here");
};

function build(
  reconcile: Reconciler["reconcile"],
  options: ControllerOptions = {},
  clock = new VirtualClock(),
  log: Logger = silentLogger,
) {
  const metrics = new OperatorMetrics(clock);
  const controller = new Controller({
    name: "web",
    reconciler: { reconcile },
    sources: [],
    sourceOf: noKinds,
    clock,
    log,
    metrics: metrics.controller("web", 1),
    scopes: new ReconcileScopes(clock),
    options,
  });
  const stop = new AbortController();
  const running = controller.start(stop.signal);
  const total = async (name: string): Promise<number> => {
    const metric = await metrics.registry.getSingleMetric(name)?.get();
    return metric?.values.reduce((sum, { value }) => sum + value, 0) ?? 0;
  };
  return { clock, controller, stop, running, total };
}

const KEY: ObjectKey = { namespace: "crew", name: "kirk" };

describe("Controller", () => {
  it("tries a failed key again, later each time, and says how often it failed", async () => {
    const failures: number[] = [];
    const { clock, controller, stop, running, total } = build(async (_, context) => {
      failures.push(context.failures);
      if (failures.length < 4) throw new Error("not yet");
    });
    controller.enqueue(KEY);
    await clock.advance(5 + 10 + 20);
    expect(failures).toEqual([0, 1, 2, 3]);
    expect(await total("controller_runtime_reconcile_errors_total")).toBe(3);
    controller.enqueue(KEY);
    await clock.advance(0);
    expect(failures.at(-1)).toBe(0);
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  });

  it("reports a subresource that is missing, which a server answers as it does a missing object", async () => {
    const lines: string[] = [];
    const child = (): Logger => log;
    const log: Logger = {
      ...silentLogger,
      child,
      info: (first: object | string, message?: string) =>
        void lines.push(`info ${message ?? JSON.stringify(first)}`),
      error: (_: object | string, message?: string) => void lines.push(`error ${message ?? ""}`),
    };
    const missing = failure(404, "NotFound", 'webs "kirk" not found', { name: "kirk" });
    const { clock, controller, stop, running } = build(
      async () => {
        throw missing;
      },
      {},
      new VirtualClock(),
      log,
    );
    controller.enqueue(KEY);
    await clock.advance(5 + 10 + 20 + 40 + 80);
    stop.abort();
    await running;
    expect(lines.filter((line) => line.startsWith('info "trying again'))).toHaveLength(5);
    expect(lines.filter((line) => line.startsWith("error"))).toEqual([
      expect.stringContaining('webs "kirk" not found, although the object exists'),
    ]);
  });

  it("leaves the event loop its turn while thousands of keys come whose reconciles wait for nothing", async () => {
    // Time goes by as it is looked at.
    class WorkingClock extends VirtualClock {
      #lookedAt = 0;
      override monotonicMs(): number {
        return (this.#lookedAt += 0.1);
      }
    }
    const clock = new WorkingClock();
    let done = 0;
    const reconcile = (): Promise<void> => {
      done++;
      return Promise.resolve();
    };
    const { controller, stop, running } = build(reconcile, {}, clock);
    for (let index = 0; index < 5000; index++) controller.enqueue({ name: `web-${index}` });
    await settlePromises();
    expect(done).toBeLessThan(2000);
    while (done < 5000) await settlePromises();
    stop.abort();
    await running;
  });

  it("says why it runs", async () => {
    const seen: (readonly string[])[] = [];
    const { clock, controller, stop, running } = build(async (_, { causes }) => {
      seen.push(causes);
      if (seen.length === 1) throw new Error("not yet");
      return seen.length === 2 ? { requeueAfterMs: 50 } : undefined;
    });
    controller.enqueue(KEY, { cause: "update of Web crew/kirk" });
    controller.enqueue(KEY, { cause: "delete of Pod crew/kirk-1" });
    await clock.advance(1000);
    expect(seen).toEqual([
      ["update of Web crew/kirk", "delete of Pod crew/kirk-1"],
      ["retry 1 after: not yet"],
      ["asked for after 50ms"],
    ]);
    stop.abort();
    await running;
  });

  it("names a retry as the cause once its wait is over, and not for an event before that", async () => {
    const seen: (readonly string[])[] = [];
    const { clock, controller, stop, running } = build(
      async (_, { causes }) => {
        seen.push([`${clock.monotonicMs() - startMs} ms`, ...causes]);
        if (seen.length === 1) throw new Error("not yet");
      },
      { rateLimiter: new ItemExponentialFailureRateLimiter(1000, 8000) },
    );
    const startMs = clock.monotonicMs();
    controller.enqueue(KEY, { cause: "create of Web crew/kirk" });
    await clock.advance(400);
    controller.enqueue(KEY, { cause: "update of Web crew/kirk" });
    await clock.advance(10_000);
    expect(seen).toEqual([
      ["0 ms", "create of Web crew/kirk"],
      ["400 ms", "update of Web crew/kirk"],
      ["1000 ms", "retry 1 after: not yet"],
    ]);
    stop.abort();
    await running;
  });

  it("takes a reconcile that ends because the process does for no failure", async () => {
    const { clock, controller, stop, running, total } = build(async (_, { signal }) => {
      await clock.sleep(10_000, signal);
    });
    controller.enqueue(KEY);
    await clock.advance(10);
    stop.abort(new Error("received SIGTERM"));
    await running;
    expect(await total("controller_runtime_reconcile_errors_total")).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it("runs once for an event that concerns its object twice, failing or not, and never without a cause", async () => {
    const seen: (readonly string[])[] = [];
    const { clock, controller, stop, running } = build(
      async (_, { causes }) => {
        seen.push(causes);
        await clock.sleep(10);
        throw new Error("the schedule is invalid");
      },
      { rateLimiter: new ItemExponentialFailureRateLimiter(200_000, 200_000) },
    );
    for (let minute = 1; minute <= 3; minute++) {
      await clock.advance(60_000);
      // Its owner is that of both states of an update, and the worker is idle.
      const cause = `update of CronJob crew/kirk-${minute}`;
      controller.enqueue(KEY, { cause });
      controller.enqueue(KEY, { cause });
    }
    await clock.advance(1000);
    expect(seen).toEqual([1, 2, 3].map((minute) => [`update of CronJob crew/kirk-${minute}`]));
    stop.abort();
    await running;
  });

  it("names the earlier of two retries that wait, as the queue keeps its time", async () => {
    const seen: (readonly string[])[] = [];
    const { clock, controller, stop, running } = build(
      async (_, { causes }) => {
        seen.push([`${clock.monotonicMs() - startMs} ms`, ...causes]);
        if (seen.length <= 2) throw new Error(`failure ${seen.length}`);
      },
      { rateLimiter: new ItemExponentialFailureRateLimiter(1000, 8000) },
    );
    const startMs = clock.monotonicMs();
    controller.enqueue(KEY, { cause: "create of Web crew/kirk" });
    await clock.advance(400);
    controller.enqueue(KEY, { cause: "update of Web crew/kirk" });
    await clock.advance(20_000);
    expect(seen).toEqual([
      ["0 ms", "create of Web crew/kirk"],
      ["400 ms", "update of Web crew/kirk"],
      ["1000 ms", "retry 1 after: failure 1"],
    ]);
    stop.abort();
    await running;
  });

  it("runs for the time that it asked for when that has come, and before for other causes alone", async () => {
    const seen: (readonly string[])[] = [];
    const { clock, controller, stop, running } = build((_, { causes }) => {
      seen.push(causes);
      const asks = [24_851_665, 60_000_000, undefined];
      const requeueAfterMs = asks[seen.length - 1];
      return Promise.resolve(requeueAfterMs === undefined ? undefined : { requeueAfterMs });
    });
    for (const cause of ["create of Web crew/kirk", "update of Web crew/kirk"]) {
      controller.enqueue(KEY, { cause });
      await clock.advance(1000);
    }
    await clock.advance(100_000_000);
    expect(seen).toEqual([
      ["create of Web crew/kirk"],
      ["update of Web crew/kirk"],
      // The earlier one of both holds, as in the queue.
      ["asked for after 6h54m11.665s"],
    ]);
    stop.abort();
    await running;
  });

  it("measures the work that is under way", async () => {
    const { clock, controller, stop, running, total } = build(async (_, { signal }) => {
      await clock.sleep(60_000, signal).catch(() => undefined);
    });
    controller.enqueue(KEY);
    await clock.advance(12_000);
    expect(await total("workqueue_unfinished_work_seconds")).toBe(12);
    expect(await total("workqueue_longest_running_processor_seconds")).toBe(12);
    stop.abort();
    await running;
  });

  it("gives up on a TerminalError until something happens", async () => {
    let runs = 0;
    const { clock, controller, stop, running, total } = build(async () => {
      runs += 1;
      throw new TerminalError("the spec makes no sense");
    });
    controller.enqueue(KEY);
    await clock.advance(3_600_000);
    expect(runs).toBe(1);
    expect(await total("controller_runtime_terminal_reconcile_errors_total")).toBe(1);
    stop.abort();
    await running;
  });

  it("looks again after requeueAfterMs, with the failures forgotten", async () => {
    let runs = 0;
    const { clock, controller, stop, running } = build(async ({ key }) => {
      expect(key).toEqual(KEY);
      runs += 1;
      return { requeueAfterMs: 60_000 };
    });
    controller.enqueue(KEY);
    await clock.advance(59_999);
    expect(runs).toBe(1);
    await clock.advance(1);
    expect(runs).toBe(2);
    stop.abort();
    await running;
  });

  it("survives a reconciler that throws before it returns a promise, or throws nothing at all", async () => {
    let runs = 0;
    const { clock, controller, stop, running, total } = build(() => {
      runs += 1;
      // oxlint-disable-next-line typescript/only-throw-error
      if (runs === 1) throw undefined;
      return Promise.resolve();
    });
    controller.enqueue(KEY);
    await clock.advance(5);
    expect(runs).toBe(2);
    expect(await total("controller_runtime_reconcile_panics_total")).toBe(1);
    stop.abort();
    await running;
  });

  it("aborts the signal of a reconcile that takes too long", async () => {
    let runs = 0;
    const { clock, controller, stop, running, total } = build(
      async (_, { signal }) => {
        runs += 1;
        if (runs > 1) return;
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reject(signal.reason as Error);
          });
        });
      },
      { reconcileTimeoutMs: 1000 },
    );
    controller.enqueue(KEY);
    await clock.advance(1005);
    expect(runs).toBe(2);
    expect(await total("controller_runtime_reconcile_timeouts_total")).toBe(1);
    stop.abort();
    await running;
  });

  it("works on many keys at a time, never twice on one", async () => {
    const active = new Map<string, number>();
    let most = 0;
    const { clock, controller, stop, running } = build(
      async ({ key }) => {
        const now = (active.get(key.name) ?? 0) + 1;
        active.set(key.name, now);
        expect(now).toBe(1);
        most = Math.max(most, [...active.values()].filter((count) => count > 0).length);
        await clock.sleep(10);
        active.set(key.name, 0);
      },
      { maxConcurrentReconciles: 4 },
    );
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 10; index++) controller.enqueue({ name: `k${index}` });
      await clock.advance(5);
    }
    await clock.advance(1000);
    expect(most).toBe(4);
    stop.abort();
    await running;
  });

  it("ends when a source fails, with the reason", async () => {
    // oxlint-disable-next-line require-yield
    async function* broken(): AsyncGenerator<ObjectKey> {
      throw new Error("the queue is gone");
    }
    const clock = new VirtualClock();
    const controller = new Controller({
      name: "web",
      reconciler: { reconcile: () => Promise.resolve() },
      sourceOf: noKinds,
      sources: [channelSource(broken())],
      clock,
      log: silentLogger,
      metrics: new OperatorMetrics(clock).controller("web", 1),
      scopes: new ReconcileScopes(clock),
      options: {},
    });
    await expect(controller.start(new AbortController().signal)).rejects.toMatchObject({
      code: "source-failed",
      message: expect.stringContaining("the queue is gone"),
    });
  });
});

describe("enqueueOwner", () => {
  it("tells the owners of both sides of an update, of any version, in the object's namespace", () => {
    const web = { group: "g.io", version: "v1", kind: "Web", plural: "webs", namespaced: true };
    const owned = (name: string, controller: boolean) =>
      asRead({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: {
          namespace: "crew",
          ownerReferences: [
            { apiVersion: "g.io/v1beta1", kind: "Web", name, uid: name, controller },
          ],
        },
      });
    const keys: ObjectKey[] = [];
    const update = { type: "update", old: owned("a", true), object: owned("b", false) } as const;
    void enqueueOwner(web)(update, (key) => keys.push(key));
    expect(keys).toEqual([{ namespace: "crew", name: "a" }]);
    void enqueueOwner(web, true)(update, (key) => keys.push(key));
    expect(keys.slice(1).map(({ name }) => name)).toEqual(["a", "b"]);
  });
});

describe("predicates", () => {
  const object = (generation: number) =>
    asRead({
      apiVersion: "v1",
      kind: "Web",
      metadata: { name: "a", generation, labels: { tier: "web" } },
    });

  it("look at updates only, and can be combined", () => {
    const same = { type: "update", old: object(1), object: object(1) } as const;
    const other = { type: "update", old: object(1), object: object(2) } as const;
    const created = { type: "create", object: object(1), initial: true } as const;
    const { and, or, not, on, generationChanged, hasLabels } = predicates;
    expect([same, other, created].map(generationChanged())).toEqual([false, true, true]);
    expect([same, created].map(or(generationChanged(), hasLabels({ tier: "web" })))).toEqual([
      true,
      true,
    ]);
    expect([other, created].map(and(generationChanged(), not(on("create"))))).toEqual([
      true,
      false,
    ]);
  });
});
