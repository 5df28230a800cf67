import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { TerminalError } from "../../../src/errors.ts";
import { silentLogger, type Logger } from "../../../src/log.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { StatusCondition } from "../../../src/kube/progress/conditions.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import { CustomResource, Resource } from "../../../src/markers/resource.ts";
import type { ControllerBuilder } from "../../../src/runtime/builder/builder.ts";
import { controllerFor } from "../../../src/runtime/builder/builder.ts";
import { predicates } from "../../../src/runtime/controller/sources/predicates.ts";
import type {
  CleanupContext,
  Outcome,
  Reconciler,
} from "../../../src/runtime/controller/reconciler.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import { MemoryApi } from "../support/memory-api.ts";

interface WidgetStatus {
  conditions?: StatusCondition[];
}

@Resource({ group: "example.com", version: "v1" })
class Widget extends CustomResource<{ size?: number }, WidgetStatus> {}

const WIDGETS = "/apis/example.com/v1/widgets";
const PATH = "/apis/example.com/v1/namespaces/d/widgets/one";
const EVENTS = "/api/v1/events";
const FINALIZER = "example.com/widget";
const CONFIG_MAP: ResourceType = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};

const widget = (metadata: Partial<KubeObject["metadata"]> = {}, status?: WidgetStatus) =>
  ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { namespace: "d", name: "one", generation: 1, ...metadata },
    spec: {},
    ...(status ? { status } : {}),
  }) as KubeObject;

/** What a test's reconciler does; everything is noted in `calls`. */
interface Steps {
  reconcile?: (object: Widget | undefined) => Outcome;
  cleanup?: (object: Widget, context: CleanupContext) => Outcome;
  onError?: (object: Widget, error: Error) => Promise<void> | void;
}

async function start(
  steps: Steps,
  build: (builder: ControllerBuilder<Widget>) => ControllerBuilder<Widget> = (same) => same,
  { log = silentLogger, before }: { log?: Logger; before?: (api: MemoryApi) => void } = {},
) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  before?.(api);
  const manager = createManager({ clock, transport: api, log });
  const calls: string[] = [];
  const reconciler: Reconciler<Widget> = {
    async reconcile({ key }) {
      const object = await manager.client.find(Widget, key);
      calls.push(`reconcile ${object?.metadata.finalizers?.join(",") ?? "-"}`);
      return steps.reconcile?.(object);
    },
  };
  const { cleanup, onError } = steps;
  if (cleanup) {
    reconciler.cleanup = (object, context) => {
      calls.push("cleanup");
      return Promise.resolve().then(() => cleanup(object, context));
    };
  }
  if (onError) {
    reconciler.onError = async (object, error) => {
      calls.push(`onError ${error.message}`);
      await onError(object, error);
    };
  }
  build(controllerFor(manager).for(Widget)).complete(reconciler);
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clock.advance(100);
  return {
    clock,
    api,
    calls,
    manager,
    finalizers: () => api.objects(WIDGETS)[0]?.metadata.finalizers,
    events: () =>
      api.objects(EVENTS).map((event) => (event as KubeObject & { reason: string }).reason),
    delete: async () => {
      await manager.client.live.delete(Widget, { namespace: "d", name: "one" });
      await clock.advance(100);
    },
    counted: async (name: string) => {
      const metric = await manager.metrics.registry.getSingleMetric(name)?.get();
      return metric?.values.reduce((sum, { value }) => sum + value, 0);
    },
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
    },
  };
}

describe("a reconciler with a cleanup", () => {
  it("has its finalizer before the first reconcile, and loses it after a cleanup that is done", async () => {
    const { api, calls, finalizers, clock, delete: remove, end } = await start({ cleanup() {} });
    api.put(PATH, widget({ finalizers: ["other.example.com/first"] }));
    await clock.advance(100);
    expect(calls[0]).toBe(`reconcile other.example.com/first,${FINALIZER}`);
    expect(calls).not.toContain("cleanup");
    await remove();
    expect(calls.filter((call) => call === "cleanup")).toEqual(["cleanup"]);
    // What others wait for is theirs to remove.
    expect(finalizers()).toEqual(["other.example.com/first"]);
    await clock.advance(60_000);
    expect(calls.filter((call) => call === "cleanup")).toEqual(["cleanup"]);
    await end();
  });

  it("keeps its finalizer while the cleanup asks to be called again, with any number of ms", async () => {
    const answers: Outcome[] = [{ requeueAfterMs: 1000 }, { requeueAfterMs: 0 }, { priority: 3 }];
    const {
      api,
      calls,
      finalizers,
      clock,
      delete: remove,
      end,
    } = await start({
      cleanup: () => answers.shift(),
    });
    api.put(PATH, widget());
    await clock.advance(100);
    await remove();
    expect(finalizers()).toEqual([FINALIZER]);
    await clock.advance(1000);
    expect(finalizers()).toBeUndefined();
    expect(calls.filter((call) => call === "cleanup")).toHaveLength(3);
    await end();
  });

  it("is not reconciled while it is being deleted, whoever else holds it", async () => {
    const { calls, end } = await start({ cleanup() {} }, undefined, {
      before: (api) => {
        api.put(
          PATH,
          widget({ deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["other/x"] }),
        );
      },
    });
    expect(calls).toEqual([]);
    await end();
  });

  it.each([
    ["an error", () => new Error("the bucket is busy")],
    ["a TerminalError", () => new TerminalError("the bucket is busy")],
  ])("keeps its finalizer and tries again after %s", async (_, failure) => {
    let failures = 3;
    const {
      api,
      calls,
      finalizers,
      clock,
      delete: remove,
      end,
    } = await start({
      cleanup: () => {
        if (failures-- > 0) throw failure();
      },
    });
    api.put(PATH, widget());
    await clock.advance(100);
    await remove();
    await clock.advance(10_000);
    expect(calls.filter((call) => call === "cleanup")).toHaveLength(4);
    expect(finalizers()).toBeUndefined();
    await end();
  });

  it("keeps its finalizer when the cleanup asks for a time that is none", async () => {
    let answer: Outcome = { requeueAfterMs: NaN };
    const { api, finalizers, clock, delete: remove, end } = await start({ cleanup: () => answer });
    api.put(PATH, widget());
    await clock.advance(100);
    await remove();
    expect(finalizers()).toEqual([FINALIZER]);
    answer = undefined;
    await clock.advance(10_000);
    expect(finalizers()).toBeUndefined();
    await end();
  });

  it("removes its finalizer once, however often others write to the object meanwhile", async () => {
    const later: { api?: MemoryApi } = {};
    const started = await start({
      cleanup: (object) => {
        const known = later.api?.objects(WIDGETS)[0];
        if (known)
          later.api?.put(PATH, { ...known, metadata: { ...known.metadata, labels: { a: "b" } } });
        expect(object.metadata.labels).toBeUndefined();
      },
    });
    later.api = started.api;
    started.api.put(PATH, widget());
    await started.clock.advance(100);
    await started.delete();
    expect(started.calls.filter((call) => call === "cleanup")).toHaveLength(1);
    expect(started.api.objects(WIDGETS)).toEqual([]);
    await started.end();
  });

  it("adds no finalizer to an object that a late cache shows as it was before its deletion", async () => {
    const { api, calls, clock, delete: remove, end } = await start({ cleanup() {} });
    api.put(PATH, widget());
    await clock.advance(100);
    api.watchDelayMs = 5000;
    await remove();
    // It comes again under its name while the watch still shows the first one.
    api.put(PATH, widget({ labels: { again: "yes" } }));
    await clock.advance(20_000);
    const [again] = api.objects(WIDGETS);
    expect(again?.metadata).toMatchObject({ labels: { again: "yes" }, finalizers: [FINALIZER] });
    expect(calls.filter((call) => call === "cleanup")).toHaveLength(1);
    await end();
  });

  it("leaves the finalizer of another object of its name alone", async () => {
    const later: { api?: MemoryApi } = {};
    const started = await start({
      cleanup: () => {
        // Somebody removed the finalizer by force, and made the object anew.
        later.api?.remove(PATH);
        later.api?.put(PATH, widget({ finalizers: [FINALIZER] }));
      },
    });
    later.api = started.api;
    started.api.put(PATH, widget());
    await started.clock.advance(100);
    await started.delete();
    await started.clock.advance(1000);
    expect(started.finalizers()).toEqual([FINALIZER]);
    await started.end();
  });

  it("is told since when and until when, and people are told once when that is over", async () => {
    const seen: { deletedAtMs: number; deadlineMs: number; nowMs: number }[] = [];
    const {
      api,
      clock,
      events,
      counted,
      finalizers,
      delete: remove,
      end,
    } = await start(
      {
        cleanup: (_, { deletedAtMs, deadlineMs, nowMs }) => {
          seen.push({ deletedAtMs, deadlineMs, nowMs });
          return { requeueAfterMs: 3_600_000 };
        },
      },
      (builder) => builder.withOptions({ cleanupTimeoutMs: 60_000 }),
    );
    api.put(PATH, widget());
    await clock.advance(100);
    const atMs = clock.now();
    await remove();
    expect(seen).toEqual([{ deletedAtMs: atMs, deadlineMs: atMs + 60_000, nowMs: atMs }]);
    expect(events()).toEqual([]);
    // It is looked at when the time is over, whatever the cleanup asked for.
    await clock.advance(60_000);
    expect(events()).toEqual(["CleanupOverdue"]);
    await clock.advance(2 * 3_600_000);
    expect(seen.length).toBeGreaterThan(2);
    expect(await counted("tsop_cleanups_overdue_total")).toBe(1);
    expect(finalizers()).toEqual([FINALIZER]);
    await end();
  });

  it("hears of the deletion also where predicates hold such events back", async () => {
    const {
      api,
      calls,
      clock,
      finalizers,
      delete: remove,
      end,
    } = await start({ cleanup() {} }, (builder) =>
      builder.withEventFilter(predicates.generationChanged()),
    );
    api.put(PATH, widget());
    await clock.advance(100);
    await remove();
    expect(calls).toContain("cleanup");
    expect(finalizers()).toBeUndefined();
    await end();
  });

  it("cleans up what another process began to delete, also when it has no labels of its selection any more", async () => {
    const { calls, end } = await start(
      { cleanup() {} },
      (builder) => builder.withEventFilter(predicates.hasLabels({ mine: "yes" })),
      {
        before: (api) => {
          api.put(
            PATH,
            widget({ deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [FINALIZER] }),
          );
        },
      },
    );
    expect(calls).toEqual(["cleanup"]);
    await end();
  });
});

describe("a reconciler whose cleanup was taken out of the program", () => {
  it("leaves the finalizer, and tells once that nobody removes it", async () => {
    const told: unknown[] = [];
    const log: Logger = {
      ...silentLogger,
      error: (_: unknown, message?: string) => told.push(message),
      child: () => log,
    };
    const { clock, events, finalizers, end } = await start({}, undefined, {
      log,
      before: (api) => {
        api.put(
          PATH,
          widget({ deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [FINALIZER] }),
        );
      },
    });
    await clock.advance(1000);
    expect(finalizers()).toEqual([FINALIZER]);
    expect(events()).toEqual(["CleanupMissing"]);
    expect(told).toEqual([
      `It waits for the finalizer ${FINALIZER}, which an earlier version of this operator added; this one has no cleanup.`,
    ]);
    await end();
  });
});

describe("onError", () => {
  it("gets the object and the error before each retry, and its own write makes no retry earlier", async () => {
    const { api, calls, clock, manager, end } = await start({
      reconcile: () => {
        throw new Error("the disk is full");
      },
      onError: async (object) => {
        await manager.client.status.patch(object, {
          conditions: [{ ...condition("Ready", "False"), message: `at ${clock.now()}` }],
        });
      },
    });
    api.watchDelayMs = 2;
    api.put(PATH, widget());
    await clock.advance(2000);
    const failures = calls.filter((call) => call.startsWith("onError"));
    expect(failures[0]).toBe("onError the disk is full");
    // 5 ms doubled: nine tries in 2 s, and not one for each write besides.
    expect(failures.length).toBeLessThan(10);
    const { status } = api.objects(WIDGETS)[0] as KubeObject & { status: WidgetStatus };
    expect(status.conditions?.[0]?.status).toBe("False");
    await end();
  });

  it("never replaces the error, and is logged when it fails itself", async () => {
    const told: string[] = [];
    const log: Logger = {
      ...silentLogger,
      error: (_: unknown, message?: string) => told.push(message ?? ""),
      child: () => log,
    };
    let failures = 2;
    const { api, calls, clock, end } = await start(
      {
        reconcile: () => {
          if (failures-- > 0) throw new Error("the disk is full");
        },
        onError: () => {
          throw new Error("the status is full, too");
        },
      },
      undefined,
      { log },
    );
    api.put(PATH, widget());
    await clock.advance(1000);
    expect(calls.filter((call) => call.startsWith("reconcile"))).toHaveLength(3);
    expect(told).toContain("onError failed: the status is full, too");
    expect(told.some((line) => line.includes("the disk is full"))).toBe(true);
    await end();
  });

  it("is called for a cleanup that fails, and not for a conflict or an object that is gone", async () => {
    const {
      api,
      calls,
      clock,
      manager,
      delete: remove,
      end,
    } = await start({
      reconcile: (object) => {
        if (!object) throw new Error("it is gone");
      },
      cleanup: () => {
        throw new Error("the bucket is busy");
      },
      onError: () => undefined,
    });
    api.put(PATH, widget());
    await clock.advance(100);
    await remove();
    expect(calls).toContain("onError the bucket is busy");
    api.remove(PATH);
    await clock.advance(1000);
    expect(calls).not.toContain("onError it is gone");
    expect(await manager.client.find(Widget, { namespace: "d", name: "one" })).toBeUndefined();
    await end();
  });
});

const condition = (type: string, status: "True" | "False"): StatusCondition => ({
  type,
  status,
  reason: "Because",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
});
const paused = { "tsop.dev/paused": "true" };
const conditionsIn = (api: MemoryApi): Record<string, string> => {
  const [object] = api.objects(WIDGETS) as (KubeObject & { status?: WidgetStatus })[];
  return Object.fromEntries(
    (object?.status?.conditions ?? []).map(({ type, status }) => [type, status]),
  );
};

describe("an object with the annotation tsop.dev/paused", () => {
  it("is left alone until that is gone, and says so among its conditions", async () => {
    const { api, calls, clock, finalizers, end } = await start({ cleanup() {} }, (builder) =>
      builder.withEventFilter(predicates.generationChanged()),
    );
    const status = { conditions: [condition("Ready", "True")] };
    api.put(PATH, widget({ annotations: paused }, status));
    await clock.advance(100);
    expect(calls).toEqual([]);
    expect(finalizers()).toBeUndefined();
    expect(conditionsIn(api)).toEqual({ Ready: "True", Paused: "True" });
    const [known] = api.objects(WIDGETS);
    api.put(PATH, { ...known!, metadata: { ...known!.metadata, annotations: {} } });
    await clock.advance(100);
    expect(calls[0]).toBe(`reconcile ${FINALIZER}`);
    expect(conditionsIn(api)).toEqual({ Ready: "True", Paused: "False" });
    await end();
  });

  it("is not cleaned up while it is being deleted", async () => {
    const { api, calls, clock, delete: remove, end } = await start({ cleanup() {} });
    api.put(PATH, widget());
    await clock.advance(100);
    const [known] = api.objects(WIDGETS);
    api.put(PATH, { ...known!, metadata: { ...known!.metadata, annotations: paused } });
    await remove();
    expect(calls).not.toContain("cleanup");
    expect(conditionsIn(api)).toEqual({});
    await end();
  });

  it.each(["false", "", "True", "yes"])(
    "is reconciled as ever with the value %j",
    async (value) => {
      const { api, calls, clock, end } = await start({});
      api.put(PATH, widget({ annotations: { "tsop.dev/paused": value } }));
      await clock.advance(100);
      expect(calls).toHaveLength(1);
      await end();
    },
  );
});

describe("mistakes by which a hook would never be called", () => {
  const manager = () =>
    createManager({ transport: new MemoryApi(new VirtualClock()), log: silentLogger });
  const done = { reconcile: () => Promise.resolve() };

  it.each(["cleanUp", "Cleanup", "onerror", "OnError"])(
    "a method that is called %s is refused when the controller is built",
    (name) => {
      class Base implements Reconciler {
        reconcile = () => Promise.resolve();
      }
      Object.defineProperty(Base.prototype, name, { value: () => Promise.resolve() });
      const builder = controllerFor(manager()).for(Widget);
      expect(() => builder.complete(new Base())).toThrow(`${name}(), which is never called`);
    },
  );

  it("a cleanup without for() is refused", () => {
    const builder = controllerFor(manager())
      .named("x")
      .watches(CONFIG_MAP, { map: () => [] });
    expect(() => builder.complete({ ...done, cleanup: () => Promise.resolve() })).toThrow(
      "but for() was not called",
    );
  });

  it("a cleanup of a kind of others needs a finalizer of its own, in a domain", () => {
    const cleanup = () => Promise.resolve();
    const build = (finalizer?: string) =>
      controllerFor(manager())
        .for(CONFIG_MAP)
        .withOptions(finalizer === undefined ? {} : { finalizer })
        .complete({ ...done, cleanup });
    expect(() => build()).toThrow("ConfigMap is not a kind of this program");
    expect(() => build("cleanup")).toThrow(
      "ConfigMap is built into Kubernetes, which refuses a finalizer without a domain",
    );
    expect(() => build("example.com/no spaces")).toThrow("is not valid");
    expect(build("example.com/web").name).toBe("configmap");
  });

  it("a cleanup of a custom resource may have a finalizer without a domain, as published operators have", () => {
    const cleanup = () => Promise.resolve();
    const builder = controllerFor(manager())
      .for(Widget)
      .withOptions({ finalizer: "widget-cleanup" });
    expect(builder.complete({ ...done, cleanup }).name).toBe("widget");
  });

  it("a cleanup for another kind does not compile", () => {
    class ForWidgets implements Reconciler<Widget> {
      reconcile = () => Promise.resolve();
      cleanup({ spec }: Widget): Promise<void> {
        expect(spec.size).toBeDefined();
        return Promise.resolve();
      }
    }
    interface Other extends KubeObject {
      data: { text: string };
    }
    const OTHER: ResourceType<Other> = CONFIG_MAP as ResourceType<Other>;
    const builder = controllerFor(manager()).for(OTHER).withOptions({ finalizer: "example.com/x" });
    // @ts-expect-error a Widget's cleanup gets no Other
    expect(builder.complete(new ForWidgets()).name).toBe("configmap");
  });
});
