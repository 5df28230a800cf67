/**
 * The image of a scaffolded project, built as its Dockerfile says and started: from the packed tsop, in
 * empty folders. The registry, or npm's cache, has to have the dependencies.
 */
import { execFile, spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, startControlPlane, type ControlPlane } from "../../src/testing.ts";
import { builtCheckout } from "../support/built-checkout.ts";
import { replayDockerfile, type Image } from "./support/dockerfile.ts";

const CREATE = ["create", "api", "--group", "web", "--version", "v1", "--kind", "Page"];

describe("the image of a scaffolded project", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "tsop-image-"));
  const project = join(folder, "shop");
  let archive: string;
  let image: Image;
  let cluster: ControlPlane;

  const run = async (command: string, args: readonly string[], cwd: string): Promise<string> =>
    (await promisify(execFile)(command, args, { cwd })).stdout;

  beforeAll(async () => {
    mkdirSync(project);
    const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", project];
    const packed = JSON.parse(await run("npm", pack, await builtCheckout())) as {
      filename: string;
    }[];
    archive = packed[0]?.filename ?? "";
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    await run("npm", [...install, `./shop/${archive}`], folder);
    const bin = join(folder, "node_modules/tsop/bin/tsop.js");
    const tsop = (args: readonly string[], cwd: string): Promise<string> =>
      run(process.execPath, [bin, ...args], cwd);
    await tsop(["init", "shop", "--domain", "example.com"], folder);
    await tsop(CREATE, project);
    await tsop(["manifests"], project);
    const main = join(project, "src/main.ts");
    const text = readFileSync(main, "utf8");
    const breaks = 'if (process.env["BREAK"] !== undefined) throw new Error("broken");';
    writeFileSync(main, text.replace("const manager =", `${breaks}\nconst manager =`));
    // What must not get to the builder.
    writeFileSync(join(project, ".env"), "TOKEN=secret\n");
    cpSync(join(project, ".env"), join(folder, "kubeconfig"));
    image = await replayDockerfile(project, join(folder, "image"));
    cluster = await startControlPlane();
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, cluster.kubeconfig);
    await tsop(["install", "--kubeconfig", kubeconfig], project);
  }, 600_000);

  afterAll(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (args: readonly string[], env: Record<string, string> = {}) => {
    const [program = "", ...given] = image.entrypoint;
    expect(program).toBe("/nodejs/bin/node");
    const within = given.map((word) => (word.startsWith("/") ? join(image.root, word) : word));
    const { NODE_OPTIONS = "", ...others } = image.env;
    // The Node.js of the image knows the option; this one may be older.
    expect(NODE_OPTIONS).toBe("--max-old-space-size-percentage=75");
    const isKnown = process.allowedNodeEnvironmentFlags.has("--max-old-space-size-percentage");
    const child = spawn(process.execPath, [...within, ...args], {
      cwd: image.root,
      env: {
        ...others,
        ...(isKnown && { NODE_OPTIONS }),
        KUBECONFIG: join(folder, "kubeconfig"),
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part: string) => (output += part));
    }
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    return { child, ended, output: () => output };
  };

  it("depends on the file that tsop was installed from", () => {
    const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
      dependencies: object;
    };
    expect(manifest.dependencies).toEqual({ tsop: `file:${archive}` });
  });

  it("holds the bundle and its map, belongs to nobody special, and was built from what it needs alone", () => {
    expect(readdirSync(join(image.root, "operator")).sort()).toEqual(["main.mjs", "main.mjs.map"]);
    expect(image.user).toBe("65532:65532");
    const build = readdirSync(join(folder, "image/build/build"));
    expect(build).toContain("PROJECT");
    expect(build.filter((name) => /^\.env$|^config$|^test$/.test(name))).toEqual([]);
  });

  it("connects to a cluster and gets ready", async () => {
    const port = await freePort();
    const { child, ended, output } = start([`--health-port=${port}`, "--leader-elect"], {
      POD_NAMESPACE: "default",
    });
    try {
      await eventually(
        async () => {
          const { status } = await fetch(`http://127.0.0.1:${port}/readyz`);
          expect(status, output()).toBe(200);
        },
        { timeoutMs: 60_000 },
      );
    } finally {
      child.kill("SIGTERM");
    }
    expect(await ended, output()).toBe(0);
  });

  it("names the line of the source when it breaks", async () => {
    const { ended, output } = start([], { BREAK: "1" });
    expect(await ended, output()).toBe(1);
    const lines = readFileSync(join(project, "src/main.ts"), "utf8").split("\n");
    const line = lines.findIndex((text) => text.includes('"BREAK"')) + 1;
    expect(output()).toContain(`src/main.ts:${line}:`);
  });

  it("tells of its flags, and of a wrong one, in a sentence", async () => {
    const help = start(["--help"]);
    expect(await help.ended).toBe(0);
    expect(help.output()).toContain("--metrics-port=<port>");
    for (const [flag, said] of [
      ["--bogus", "There is no flag --bogus."],
      ["--metrics-port=abc", '--metrics-port must be a port number from 0 to 65535, not "abc".'],
    ] as const) {
      const wrong = start([flag]);
      expect(await wrong.ended).toBe(2);
      const [line = "", ...others] = wrong.output().split("\n");
      expect(others).toEqual([""]);
      expect(JSON.parse(line)).toMatchObject({
        level: "fatal",
        reason: "bad-flag",
        msg: `The operator cannot start: ${said} \`--help\` lists the flags.`,
      });
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
