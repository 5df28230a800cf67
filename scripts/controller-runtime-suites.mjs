// Runs controller-runtime's own integration suites against the control plane, each against a fresh
// one:
//   node scripts/controller-runtime-suites.mjs [--version v0.24.0] [--kubeconfig FILE] [suite ...]
// The source with its tests comes from the Go module proxy; it needs Go, and `npm run build`
// before. With --kubeconfig the suites run against that server instead: a real kube-apiserver shows
// the expected results. It must be started with --disable-admission-plugins=ServiceAccount, as
// envtest does it, and without controllers.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

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

const { values, positionals } = parseArgs({
  options: {
    version: { type: "string", default: "v0.24.0" },
    kubeconfig: { type: "string" },
  },
  allowPositionals: true,
});
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, ".cache", `controller-runtime-${values.version}`);
const source = join(folder, "source");
const programs = join(folder, "programs");

/** Copies the module's source into a writable folder. */
function prepare() {
  if (existsSync(source)) return;
  const module = `sigs.k8s.io/controller-runtime@${values.version}`;
  const told = execFileSync("go", ["mod", "download", "-json", module], { encoding: "utf8" });
  cpSync(JSON.parse(told).Dir, source, { recursive: true });
  execFileSync("chmod", ["-R", "u+w", source]);
}

/** Compiles the suite as a program, once. */
function compile(suite) {
  const program = join(programs, `${suite.replaceAll("/", "-")}.test`);
  mkdirSync(programs, { recursive: true });
  if (!existsSync(program)) {
    const args = ["test", "-c", "-vet=off", "-o", program, `./pkg/${suite}`];
    execFileSync("go", args, { cwd: source, stdio: "inherit" });
  }
  return program;
}

/** Starts a control plane like envtest's; resolves when it answers. */
async function start() {
  const kubeconfig = join(folder, "kubeconfig");
  const flags = ["--controllers", "off", "--disable-admission-plugins", "ServiceAccount", "--json"];
  const args = [join(root, "bin/tsop.js"), "cluster", "--kubeconfig", kubeconfig, ...flags];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(server.stdout, "data");
  const stop = async () => {
    server.kill("SIGTERM");
    await once(server, "exit");
  };
  return { kubeconfig, stop };
}

prepare();
for (const suite of positionals.length > 0 ? positionals : SUITES) {
  const program = compile(suite);
  const server = values.kubeconfig ? undefined : await start();
  const { status, stdout } = spawnSync(program, ["-ginkgo.no-color"], {
    cwd: join(source, "pkg", suite),
    env: {
      ...process.env,
      USE_EXISTING_CLUSTER: "true",
      KUBECONFIG: server?.kubeconfig ?? values.kubeconfig,
    },
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  await server?.stop();
  const lines = stdout.split("\n");
  const failed = lines.filter((line) => /^\s*\[(FAIL|PANICKED!)\]/.test(line));
  const summary = lines.findLast((line) => / Passed \| /.test(line)) ?? `exit code ${status}`;
  console.log(`${suite}: ${summary}`);
  for (const line of new Set(failed)) console.log(line);
  if (status !== 0) process.exitCode = 1;
}
