/** The operator of a deployed example as a process of this machine. */
import { execa } from "execa";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parse, stringify } from "yaml";
import { bundleOperator } from "../../src/cli/operator/bundle.ts";
import { eventually } from "../../src/testing.ts";
import { runCli } from "../../test/cli/support/run-cli.ts";
import {
  type DeployedPod,
  freePort,
  operatorCommand,
} from "../../test/support/deployed-operator.ts";
import type { Kubectl } from "../../test/support/kubectl.ts";

const BUNDLE = ".tsop/examples/main.mjs";
const STARTED = { timeoutMs: 60_000 };

/** A copy of an example, and the place where it is deployed. */
export interface DeployedExample {
  readonly name: string;
  readonly folder: string;
  readonly kubeconfig: string;
  /** Variables of the process, in addition to those of its Deployment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Matches log lines about expected refusals. */
  readonly refusals?: RegExp;
}

/** A running operator. */
export interface RunningOperator {
  /** The printed lines. */
  readonly lines: readonly string[];
  untilStarted(): Promise<void>;
  /** Ends it. @throws Error when it failed, or one of its requests was refused */
  stop(): Promise<void>;
}

/** The program of an operator, with its flags and its environment. */
interface Program {
  readonly folder: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs with the rights of its service account, and the flags and environment of its Deployment. */
export class LocalOperator implements RunningOperator {
  readonly lines: string[] = [];
  readonly #program: Program;
  readonly #refusals: RegExp | undefined;
  readonly #process: ChildProcess;
  #isStopped = false;

  private constructor(program: Program, refusals?: RegExp) {
    const { folder, args, env } = program;
    this.#program = program;
    this.#refusals = refusals;
    const child = spawn(process.execPath, [...args], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env,
    });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => this.lines.push(line));
    }
  }

  static async start(example: DeployedExample, kubectl: Kubectl): Promise<LocalOperator> {
    const { name, folder, kubeconfig, environment, refusals } = example;
    const namespace = `${name}-system`;
    await bundleOperator(folder, BUNDLE, { small: true });
    const read = ["get", "deployment", `${name}-controller-manager`, "-n", namespace, "-o", "json"];
    const { spec } = JSON.parse(await kubectl.output(read)) as {
      spec: { template: { spec: DeployedPod } };
    };
    const pod = spec.template.spec;
    const account = pod.serviceAccountName ?? "default";
    const token = await kubectl.output(["create", "token", account, "-n", namespace]);
    writeFileSync(join(folder, "operator"), asAccount(kubeconfig, namespace, token));
    const ports = { health: await freePort(), metrics: await freePort() };
    const { args, env } = operatorCommand(pod, namespace, ports);
    const nodeOptions = [env["NODE_OPTIONS"], environment["NODE_OPTIONS"]].filter(Boolean);
    const program = {
      folder,
      args: ["--enable-source-maps", BUNDLE, ...args],
      env: {
        PATH: process.env["PATH"],
        ...env,
        ...environment,
        NODE_OPTIONS: nodeOptions.join(" "),
        KUBECONFIG: join(folder, "operator"),
      },
    };
    return new LocalOperator(program, refusals);
  }

  /** Runs the program to its end, with additional variables. @throws Error when it fails */
  async runOnce(environment: Readonly<Record<string, string>>): Promise<void> {
    const { folder, args, env } = this.#program;
    const options = { cwd: folder, env: { ...env, ...environment }, extendEnv: false };
    await execa(process.execPath, args, options);
  }

  async untilStarted(): Promise<void> {
    await eventually(() => {
      if (this.#process.exitCode !== null) throw new Error("the operator ended");
      if (!this.lines.some((line) => line.includes("controller started")))
        throw new Error("no controller runs yet");
    }, STARTED);
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    if (this.#process.exitCode === null) {
      const ended = once(this.#process, "exit");
      this.#process.kill("SIGTERM");
      await ended;
    }
    const isMeant = (line: string): boolean => this.#refusals?.test(line) ?? false;
    expectWell(
      this.#process.exitCode,
      this.lines.filter((line) => !isMeant(line)),
    );
  }
}

/** `tsop run`, for which the cluster calls the webhooks on this machine. */
export class WebhookOperator implements RunningOperator {
  readonly lines: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<number>;

  private constructor({ folder }: DeployedExample) {
    this.#running = runCli(folder, ["run", "--kubeconfig", "admin"], {
      signal: this.#stop.signal,
      onLine: (line) => this.lines.push(line),
    }).then(({ code }) => code);
  }

  static start(example: DeployedExample): WebhookOperator {
    return new WebhookOperator(example);
  }

  async untilStarted(): Promise<void> {
    await eventually(() => {
      if (!this.lines.some((line) => line.includes("webhooks"))) throw new Error("no webhooks yet");
    }, STARTED);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("interrupted"));
    expectWell(await this.#running, this.lines);
  }
}

function expectWell(code: number | null, lines: readonly string[]): void {
  if (code !== 0) throw new Error(`the operator exited with code ${String(code)}`);
  const refused = lines.find((line) => /forbidden|may not /i.test(line));
  if (refused !== undefined) throw new Error(`the operator was refused something: ${refused}`);
}

interface Kubeconfig {
  readonly clusters: readonly { readonly name: string }[];
}

/** The kubeconfig for an account on the server of another kubeconfig. */
function asAccount(kubeconfig: string, namespace: string, token: string): string {
  const [cluster] = (parse(kubeconfig) as Kubeconfig).clusters;
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "operator",
    contexts: [
      { name: "operator", context: { cluster: cluster?.name, user: "operator", namespace } },
    ],
    clusters: [cluster],
    users: [{ name: "operator", user: { token: token.trim() } }],
  });
}
