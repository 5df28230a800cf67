import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { tellUntilReached } from "../../src/cli/cluster/reachability.ts";
import { VirtualClock } from "../../src/clock.ts";
import { loadClusterConfig } from "../../src/runtime/kubeconfig/load-config.ts";
import { newProject, runCli, testContext } from "./support/run-cli.ts";

const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: here
contexts:
  - { name: here, context: { cluster: one, user: me } }
  - { name: there, context: { cluster: two, user: me } }
clusters:
  - { name: one, cluster: { server: "https://127.0.0.1:1" } }
  - { name: two, cluster: { server: "https://127.0.0.1:2" } }
users: [{ name: me, user: { token: secret } }]
`;

/** A project whose operator is this code, and a kubeconfig `kc` with two contexts. */
async function operatorOf(code: string): Promise<string> {
  const folder = await newProject();
  writeFileSync(join(folder, "src/main.ts"), code);
  writeFileSync(join(folder, "kc"), KUBECONFIG);
  return folder;
}

const WAITS = `
const timer = setInterval(() => undefined, 1000);
process.once("SIGTERM", () => { console.log("asked to end"); clearInterval(timer); });
console.log("started", process.env["KUBECONFIG"], ...process.argv.slice(2));
`;

describe("tsop run", () => {
  it("runs the operator with its arguments until it is interrupted, and lets it end", async () => {
    const folder = await operatorOf(WAITS);
    const stop = new AbortController();
    const argv = ["run", "--kubeconfig", "kc", "--", "--leader-elect"];
    const { code, out } = await runCli(folder, argv, {
      signal: stop.signal,
      onLine: (line) => {
        if (line.startsWith("started")) stop.abort();
      },
    });
    expect(code).toBe(0);
    expect(out.split("\n")).toEqual([
      "run shop at https://127.0.0.1:1",
      `started ${join(folder, "kc")} --leader-elect`,
      "asked to end",
    ]);
  });

  it("hands the chosen context to the operator by a file before the kubeconfig", async () => {
    const folder = await operatorOf(`console.log(process.env["KUBECONFIG"]);`);
    const { code, out } = await runCli(folder, ["run", "--kubeconfig", "kc", "--context", "there"]);
    expect([code, out]).toEqual([0, expect.stringContaining("https://127.0.0.1:2")]);
    const [first = "", second] = (out.split("\n")[1] ?? "").split(delimiter);
    expect(readFileSync(first, "utf8")).toContain("current-context: there");
    expect(second).toBe(join(folder, "kc"));
  });

  it("says that the operator ended by itself, with its last words before", async () => {
    const folder = await operatorOf(`throw new Error("no such thing");`);
    const { code, out, err } = await runCli(folder, ["run", "--kubeconfig", "kc"]);
    expect([code, err]).toEqual([1, expect.stringContaining("operator-ended")]);
    expect(out).toMatch(/src\/main\.ts:1\b[\s\S]*no such thing/);
  });

  it("shows where code cannot be bundled, and starts nothing", async () => {
    const folder = await operatorOf(`import { a } from "./not-there.ts";\nconsole.log(a);\n`);
    const { code, err } = await runCli(folder, ["run", "--kubeconfig", "kc"]);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("src/main.ts:1:19 error not-bundled:"),
    ]);
  });

  it("names the contexts' trouble before it bundles", async () => {
    const folder = await operatorOf(WAITS);
    const unknown = await runCli(folder, ["run", "--kubeconfig", "kc", "--context", "nowhere"]);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("nowhere")]);
    const missing = await runCli(folder, ["run", "--kubeconfig", "gone"]);
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("kubeconfig-missing")]);
  });

  it("gives an operator of one namespace that of the context, unless it has one", async () => {
    const folder = await operatorOf(`console.log("watches", process.env["WATCH_NAMESPACE"]);`);
    const project = join(folder, "PROJECT");
    const text = readFileSync(project, "utf8").replace(/^namespaced:.*\n/m, "");
    writeFileSync(project, `${text}namespaced: true\n`);
    const argv = ["run", "--kubeconfig", "kc"];
    const { out } = await runCli(folder, argv);
    expect(out.split("\n")).toEqual([
      "run shop at https://127.0.0.1:1, namespace default",
      "watches default",
    ]);
    const chosen = await runCli(folder, argv, { env: { WATCH_NAMESPACE: "crew" } });
    expect(chosen.out).toContain("watches crew");
  });

  it("says what it waits for, and for how long, while the server cannot be reached", async () => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    const context = { ...testContext(), clock, out: (line: string) => lines.push(line) };
    const config = loadClusterConfig({ kubeconfigText: KUBECONFIG, environment: {} });
    const stop = new AbortController();
    const told = tellUntilReached(config, context, stop.signal);
    for (const [ms, count] of [
      [5000, 1],
      [30_000, 2],
      [30_000, 3],
    ] as const) {
      await clock.advance(ms);
      await eventually(() => {
        expect(lines).toHaveLength(count);
      });
    }
    stop.abort();
    await told;
    const what = "The API server at https://127.0.0.1:1 cannot be reached:";
    expect(lines.map((line) => line.split(" connect ")[0])).toEqual([
      `waiting    for 5 s: ${what}`,
      `waiting    for 35 s: ${what}`,
      `waiting    for 65 s: ${what}`,
    ]);
    expect(lines[0]).not.toMatch(/\.\.$/);
  });
});
