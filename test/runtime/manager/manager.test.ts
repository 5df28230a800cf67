import { describe, expect, it, vi } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import { Pod as PODS } from "../../../src/k8s.ts";
import { controllerFor } from "../../../src/runtime/builder/builder.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import type { Manager } from "../../../src/runtime/manager/manager.ts";
import { setupSignalHandler } from "../../../src/runtime/manager/signals.ts";
import { ScriptedTransport } from "../../../src/runtime/transport/scripted-transport.ts";

function build() {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport(clock, []);
  return { clock, manager: createManager({ clock, transport, log: silentLogger }) };
}

describe("a manager", () => {
  it("ends those that need no leader first, and waits for each", async () => {
    const { clock, manager } = build();
    const order: string[] = [];
    const runnable = (name: string, needLeaderElection: boolean) => ({
      name,
      needLeaderElection,
      start: async (signal: AbortSignal) => {
        await clock.sleep(2 ** 40, signal).catch(() => undefined);
        await clock.sleep(100);
        order.push(name);
      },
    });
    manager.add(runnable("controller", true));
    manager.add(runnable("server", false));
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await clock.advance(10);
    stop.abort();
    await clock.advance(1000);
    await running;
    expect(order).toEqual(["server", "controller"]);
    expect(clock.pending).toBe(0);
  });

  it("says so when something does not end in time", async () => {
    const { clock, manager } = build();
    manager.add({ start: () => new Promise(() => undefined) });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    const ended = expect(running).rejects.toMatchObject({ code: "shutdown-timeout" });
    await clock.advance(10);
    stop.abort();
    await clock.advance(30_000);
    await ended;
  });

  it("ends with the failure of a part, and starts once only", async () => {
    const { clock, manager } = build();
    manager.add({ start: () => Promise.reject(new Error("no disk")) });
    const running = expect(manager.start(new AbortController().signal)).rejects.toThrow("no disk");
    await clock.advance(10);
    await running;
    await expect(manager.start(new AbortController().signal)).rejects.toMatchObject({
      code: "manager-started",
    });
  });

  it("does not start while a controller was begun that nobody completed, and names it", async () => {
    const { clock, manager } = build();
    controllerFor(manager).for(PODS);
    const named = controllerFor(manager).named("second").for(PODS);
    const { signal } = new AbortController();
    await expect(manager.start(signal)).rejects.toMatchObject({
      code: "controller-incomplete",
      message: expect.stringContaining('for(Pod), named("second")') as string,
    });
    named.complete({ reconcile: () => Promise.resolve() });
    await expect(manager.start(signal)).rejects.toThrow(
      /The controller for\(Pod\) was started with controllerFor/,
    );
    expect(clock.pending).toBe(0);
  });

  it("builds no controller for what is no manager of this package", () => {
    const { manager } = build();
    const other = { name: manager.name, client: manager.client, cache: manager.cache };
    expect(() => controllerFor(other as Manager)).toThrow(
      "its manager was not created by createManager()",
    );
  });

  it("has methods that may be taken from it", () => {
    // oxlint-disable-next-line typescript/unbound-method -- that it is safe is what is tested
    const { add, addHealthCheck, addReadyCheck, recorder } = build().manager;
    add({ start: () => Promise.resolve() });
    addHealthCheck("one", () => undefined);
    addReadyCheck("two", () => undefined);
    expect(Object.keys(recorder("web"))).toEqual(["event"]);
  });

  it("refuses two parts of one name", () => {
    const { manager } = build();
    const start = () => Promise.resolve();
    manager.add({ name: "web", start });
    expect(() => {
      manager.add({ name: "web", start });
    }).toThrow(expect.objectContaining({ code: "controller-exists" }));
  });
});

describe("setupSignalHandler", () => {
  it("aborts on the first signal, and leaves the second one to the system", () => {
    const before = process.listenerCount("SIGTERM");
    const signal = setupSignalHandler();
    process.emit("SIGTERM");
    expect(signal.aborted).toBe(true);
    expect(process.listenerCount("SIGTERM")).toBe(before);
  });

  it("ends the first process of a container on the second signal, which the kernel would ignore", () => {
    vi.spyOn(process, "pid", "get").mockReturnValue(1);
    const exit = vi.spyOn(process, "exit").mockImplementation((code) => {
      throw new Error(`exit ${code}`);
    });
    try {
      setupSignalHandler();
      process.emit("SIGTERM");
      expect(exit).not.toHaveBeenCalled();
      expect(() => process.emit("SIGINT")).toThrow("exit 130");
      expect(() => process.emit("SIGTERM")).toThrow("exit 143");
    } finally {
      vi.restoreAllMocks();
    }
  });
});
