/**
 * An operator as `tsop deploy` brings it into a control plane: its pod is simulated, its process runs here, as its
 * service account, with the flags and the environment of its Deployment.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { stringify } from "yaml";
import { bundleOperator } from "../../src/cli/operator/bundle.ts";
import { Deployment, ServiceAccount } from "../../src/k8s.ts";
import { clientFor, eventually, startControlPlane, type ControlPlane } from "../../src/testing.ts";
import { runCli } from "../cli/support/run-cli.ts";
import { fastClock } from "./fast-clock.ts";

const BUNDLE = ".tsop/test/main.mjs";
const TEMPLATE_ANNOTATION = "kubectl.kubernetes.io/default-container: manager\n";
const PROBED = /^ *tsop\.dev\/simulate: process:.*\n/gm;

/** What the metrics endpoint answered. */
export interface Scrape {
  readonly status: number;
  readonly body: string;
}

/** A deployed operator, until it is disposed of. */
export class DeployedOperator implements AsyncDisposable {
  readonly cluster: ControlPlane;
  readonly namespace: string;
  /** What the process printed. */
  readonly lines: string[] = [];
  readonly #ports: Ports;
  #process: ChildProcess | undefined;

  private constructor(cluster: ControlPlane, namespace: string, ports: Ports) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.#ports = ports;
  }

  /**
   * Deploys a project that has its sources as `tsop`, and starts its process.
   *
   * @param name - the project's name, which all names of the deployment begin with
   * @param prepare - changes what is deployed before the process starts
   */
  static async deploy(
    folder: string,
    name: string,
    prepare: (cluster: ControlPlane) => Promise<void> = () => Promise.resolve(),
  ): Promise<DeployedOperator> {
    const ports = { health: await freePort(), metrics: await freePort() };
    probeLocally(folder, ports.health);
    const cluster = await startControlPlane({ clock: fastClock() });
    const operator = new DeployedOperator(cluster, `${name}-system`, ports);
    try {
      writeFileSync(join(folder, "admin"), cluster.kubeconfig);
      const argv = ["deploy", "--image", "example.com/op:1", "--kubeconfig", "admin", "--no-wait"];
      const deployed = await runCli(folder, argv);
      if (deployed.code !== 0) throw new Error(deployed.err);
      await prepare(cluster);
      await bundleOperator(folder, BUNDLE, { small: true });
      await operator.#start(folder, `${name}-controller-manager`);
    } catch (error) {
      await operator[Symbol.asyncDispose]();
      throw error;
    }
    return operator;
  }

  /** Waits until the kubelet's probes have found it ready, so that its Deployment is available. */
  async untilReady(name: string): Promise<void> {
    const client = clientFor(this.cluster);
    const key = { namespace: this.namespace, name: `${name}-controller-manager` };
    await eventually(
      async () => {
        const { status } = await client.get(Deployment, key);
        const isAvailable = status?.conditions?.some(
          (one) => one.type === "Available" && one.status === "True",
        );
        if (!isAvailable || status?.readyReplicas !== 1)
          throw new Error(`not ready:\n${this.lines.join("\n")}`);
      },
      { timeoutMs: 120_000 },
    );
  }

  /** What `GET /readyz` is answered with. */
  async readyz(): Promise<number> {
    return (await fetch(`http://127.0.0.1:${this.#ports.health}/readyz`)).status;
  }

  /** Reads the metrics as the endpoint of the Deployment offers them: with TLS, and a token. */
  scrape(token?: string): Promise<Scrape> {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const agent = new Agent({ rejectUnauthorized: false });
    const url = `https://127.0.0.1:${this.#ports.metrics}/metrics`;
    return new Promise((resolve, reject) => {
      request(url, { agent, headers }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
        response.on("end", () => {
          agent.destroy();
          resolve({ status: response.statusCode ?? 0, body });
        });
      })
        .on("error", reject)
        .end();
    });
  }

  /** Ends the process as the kubelet would, then the control plane. */
  async [Symbol.asyncDispose](): Promise<void> {
    const process = this.#process;
    if (process?.exitCode === null && process.signalCode === null) {
      const ended = once(process, "exit");
      process.kill("SIGTERM");
      await ended;
    }
    await this.cluster.stop();
  }

  async #start(folder: string, deployment: string): Promise<void> {
    const { cluster, namespace } = this;
    const { spec } = await clientFor(cluster).get(Deployment, { namespace, name: deployment });
    const pod: DeployedPod = spec?.template.spec ?? { containers: [] };
    const { args, env } = operatorCommand(pod, namespace, this.#ports);
    const account = pod.serviceAccountName ?? "";
    const token = await tokenOf(cluster, { namespace, name: account });
    writeFileSync(join(folder, "operator"), kubeconfigOf(cluster, namespace, token));
    const child = spawn(process.execPath, ["--enable-source-maps", BUNDLE, ...args], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"],
        ...env,
        KUBECONFIG: join(folder, "operator"),
      },
    });
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => this.lines.push(line));
    this.#process = child;
  }
}

/** A token of a service account, as `kubectl create token` gets it. */
export async function tokenOf(
  cluster: ControlPlane,
  key: { readonly namespace: string; readonly name: string },
): Promise<string> {
  // Longer than any test, also where a day is an hour.
  const spec = { expirationSeconds: 86_400 };
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
  const answer = await clientFor(cluster).subresource("token").create(ServiceAccount, key, body);
  return (answer as typeof answer & { status: { token: string } }).status.token;
}

/** Where an operator listens that is a process of this machine. */
interface Ports {
  readonly health: number;
  readonly metrics: number;
}

/** What the pod of an operator says of its process. */
export interface DeployedPod {
  readonly serviceAccountName?: string;
  readonly containers: readonly {
    readonly args?: readonly string[];
    readonly env?: readonly {
      readonly name: string;
      readonly value?: string;
      readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
    }[];
  }[];
}

/** The flags and the environment of a deployed operator, for a process of this machine. */
export function operatorCommand(
  { containers: [container] }: DeployedPod,
  namespace: string,
  ports: Ports,
): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  const args = (container?.args ?? []).map((arg) =>
    arg
      .replace("--metrics-port=8443", `--metrics-port=${ports.metrics}`)
      .replace("--health-port=8081", `--health-port=${ports.health}`),
  );
  const env = (container?.env ?? []).map(({ name, value = "", valueFrom }) => [
    name,
    valueFrom?.fieldRef?.fieldPath === "metadata.namespace" ? namespace : value,
  ]);
  return { args, env: Object.fromEntries(env) as Record<string, string> };
}

/** Below all ports that systems give to outgoing connections and to those who ask for any. */
const PORTS = { first: 20_000, count: 10_000 };

/** A port that is free, and that the system gives to nobody before the operator listens there. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + randomInt(PORTS.count);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/** The simulated kubelet asks the process for its readiness. */
function probeLocally(folder: string, port: number): void {
  const path = join(folder, "config/manager/manager.yaml");
  // An earlier try of the same test may have left its line.
  const text = readFileSync(path, "utf8").replace(PROBED, "");
  if (!text.includes(TEMPLATE_ANNOTATION)) throw new Error(`${path} has no annotation to follow`);
  const line = `tsop.dev/simulate: process:127.0.0.1:${port}\n`;
  writeFileSync(path, text.replace(TEMPLATE_ANNOTATION, `${TEMPLATE_ANNOTATION}        ${line}`));
}

function kubeconfigOf(cluster: ControlPlane, namespace: string, token: string): string {
  const ca = Buffer.from(cluster.caCertificate).toString("base64");
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "operator",
    contexts: [{ name: "operator", context: { cluster: "here", user: "operator", namespace } }],
    clusters: [
      { name: "here", cluster: { server: cluster.url, "certificate-authority-data": ca } },
    ],
    users: [{ name: "operator", user: { token } }],
  });
}
