/** One process of the operator under test, seen from outside: its probes, its metrics, its log. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock, timeoutSignal } from "../../../src/clock.ts";
import { eventually } from "../../../src/testing.ts";
import type { Held, Question } from "./operator.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const PROBE_MS = 5000;
const READY_MS = 60_000;

interface Ports {
  readonly metrics: number;
  readonly health: number;
}

/** The log of a replica. */
interface LogSummary {
  readonly lines: number;
  /** Lines that are not JSON objects. */
  readonly raw: number;
  readonly longest: number;
}

/** The settings of a replica. */
interface ReplicaSettings {
  readonly name: string;
  /** The variables by which it finds the cluster. */
  readonly environment: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly folder: string;
}

/** A process of the operator. */
export class Replica {
  readonly name: string;
  readonly logFile: string;
  readonly #child: ChildProcess;
  readonly #ports: Promise<Ports>;
  #exit: { readonly code: number | null } | undefined;

  constructor({ name, environment, args, folder }: ReplicaSettings) {
    this.name = name;
    this.logFile = join(folder, `${name}.log`);
    const log = openSync(this.logFile, "a");
    this.#child = spawn(
      process.execPath,
      ["--expose-gc", "scripts/run-ts.mjs", "scripts/verify/faults/operator.ts", ...args],
      {
        cwd: root,
        env: { ...process.env, KUBECONFIG: "", ...environment },
        stdio: ["ignore", log, log, "ipc"],
      },
    );
    this.#child.on("exit", (code) => {
      this.#exit = { code };
    });
    this.#ports = once(this.#child, "message").then(([ports]) => ports as Ports);
    this.#ports.catch(() => undefined);
  }

  /** Its exit code after it has ended by itself or by a signal; absent while it runs. */
  get exit(): { readonly code: number | null } | undefined {
    return this.#exit;
  }

  /** Sends a signal; does not wait. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it, gracefully unless `signal` says otherwise. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (!this.#exit) {
      const exited = once(this.#child, "exit");
      this.#child.kill(signal);
      await exited;
    }
    rmSync(join(root, `.cache/run/operator-${this.#child.pid ?? 0}.mjs`), { force: true });
  }

  /** Kills it, for a process that exits. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Waits until `/readyz` says ok. */
  async ready(timeoutMs = READY_MS): Promise<void> {
    await eventually(
      async () => {
        const { status, body } = await this.probe();
        if (status !== 200) throw new Error(`${this.name} is not ready: ${body}`);
      },
      { timeoutMs, intervalMs: 200 },
    );
  }

  /** The answer of `/readyz`. */
  async probe(): Promise<{ readonly status: number; readonly body: string }> {
    return this.#get((await this.#asked(this.#ports)).health, "/readyz?verbose");
  }

  /** The samples of `/metrics`, by their name and labels. */
  async metrics(): Promise<ReadonlyMap<string, number>> {
    const { body } = await this.#get((await this.#asked(this.#ports)).metrics, "/metrics");
    const lines = body.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return new Map(
      lines.map((line) => {
        const space = line.lastIndexOf(" ");
        return [line.slice(0, space), Number(line.slice(space + 1))];
      }),
    );
  }

  /** Its resources: sockets, timers, memory. */
  async held(): Promise<Held> {
    const answer = once(this.#child, "message");
    answer.catch(() => undefined);
    this.#ask({ ask: "held" });
    const [held] = (await this.#asked(answer)) as [Held];
    return held;
  }

  /** Moves its wall clock. */
  jump(byMs: number): void {
    this.#ask({ ask: "jump", byMs });
  }

  /** The size of its log, in bytes. */
  logSize(): number {
    return readFileSync(this.logFile).length;
  }

  /** The log after the first `from` bytes. */
  logSince(from: number): LogSummary {
    const lines = readFileSync(this.logFile)
      .subarray(from)
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "");
    return {
      lines: lines.length,
      raw: lines.filter((line) => !isJsonLine(line)).length,
      longest: Math.max(0, ...lines.map(({ length }) => length)),
    };
  }

  #ask(question: Question): void {
    this.#child.send(question);
  }

  async #get(port: number, path: string): Promise<{ status: number; body: string }> {
    const deadline = timeoutSignal(systemClock, PROBE_MS);
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal: deadline.signal });
      return { status: response.status, body: await response.text() };
    } finally {
      deadline.clear();
    }
  }

  /** Its answer, unless it has ended or is silent. */
  async #asked<T>(answer: Promise<T>): Promise<T> {
    if (this.#exit) throw new Error(`${this.name} has ended`);
    const over = new AbortController();
    const silent = systemClock.after(READY_MS, () => over.abort());
    const ended = once(this.#child, "exit", { signal: over.signal }).then(
      () => {
        throw new Error(`${this.name} has ended`);
      },
      () => {
        throw new Error(`${this.name} does not answer`);
      },
    );
    try {
      return await Promise.race([answer, ended]);
    } finally {
      silent.cancel();
      over.abort();
    }
  }
}

function isJsonLine(line: string): boolean {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}
