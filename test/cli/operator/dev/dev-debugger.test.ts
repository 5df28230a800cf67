/** `tsop dev --inspect-brk`: each operator waits for a debugger, also the one of the next save. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { Debugger } from "../../../support/debugger.ts";
import { exampleOnSources } from "../../../support/example.ts";
import { runCli } from "../../support/run-cli.ts";

interface Paused {
  readonly callFrames: readonly { readonly location: { readonly scriptId: string } }[];
}

interface Script {
  readonly scriptId: string;
  readonly url: string;
}

/** What was told of each event of a name. */
const paramsOf = <T>({ events }: Debugger, name: string): T[] =>
  events.filter(({ method }) => method === name).map(({ params }) => params as T);

describe("tsop dev --inspect-brk", { timeout: 90_000 }, () => {
  it("stops each operator at its first line, and goes on from a save while it stands there", async () => {
    const example = exampleOnSources("myweb");
    onTestFinished(() => example.remove());
    const lines: string[] = [];
    const end = new AbortController();
    const args = ["dev", "--no-types", "--inspect-brk=127.0.0.1:0"];
    const running = runCli(example.folder, args, {
      signal: end.signal,
      onLine: (line) => lines.push(line),
    });
    const addresses = (): string[] =>
      lines.flatMap((line) => /listening on (ws:\S+)/.exec(line)?.[1] ?? []);
    const untilListening = (count: number): Promise<string> =>
      eventually(() => {
        const address = addresses()[count - 1];
        if (address === undefined) throw new Error(lines.join("\n"));
        return address;
      });

    await untilListening(1);
    const controller = join(example.folder, "src/controllers/myweb-controller.ts");
    writeFileSync(controller, `${readFileSync(controller, "utf8")}\n// saved\n`);
    const attached = await Debugger.attach(await untilListening(2));
    await attached.call("Debugger.enable");
    await attached.call("Runtime.runIfWaitingForDebugger");
    const scriptId = await eventually(() => {
      const [paused] = paramsOf<Paused>(attached, "Debugger.paused");
      if (!paused) throw new Error("not paused");
      return paused.callFrames[0]?.location.scriptId;
    });
    const scripts = paramsOf<Script>(attached, "Debugger.scriptParsed");
    expect(scripts.find((script) => script.scriptId === scriptId)?.url).toMatch(
      /\.tsop\/dev\/main\.mjs$/,
    );
    expect(lines.join("\n")).not.toContain("reloaded in");

    await attached.call("Debugger.resume");
    await eventually(() => expect(lines.join("\n")).toContain("reloaded in"));
    expect(addresses()).toHaveLength(2);
    attached.detach();
    end.abort();
    expect((await running).code).toBe(0);
  });
});
