/** `tsop replay` with a debugger attached, as an editor attaches. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { MyWeb } from "../../examples/myweb/src/api/v1/myweb.ts";
import { setUpMyWeb } from "../../examples/myweb/src/controllers/myweb-controller.ts";
import { createManager } from "../../src/index.ts";
import {
  clientFor,
  inProcess,
  installOperator,
  silentLogger,
  startControlPlane,
} from "../../src/testing.ts";
import { Debugger } from "../support/debugger.ts";
import { exampleOnSources } from "../support/example.ts";
import { runCli } from "./support/run-cli.ts";

/** A recording of the first reconcile of `shop`, and the folder that it is in. */
async function recorded(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tsop-replay-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = await startControlPlane({ listen: false, controllers: "off" });
  await installOperator(cluster, "examples/myweb/config");
  const manager = createManager({
    name: "myweb", // as its program says: it is in each write
    transport: inProcess(cluster),
    log: silentLogger,
    recordings: { folder, reconciles: "all" },
  });
  setUpMyWeb(manager);
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clientFor(cluster).create(MyWeb, {
    metadata: { namespace: "default", name: "shop" },
    spec: { pageContentHtml: "<h1>Hello</h1>" },
  });
  await eventually(() => expect(readdirSync(folder).length).toBeGreaterThan(0));
  stop.abort();
  await running;
  await cluster.stop();
  return join(folder, readdirSync(folder)[0] ?? "");
}

interface Paused {
  readonly callFrames: readonly { readonly callFrameId: string; readonly functionName: string }[];
  readonly hitBreakpoints?: readonly string[];
}

describe("tsop replay --inspect-brk", () => {
  it("waits for a debugger, stops at breakpoints in the reconcile, and says what came of it", async () => {
    const file = await recorded();
    const example = exampleOnSources("myweb");
    const { folder } = example;
    onTestFinished(() => example.remove());
    const lines: string[] = [];
    const replaying = runCli(folder, ["replay", file, "--inspect-brk=127.0.0.1:0"], {
      onLine: (line) => lines.push(line),
    });
    const address = await eventually(() => {
      const [, found] = /listening on (ws:\S+)/.exec(lines.join("\n")) ?? [];
      if (found === undefined) throw new Error(lines.join("\n"));
      return found;
    });
    const attached = await Debugger.attach(address);
    const pauses = (): Paused[] =>
      attached.events
        .filter(({ method }) => method === "Debugger.paused")
        .map(({ params }) => params as Paused);
    const untilPaused = (count: number): Promise<Paused> =>
      eventually(() => {
        const paused = pauses()[count - 1];
        if (!paused) throw new Error(`paused ${pauses().length} times`);
        return paused;
      });
    await attached.call("Runtime.enable");
    await attached.call("Debugger.enable");
    await attached.call("Runtime.runIfWaitingForDebugger");
    await untilPaused(1);

    // An editor finds the lines of the source by the map of the bundle.
    const bundle = readFileSync(join(folder, ".tsop/replay/main.mjs"), "utf8");
    const map = readFileSync(join(folder, ".tsop/replay/main.mjs.map"), "utf8");
    expect((JSON.parse(map) as { sources: string[] }).sources).toContain(
      "../../src/controllers/myweb-controller.ts",
    );
    const lineNumber = bundle
      .split("\n")
      .findIndex((line) => line.includes("configMapFor(web), {"));
    const urlRegex = "\\.tsop/replay/main\\.mjs$";
    const { breakpointId } = await attached.call("Debugger.setBreakpointByUrl", {
      lineNumber,
      urlRegex,
    });
    await attached.call("Debugger.resume");
    const { callFrames, hitBreakpoints } = await untilPaused(2);
    expect(hitBreakpoints).toEqual([breakpointId]);
    expect(callFrames[0]?.functionName).toBe("reconcile");
    const callFrameId = callFrames[0]?.callFrameId;
    const expression = "web.metadata.name";
    const { result } = await attached.call("Debugger.evaluateOnCallFrame", {
      callFrameId,
      expression,
    });
    expect(result).toMatchObject({ value: "shop" });
    await attached.call("Debugger.resume");
    await eventually(() =>
      expect(lines.join("\n")).toContain("Waiting for the debugger to disconnect"),
    );
    attached.detach();

    const { code, out } = await replaying;
    expect({ code, out }).toMatchObject({ code: 0 });
    expect(out).toMatch(/replay.* myweb of default\/shop, recorded/);
    expect(out).toMatch(/the same: \d+ writes, byte by byte/);
  });
});
