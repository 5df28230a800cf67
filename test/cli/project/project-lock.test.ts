import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { OwnState } from "../../../src/own-state.ts";
import { bundled } from "../../support/bundled.ts";
import { filesIn, newProject, runCli } from "../support/run-cli.ts";

const create = (kind: string): string[] => [
  "create",
  "api",
  "--group",
  "web",
  "--version",
  "v1",
  "--kind",
  kind,
];

it("takes one command of a project after the other: none of three at once is lost", async () => {
  const folder = await newProject();
  const kinds = ["Page", "Book", "Shelf"];
  const results = await Promise.all(kinds.map((kind) => runCli(folder, create(kind))));
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
  const files = filesIn(folder);
  for (const kind of kinds) {
    expect(files["src/controllers/index.ts"]).toContain(`setUp${kind}(manager);`);
    expect(files["PROJECT"]).toContain(`kind: ${kind}`);
    expect(files["config/samples/kustomization.yaml"]).toContain(`_${kind.toLowerCase()}.yaml`);
  }
  expect(existsSync(OwnState.about(folder, "files").lockPath)).toBe(false);
});

it("takes over the lock of a process that is gone", async () => {
  const folder = await newProject();
  const lock = OwnState.about(folder, "files").lockPath;
  // No process has such an id.
  writeFileSync(lock, JSON.stringify({ pid: 2 ** 30, host: hostname(), id: "a" }));
  expect(await runCli(folder, create("Page"))).toMatchObject({ code: 0, err: "" });
  expect(existsSync(OwnState.about(folder, "files").lockPath)).toBe(false);
});

const lockOf = (folder: string): string =>
  OwnState.about(join(folder, ".tsop/kubeconfig"), "kubeconfig").lockPath;

describe("a second control plane of a project", { timeout: 60_000 }, () => {
  let program: Awaited<ReturnType<typeof bundled>>;

  beforeAll(async () => {
    program = await bundled("test/cli/support/tsop-process.ts");
  });
  afterAll(() => {
    program.remove();
  });

  it("is refused while the first runs, in whatever process, unless it has a kubeconfig of its own", async () => {
    const folder = await newProject();
    const first = await startCluster(folder);
    const written = readFileSync(join(folder, ".tsop/kubeconfig"), "utf8");
    for (const command of ["dev", "dev --once", "cluster"]) {
      const second = await runCli(folder, command.split(" "));
      expect([command, second.code, second.out]).toEqual([command, 1, ""]);
      expect(second.err).toContain("kubeconfig-in-use");
      expect(second.err).toMatch(
        new RegExp(
          `Another \`tsop dev\` or \`tsop cluster\` \\(process ${first.pid} on .*, since 20..-..-..T..:..:..Z\\)`,
        ),
      );
      expect(second.err).toContain(`kill ${first.pid}`);
      expect(readFileSync(join(folder, ".tsop/kubeconfig"), "utf8")).toBe(written);
    }
    expect(await clusterHere(folder, "--kubeconfig", "other")).toBe(0);
    await end(first, "SIGTERM");
    expect(existsSync(lockOf(folder))).toBe(false);
  });

  it("starts after the first was killed", async () => {
    const folder = await newProject();
    await end(await startCluster(folder), "SIGKILL");
    expect(existsSync(lockOf(folder))).toBe(true);
    expect(await clusterHere(folder)).toBe(0);
    expect(existsSync(lockOf(folder))).toBe(false);
  });

  /** `tsop cluster` in a process of its own, when it has said its first line. */
  async function startCluster(folder: string): Promise<ChildProcess> {
    const child = spawn(process.execPath, [program.path, "cluster"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    return child;
  }
});

/** `tsop cluster` in this process, interrupted when it has said its first line; its exit code. */
async function clusterHere(folder: string, ...flags: string[]): Promise<number> {
  const stop = new AbortController();
  const { code, out } = await runCli(folder, ["cluster", "--json", ...flags], {
    signal: stop.signal,
    onLine: () => stop.abort(),
  });
  expect(out).toContain('"url":"https://');
  return code;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}
