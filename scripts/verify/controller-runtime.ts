import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { defineVerification } from "../programs/program.ts";

const SUITES = [
  "client",
  "cache",
  "builder",
  "manager",
  "controller",
  "source",
  "webhook",
  "envtest",
  "handler",
  "controller/controllerutil",
  "cluster",
  "internal/controller",
  "internal/recorder",
];

/** Copies the module's source into a writable folder. */
function copySource(version: string, source: string): void {
  if (existsSync(source)) return;
  const module = `sigs.k8s.io/controller-runtime@${version}`;
  const told = execFileSync("go", ["mod", "download", "-json", module], { encoding: "utf8" });
  const { Dir: folder } = JSON.parse(told) as { Dir: string };
  cpSync(folder, source, { recursive: true });
  execFileSync("chmod", ["-R", "u+w", source]);
}

/** Compiles the suite as a program, once. */
function compile(suite: string, source: string, programs: string): string {
  const program = join(programs, `${suite.replaceAll("/", "-")}.test`);
  mkdirSync(programs, { recursive: true });
  if (!existsSync(program)) {
    const args = ["test", "-c", "-vet=off", "-o", program, `./pkg/${suite}`];
    execFileSync("go", args, { cwd: source, stdio: "inherit" });
  }
  return program;
}

/** Starts a control plane like envtest's; resolves when it answers. */
async function start(kubeconfig: string): Promise<() => Promise<void>> {
  const flags = ["--controllers", "off", "--disable-admission-plugins", "ServiceAccount", "--json"];
  const args = ["bin/tsop.js", "cluster", "--kubeconfig", kubeconfig, ...flags];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(server.stdout, "data");
  return async () => {
    server.kill("SIGTERM");
    await once(server, "exit");
  };
}

export const program = defineVerification({
  about: "Runs the integration suites of controller-runtime, each on a fresh control plane.",
  compares: "tests of controller-runtime",
  needs: ["a build", "Go", "the network"],
  words: { name: "SUITE", about: "some of the suites", choices: SUITES },
  options: {
    version: { type: "text", default: "v0.24.0", about: "version of controller-runtime" },
    kubeconfig: {
      type: "text",
      about:
        "of a real kube-apiserver instead, without controllers and with --disable-admission-plugins=ServiceAccount",
    },
  },
  run: async ({ values: { version, kubeconfig }, words, tally }) => {
    const folder = join(process.cwd(), ".cache", `controller-runtime-${version}`);
    const source = join(folder, "source");
    const own = join(folder, "kubeconfig");
    copySource(version, source);
    for (const suite of words.length > 0 ? words : SUITES) {
      const program = compile(suite, source, join(folder, "programs"));
      const stop = kubeconfig === undefined ? await start(own) : undefined;
      const { status, stdout } = spawnSync(program, ["-ginkgo.no-color"], {
        cwd: join(source, "pkg", suite),
        env: { ...process.env, USE_EXISTING_CLUSTER: "true", KUBECONFIG: kubeconfig ?? own },
        encoding: "utf8",
        maxBuffer: 256 * 1024 * 1024,
      });
      await stop?.();
      const lines = stdout.split("\n");
      const failed = lines.filter((line) => /^\s*\[(FAIL|PANICKED!)\]/.test(line));
      const summary = lines.findLast((line) => / Passed \| /.test(line)) ?? "";
      console.log(`${suite}: ${summary || `exit code ${String(status)}`}`);
      for (const line of new Set(failed)) console.log(line);
      const [passed = 0, broken = 0] = [/(\d+) Passed/, /(\d+) Failed/].map((pattern) =>
        Number(pattern.exec(summary)?.[1] ?? 0),
      );
      // A suite that ended without a failed test, but not well, counts as one.
      tally.add(passed + Math.max(broken, status === 0 ? 0 : 1), passed);
    }
  },
});
