/** The first process of a container: when it ends by itself, how it takes SIGTERM, what it writes. */
import type { Pod } from "../../../builtin/kinds/core/pod/shape.ts";
import type { Container } from "../../../builtin/shared/pods/pod-shapes.ts";
import { controllerOf } from "../../framework/owner-references.ts";
import type { Simulation } from "../simulation.ts";
import { isStrangeScript, runCommand } from "./command-run.ts";
import type { CommandRun } from "./command-course.ts";
import type { ShellSettings } from "./shell.ts";

/** The role of a container in its pod. */
export type ContainerRole = "main" | "init" | "sidecar" | "ephemeral";

/** What is run. */
export interface ProcessStart {
  readonly pod: Pod;
  readonly container: Container;
  readonly role: ContainerRole;
  readonly simulation: Simulation;
  readonly startMs: number;
  /** The shortest life of a process. */
  readonly lifeMs: number;
}

/** The end of a process. */
export interface ProcessEnd {
  readonly endMs: number;
  readonly exitCode: number;
  readonly reason: "Completed" | "Error" | "OOMKilled";
}

const TERMINATED_BY_SIGTERM = 143;
const LONGEST_MESSAGE = 4096;
const LONGEST_LOG_MESSAGE = 2048;
const LOG_LINES = 80;

export class Process {
  readonly #start: ProcessStart;
  readonly #words: readonly string[];
  readonly #settings: ShellSettings;
  /** What its command says, where that counts. */
  readonly #told: CommandRun | undefined;

  constructor(start: ProcessStart) {
    this.#start = start;
    const { command = [], args = [], env = [], resources } = start.container;
    this.#words = [...command, ...args];
    this.#settings = {
      env: new Map([
        ["HOME", "/root"],
        ["HOSTNAME", start.pod.metadata.name],
        ...env.map(
          ({ name, value, valueFrom }) => [name, valueFrom ? undefined : (value ?? "")] as const,
        ),
      ]),
      hasMemoryLimit: resources?.limits?.["memory"] !== undefined,
    };
    this.#told = this.#isScripted ? undefined : runCommand(this.#words, this.#settings);
  }

  /** Whether the annotation decides about it. */
  get #isScripted(): boolean {
    const { role, simulation } = this.#start;
    return role === "main" && simulation.kind !== "commands" && simulation.kind !== "no-image";
  }

  /** Whether it is a shell's script that is not understood, so that its end is a guess. */
  get isGuessed(): boolean {
    return !this.#isScripted && this.#told === undefined && isStrangeScript(this.#words);
  }

  /** Whether it may listen at a port: commands that are understood don't. */
  get mayListen(): boolean {
    return this.#told === undefined;
  }

  /** Whether it changes files, so that commands in its container may find something else later. */
  get writesFiles(): boolean {
    return (this.#told?.files ?? []).length > 0;
  }

  /** Its end when nothing stops it; `undefined` when it stays up. */
  get end(): ProcessEnd | undefined {
    const { startMs, role, simulation, pod } = this.#start;
    if (this.#isScripted) {
      if (simulation.kind === "fail") return this.#endOf(startMs, simulation.exitCode);
      if (simulation.kind !== "oom") return undefined;
      return { endMs: startMs + simulation.afterMs, exitCode: 137, reason: "OOMKilled" };
    }
    if (this.#told) return this.#endOfRun(this.#told);
    const isOfJob = controllerOf(pod)?.kind === "Job" && pod.spec.restartPolicy !== "Always";
    const succeeds = role === "init" || (role === "main" && isOfJob);
    return succeeds ? this.#endOf(startMs, 0) : undefined;
  }

  /** Its end after SIGTERM; `undefined` when it ignores the signal, as a first process without a handler. */
  endAfterSignal(signalMs: number): ProcessEnd | undefined {
    const { startMs, pod } = this.#start;
    if (this.#told) {
      const told = runCommand(this.#words, { ...this.#settings, signalMs: signalMs - startMs });
      const end = told && this.#endOfRun(told);
      return end?.endMs === this.end?.endMs ? undefined : end;
    }
    // A server ends well when it is told to; work that is not restarted was not done.
    const isServer = pod.spec.restartPolicy === undefined || pod.spec.restartPolicy === "Always";
    return this.#endOf(signalMs, isServer ? 0 : TERMINATED_BY_SIGTERM);
  }

  /** The files that it wrote by then. */
  filesAt(nowMs: number): ReadonlyMap<string, string> {
    const files = new Map<string, string>();
    for (const { atMs, path, text } of this.#told?.files ?? []) {
      if (this.#start.startMs + atMs > nowMs) break;
      if (text === undefined) files.delete(path);
      else files.set(path, text);
    }
    return files;
  }

  /** A command in the container, such as that of a probe; `undefined` when it is not understood. */
  exec(words: readonly string[], nowMs: number): CommandRun | undefined {
    return runCommand(words, { ...this.#settings, files: this.filesAt(nowMs) });
  }

  /** The message of its end: what it wrote to its termination log, or its last output. */
  messageAt(endMs: number, exitCode: number): string | undefined {
    const { terminationMessagePath = "/dev/termination-log", terminationMessagePolicy } =
      this.#start.container;
    const written = this.filesAt(endMs).get(terminationMessagePath) ?? "";
    if (written !== "") return written.slice(-LONGEST_MESSAGE);
    if (terminationMessagePolicy !== "FallbackToLogsOnError" || exitCode === 0) return undefined;
    const printed = (this.#told?.output ?? [])
      .filter(({ atMs }) => this.#start.startMs + atMs <= endMs)
      .map(({ text }) => text)
      .join("");
    const lines = printed
      .split("\n")
      .slice(-LOG_LINES - 1)
      .join("\n");
    return lines === "" ? undefined : lines.slice(-LONGEST_LOG_MESSAGE);
  }

  #endOfRun({ endMs, exitCode, isOutOfMemory }: CommandRun): ProcessEnd | undefined {
    if (endMs === undefined) return undefined;
    const end = this.#endOf(this.#start.startMs + endMs, exitCode);
    return isOutOfMemory ? { ...end, reason: "OOMKilled" } : end;
  }

  #endOf(endMs: number, exitCode: number): ProcessEnd {
    const { startMs, lifeMs } = this.#start;
    const reason = exitCode === 0 ? "Completed" : "Error";
    return { endMs: Math.max(endMs, startMs + lifeMs), exitCode, reason };
  }
}
