/**
 * The user's operator as a child process: a crash of it is not one of tsop.
 *
 * @module
 */
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { messageOf, TsopError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { formatLogLine } from "./log-lines.ts";

/** How an operator is started. */
export interface OperatorOptions {
  readonly root: string;
  /** The bundled file. */
  readonly file: string;
  readonly args: readonly string[];
  /** Beside those of this process. */
  readonly env: Readonly<Record<string, string>>;
}

/** A running operator. */
export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly #context: CliContext;
  /** The exit code; `undefined` when a signal ended it. Rejects when it could not be started. */
  readonly exited: Promise<number | undefined>;

  private constructor(child: ChildProcess, context: CliContext) {
    this.#child = child;
    this.#context = context;
    this.exited = new Promise((resolve, reject) => {
      child.once("error", (error) =>
        reject(
          new TsopError(
            "operator-not-started",
            `The operator could not be started: ${messageOf(error)}`,
            "Check that node can be run here.",
            { cause: error },
          ),
        ),
      );
      // Not `exit`: what it wrote last may still be on its way.
      child.once("close", (code) => resolve(code ?? undefined));
    });
    // Whoever does not wait for the end must not be killed by a failed start.
    this.exited.catch(() => undefined);
  }

  /**
   * Starts the operator; its log lines are printed as they come.
   *
   * @param onLine - told of every line once it is printed
   */
  static start(
    options: OperatorOptions,
    context: CliContext,
    onLine: (line: string) => void = () => undefined,
  ): OperatorProcess {
    const child = spawn(process.execPath, ["--enable-source-maps", options.file, ...options.args], {
      cwd: options.root,
      env: { ...context.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      // A Ctrl-C of the terminal goes to its whole process group; the operator is stopped once, by us.
      detached: process.platform !== "win32",
    });
    const reap = (): void => void child.kill("SIGKILL");
    process.once("exit", reap);
    child.once("exit", () => process.off("exit", reap));
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        context.out(formatLogLine(line, context));
        onLine(line);
      });
    }
    return new OperatorProcess(child, context);
  }

  /**
   * Asks the operator to end, and waits until it did.
   *
   * @param graceMs - how long it may take; after that it is killed
   */
  async stop(graceMs: number): Promise<void> {
    const overdue = this.#context.clock.after(graceMs, () => {
      this.#context.err(`the operator did not end within ${graceMs / 1000} s and is killed`);
      this.#child.kill("SIGKILL");
    });
    this.#child.kill("SIGTERM");
    try {
      await this.exited;
    } finally {
      overdue.cancel();
    }
  }
}
