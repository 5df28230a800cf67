/** A cloned repository can contain any file under `.tsop`; none of them is believed. */
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { programPath } from "../../../src/cli/program-path.ts";
import { claimDataDir, requireOwnDataDir } from "../../../src/cli/project/own-data-dir.ts";
import { startControlPlane } from "../../../src/controlplane/control-plane.ts";
import { OwnState } from "../../../src/own-state.ts";
import { loadClusterConfig } from "../../../src/runtime/kubeconfig/load-config.ts";
import {
  type CliResult,
  emptyFolder,
  newProject,
  projectAfter,
  runCli,
} from "../support/run-cli.ts";

const CREATE = ["create", "api", "--group", "web", "--version", "v1", "--kind", "Page"];

/** A kubeconfig that names a program, which leaves a mark when it runs. */
function withProgram(root: string, server = "https://127.0.0.1:1"): { text: string; mark: string } {
  const mark = join(root, "ran");
  const program = join(root, "evil.sh");
  writeFileSync(program, `#!/bin/sh\ntouch ${mark}\n`);
  chmodSync(program, 0o755);
  const user = {
    exec: {
      apiVersion: "client.authentication.k8s.io/v1",
      interactiveMode: "Never",
      command: program,
    },
  };
  return {
    text: JSON.stringify(kubeconfig({ server, "insecure-skip-tls-verify": true }, user)),
    mark,
  };
}

const kubeconfig = (cluster: object, user: object): object => ({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "a",
  clusters: [{ name: "a", cluster }],
  contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
  users: [{ name: "a", user }],
});

/** A server that answers as an operator's journal does; the paths that it was asked for. */
async function journalOf(entries: readonly object[]): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        version: 1,
        operator: "shop",
        instance: "x",
        nowMs: 0,
        entries,
        queues: [],
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Runs `tsop cluster` in the folder while the work lasts. */
async function duringCluster(
  folder: string,
  argv: readonly string[],
  work: () => Promise<void>,
): Promise<CliResult> {
  const stop = new AbortController();
  let working: Promise<void> | undefined;
  const result = await runCli(folder, ["cluster", "--json", ...argv], {
    signal: stop.signal,
    onLine: () => {
      working ??= work().finally(() => stop.abort());
    },
  });
  await working;
  return result;
}

describe("files of a cloned repository under .tsop", () => {
  it.each([
    ["why", "page/one"],
    ["why", "--page"],
  ])("`tsop %s %s` asks no address of theirs, and runs no program of theirs", async (...argv) => {
    const root = await projectAfter([CREATE, ["manifests"]]);
    const { url, asked } = await journalOf([]);
    const { text, mark } = withProgram(root);
    mkdirSync(join(root, ".tsop/dev"), { recursive: true });
    const session = JSON.stringify({ url, token: "a".repeat(24) });
    writeFileSync(join(root, ".tsop/dev/journal.json"), session);
    writeFileSync(join(root, ".tsop/kubeconfig"), text);
    const { code, err } = await runCli(root, argv);
    expect([code, err]).toEqual([1, expect.stringContaining("no-operator-to-ask")]);
    expect(asked).toEqual([]);
    expect(existsSync(mark)).toBe(false);
  });

  it.each(["install", "deploy", "plan", "run", "undeploy"])(
    "`tsop %s` refuses the kubeconfig, by flag and by KUBECONFIG",
    async (command) => {
      const root = await projectAfter([CREATE, ["manifests"]]);
      const { text, mark } = withProgram(root);
      writeFileSync(join(root, ".tsop/kubeconfig"), text);
      const image = ["plan", "deploy"].includes(command) ? ["--image", "example.com/shop:1"] : [];
      const argv = [command, ...image];
      const flag = await runCli(root, [...argv, "--kubeconfig", ".tsop/kubeconfig"]);
      const variable = await runCli(root, argv, {
        env: { KUBECONFIG: join(root, ".tsop/kubeconfig") },
      });
      for (const { code, err } of [flag, variable]) {
        expect([code, err]).toEqual([1, expect.stringContaining("foreign-kubeconfig")]);
      }
      expect(existsSync(mark)).toBe(false);
    },
  );

  it("a kubeconfig is accepted while the control plane that wrote it runs, and as it was written", async () => {
    const root = await projectAfter([CREATE]);
    const path = join(root, ".tsop/kubeconfig");
    const install = (): Promise<CliResult> =>
      runCli(root, ["install", "--kubeconfig", ".tsop/kubeconfig"]);
    const { code } = await duringCluster(root, [], async () => {
      expect(await install()).toMatchObject({ code: 0 });
      const written = readFileSync(path, "utf8");
      writeFileSync(path, withProgram(root).text);
      const changed = await install();
      expect([changed.code, changed.err]).toEqual([
        1,
        expect.stringContaining("foreign-kubeconfig"),
      ]);
      writeFileSync(path, written);
      expect(await install()).toMatchObject({ code: 0 });
    });
    expect(code).toBe(0);
    expect(await install()).toMatchObject({
      code: 1,
      err: expect.stringContaining("foreign-kubeconfig") as string,
    });
  });

  const certificate = { "client-certificate-data": "eA==", "client-key-data": "eA==" };
  const here = "https://127.0.0.1:6443";
  it.each([
    [
      "exec",
      { server: here },
      { exec: { command: "x", apiVersion: "client.authentication.k8s.io/v1" } },
    ],
    ["auth-provider", { server: here }, { "auth-provider": { name: "gcp" } }],
    ["tokenFile", { server: here }, { tokenFile: "/etc/passwd" }],
    ["client-certificate", { server: here }, { "client-certificate": "a", "client-key": "b" }],
    ["client-key", { server: here }, { "client-certificate": "a", "client-key": "b" }],
    ["server", { server: "https://example.com" }, certificate],
    ["server", { server: "https://127.0.0.1.example.com" }, certificate],
    ["server", { server: "https://10.0.0.1" }, certificate],
    ["proxy-url", { server: here, "proxy-url": "http://example.com" }, certificate],
    ["tls-server-name", { server: here, "tls-server-name": "a" }, certificate],
    ["insecure-skip-tls-verify", { server: here, "insecure-skip-tls-verify": true }, certificate],
    [
      "certificate-authority",
      { server: here, "certificate-authority": "/etc/passwd" },
      certificate,
    ],
  ])(
    "the operator and plugins refuse a kubeconfig there with the field %s",
    (field, cluster, user) => {
      const root = emptyFolder();
      mkdirSync(join(root, ".tsop"));
      const path = join(root, ".tsop/kubeconfig");
      writeFileSync(path, JSON.stringify(kubeconfig(cluster, user)));
      const refused = new RegExp(`\\.${field} of .* is not accepted in a kubeconfig in \\.tsop`);
      expect(() => loadClusterConfig({ kubeconfig: path })).toThrow(refused);
      expect(() => loadClusterConfig({ environment: { KUBECONFIG: path } })).toThrow(refused);
    },
  );

  it("locks do not stop commands", async () => {
    const root = await newProject();
    const lock = JSON.stringify({ pid: 1, host: hostname(), id: "a" });
    for (const name of ["lock", "kubeconfig.in-use"])
      writeFileSync(join(root, ".tsop", name), lock);
    expect(await runCli(root, CREATE)).toMatchObject({ code: 0 });
    expect(await duringCluster(root, [], () => Promise.resolve())).toMatchObject({ code: 0 });
  });
});

describe("a data directory in .tsop", () => {
  const argv = ["--kubeconfig", "other", "--data-dir", ".tsop/data"];

  it("is served again, but not one of a cloned repository", async () => {
    const root = await newProject();
    const serve = (): Promise<CliResult> => duringCluster(root, argv, () => Promise.resolve());
    expect(await serve()).toMatchObject({ code: 0 });
    expect(await serve()).toMatchObject({ code: 0 });
    const clone = await newProject();
    cpSync(join(root, ".tsop/data"), join(clone, ".tsop/data"), { recursive: true });
    const refused = await runCli(clone, ["cluster", ...argv]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("foreign-data-dir")]);
    cpSync(join(root, ".tsop/data"), join(clone, "data"), { recursive: true });
    const moved = ["--kubeconfig", "other", "--data-dir", "data"];
    expect(await duringCluster(clone, moved, () => Promise.resolve())).toMatchObject({ code: 0 });
  });

  it.each(["keys.json", "snapshot.jsonl", "changes.jsonl"])(
    "is not served once a pull replaced %s",
    async (name) => {
      const root = await newProject();
      expect(await duringCluster(root, argv, () => Promise.resolve())).toMatchObject({ code: 0 });
      const file = join(root, ".tsop/data", name);
      appendFileSync(file, "\n");
      const refused = await runCli(root, ["cluster", ...argv]);
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("foreign-data-dir")]);
    },
  );

  it("is served after a start that failed", async () => {
    const root = await newProject();
    expect(await duringCluster(root, argv, () => Promise.resolve())).toMatchObject({ code: 0 });
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const port = String((taken.address() as AddressInfo).port);
    const failed = await runCli(root, ["cluster", ...argv, "--port", port]);
    expect(failed.err).toContain("port-in-use");
    const locks = readdirSync(join(root, ".tsop/data")).filter((name) => name === "lock");
    for (const name of locks) rmSync(join(root, ".tsop/data", name));
    expect(await duringCluster(root, argv, () => Promise.resolve())).toMatchObject({ code: 0 });
  });

  it("is served after a crash, unless a file was replaced since", async () => {
    const folder = join(await newProject(), ".tsop/data");
    const log = join(folder, "changes.jsonl");
    await (await startControlPlane({ dataDir: folder, listen: false })).stop();
    claimDataDir(folder);
    appendFileSync(log, '{"v":1000}\n');
    expect(() => requireOwnDataDir(folder)).not.toThrow();
    cpSync(log, `${log}.pulled`);
    renameSync(`${log}.pulled`, log);
    expect(() => requireOwnDataDir(folder)).toThrow(/left there/);
  });

  it.skipIf(process.platform === "win32")(
    "replaces links in it instead of writing through them",
    async () => {
      const root = await newProject();
      const kept = join(emptyFolder(), "kept");
      writeFileSync(kept, "");
      mkdirSync(join(root, "data"));
      const names = ["changes.jsonl", "snapshot.jsonl.new", "keys.json.new"];
      for (const name of names) symlinkSync(kept, join(root, "data", name));
      const plain = ["--kubeconfig", "other", "--data-dir", "data"];
      expect(await duringCluster(root, plain, () => Promise.resolve())).toMatchObject({ code: 0 });
      expect(readFileSync(kept, "utf8")).toBe("");
      for (const name of ["changes.jsonl", "snapshot.jsonl", "keys.json"]) {
        const stat = lstatSync(join(root, "data", name));
        expect([name, stat.isFile(), stat.mode & 0o777]).toEqual([name, true, 0o600]);
      }
    },
  );
});

describe.skipIf(process.platform === "win32")("links of a cloned repository", () => {
  it.each([
    [".tsop", ["cluster"]],
    [".tsop/kubeconfig", ["cluster"]],
    [".tsop/data", ["cluster", "--kubeconfig", "other", "--data-dir", ".tsop/data"]],
    [".tsop/data", ["cluster", "--kubeconfig", "other", "--data-dir", ".tsop/data/below"]],
    [".tsop", ["dev", "--once", "--no-types"]],
    [".tsop/dev", ["dev", "--once", "--no-types"]],
    [".tsop/dev/main.mjs", ["dev", "--once", "--no-types"]],
    [".tsop/dev/main.mjs.map", ["dev", "--once", "--no-types"]],
  ])("nothing is written through %s: tsop %j", async (link, argv) => {
    const root = await projectAfter([CREATE]);
    const elsewhere = emptyFolder();
    const isFile = /\.mjs|kubeconfig$/.test(link);
    const target = isFile ? join(elsewhere, "kept") : elsewhere;
    if (isFile) writeFileSync(target, "kept");
    const path = join(root, link);
    if (link === ".tsop") {
      const record = readFileSync(join(path, "scaffold.json"));
      writeFileSync(join(elsewhere, "scaffold.json"), record);
      rmSync(path, { recursive: true });
    }
    mkdirSync(join(path, ".."), { recursive: true });
    symlinkSync(target, path);
    const { code, err } = await runCli(root, argv);
    expect([code, err]).toEqual([1, expect.stringContaining("linked-folder")]);
    expect(err).toContain(path);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readdirSync(elsewhere)).toEqual(
      isFile ? ["kept"] : link === ".tsop" ? ["scaffold.json"] : [],
    );
    if (isFile) expect(readFileSync(target, "utf8")).toBe("kept");
  });

  it("temporary names of a write are not written through", async () => {
    const root = await newProject();
    const kept = join(emptyFolder(), "kept");
    writeFileSync(kept, "kept");
    symlinkSync(kept, join(root, `PROJECT.tsop-${process.pid}`));
    const { code, err } = await runCli(root, CREATE);
    expect([code, err]).toEqual([1, expect.stringContaining("write-failed")]);
    expect(readFileSync(kept, "utf8")).toBe("kept");
  });
});

describe("the state of tsop", () => {
  const about = (): OwnState => OwnState.about(emptyFolder(), "test");

  it("is readable only for its owner, and the same by way of a link", () => {
    const folder = emptyFolder();
    const real = join(folder, "real");
    mkdirSync(real);
    const state = OwnState.about(join(real, "below"), "test");
    state.write({ one: 1 });
    onTestFinished(() => state.remove());
    expect(state.readLive()).toEqual({ one: 1 });
    if (process.platform === "win32") return;
    symlinkSync(real, join(folder, "link"));
    expect(OwnState.about(join(folder, "link/below"), "test").read()).toEqual({ one: 1 });
    expect(OwnState.about(join(real, "below"), "other").read()).toBeUndefined();
    const path = state.lockPath.replace(/\.lock$/, "");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  });

  it("is not that of a running process once its writer is gone, even if another process has its number", () => {
    const state = about();
    state.write({ one: 1 });
    const path = state.lockPath.replace(/\.lock$/, "");
    const record = JSON.parse(readFileSync(path, "utf8")) as { writer: object };
    const writtenBy = (change: object): unknown => {
      writeFileSync(path, JSON.stringify({ ...record, writer: { ...record.writer, ...change } }));
      return state.readLive();
    };
    expect(writtenBy({})).toEqual({ one: 1 });
    expect(writtenBy({ pid: 2 ** 30 })).toBeUndefined();
    expect(writtenBy({ host: "elsewhere" })).toBeUndefined();
    if (process.platform === "linux") expect(writtenBy({ started: "1" })).toBeUndefined();
    expect(state.read()).toEqual({ one: 1 });
    state.remove();
    expect(state.read()).toBeUndefined();
  });
});

describe("commands that only read", () => {
  it.each([
    ["list"],
    ["doctor"],
    ["manifests", "--check"],
    ["manifests", "--dry-run", "--diff"],
    ["validate", "config/samples"],
    ["explain", "MinLength"],
    ["completion-words", "kind"],
    ["deploy", "--render", "--image", "example.com/shop:1"],
    ["why", "page/one"],
    ["edit"],
  ])("run no code of the project: tsop %s %s", async (...argv) => {
    const root = await projectAfter([CREATE, ["manifests"]]);
    const mark = join(root, "ran");
    const code = `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "");`;
    const module = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(mark)}, "");\n`;
    const files = {
      "src/api/v1/evil.ts": module,
      "vitest.config.ts": module,
      "eslint.config.js": module,
      "tsop.config.js": module,
      "node_modules/evil/package.json": '{"name":"evil","main":"index.js"}',
      "node_modules/evil/index.js": code,
      "node_modules/typescript/package.json":
        '{"name":"typescript","version":"6.0.0","main":"index.js","bin":{"tsc":"index.js"}}',
      "node_modules/typescript/index.js": code,
      "node_modules/tsop-evil.cjs": code,
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, path, ".."), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    await runCli(root, argv);
    expect(existsSync(mark)).toBe(false);
  });
});

describe("a program that a command starts", () => {
  const windows = (program: string, files: readonly string[]): string =>
    programPath(
      {
        program,
        env: { Path: '.;;C:\\Git\\cmd;"C:\\Program Files\\nodejs"', PATHEXT: ".EXE;.CMD" },
      },
      "win32",
      (path) => files.includes(path),
    );

  it("is found on the PATH alone, and never in the folder of the project", () => {
    const npm = "C:\\Program Files\\nodejs\\npm.CMD";
    const git = "C:\\Git\\cmd\\git.EXE";
    const here = ["git.CMD", ".\\git.CMD", "npm.EXE"];
    expect(windows("npm", [npm, ...here])).toBe(npm);
    expect(windows("git", [git, ...here])).toBe(git);
    expect(windows("git.exe", ["C:\\Git\\cmd\\git.exe"])).toBe("C:\\Git\\cmd\\git.exe");
    expect(windows("docker", here)).toBe("C:\\not-on-the-path\\docker");
    expect(windows("C:\\node.exe", [])).toBe("C:\\node.exe");
    expect(programPath({ program: "git", env: {} }, "linux")).toBe("git");
  });
});
