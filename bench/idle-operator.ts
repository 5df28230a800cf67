/**
 * The resident memory of the examples' operators when they have nothing to do: the bundle that `tsop build` makes, with the
 * flags and the heap of its Deployment, against a control plane in another process, some time after it began to watch.
 */
import { execa } from "execa";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleOperator } from "../src/cli/operator/bundle.ts";
import { systemClock } from "../src/clock.ts";
import { startControlPlane } from "../src/controlplane/control-plane.ts";
import { exampleNames, exampleOnSources } from "../test/support/example.ts";
import { clientFolder } from "../test/support/kubectl.ts";

const EXAMPLES = exampleNames();
const GOAL_MB = 90;
/** Long enough for the first reconciles, and for a garbage collection after the start. */
const IDLE_MS = 45_000;
const BUNDLE = "dist/main.mjs";
/** The flags of config/manager and config/metrics, with free ports. */
const FLAGS = ["--leader-elect", "--health-port=0", "--metrics-port=0", "--metrics-insecure"];
/** The heap that the image's option gives it at the memory limit of config/manager. */
const ENVIRONMENT = { NODE_OPTIONS: "--max-old-space-size=288", POD_NAMESPACE: "default" };

/** Measures one example. */
async function measure(name: string): Promise<void> {
  const example = exampleOnSources(name);
  const { folder } = example;
  const cluster = await startControlPlane({ controllers: "off" });
  try {
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, cluster.kubeconfig);
    const kubectl = join(clientFolder(), "kubectl");
    const crds = ["apply", "--server-side", "-k", "config/crd"];
    // An example for kinds of Kubernetes has no CRDs.
    await execa(kubectl, crds, { cwd: folder, env: { KUBECONFIG: kubeconfig }, reject: false });
    await bundleOperator(folder, BUNDLE, { small: true });
    const child = spawn(process.execPath, ["--enable-source-maps", BUNDLE, ...FLAGS], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], ...ENVIRONMENT, KUBECONFIG: kubeconfig },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text: Buffer) => (output += text.toString()));
    }
    await systemClock.sleep(IDLE_MS);
    const leases = ["get", "leases", "--all-namespaces", "-o", "name"];
    const { stdout: held } = await execa(kubectl, leases, { env: { KUBECONFIG: kubeconfig } });
    if (child.exitCode !== null || held === "")
      throw new Error(`the operator of ${name} does not lead: ${output}`);
    const megabytes = residentBytes(child.pid ?? 0) / 1e6;
    const bundled = (statSync(join(folder, BUNDLE)).size / 1e6).toFixed(2);
    const verdict = megabytes <= GOAL_MB ? "met" : "MISSED";
    console.log(
      `idle operator ${name}, bundle of ${bundled} MB`.padEnd(52) +
        `${megabytes.toFixed(0).padStart(4)} MB resident  goal ${GOAL_MB} MB ${verdict}`,
    );
    child.kill("SIGTERM");
    await once(child, "exit");
  } finally {
    await cluster.stop();
    example.remove();
  }
}

/** The memory of a process, in bytes; `ps` counts in 1,024 bytes. */
function residentBytes(pid: number): number {
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Number(stdout.trim()) * 1024;
}

/** Measures all examples. */
export async function benchIdleOperator(): Promise<void> {
  for (const name of EXAMPLES) await measure(name);
}
