/** The user's operator as a child process: a crash of it is not one of tsop. */
import { messageOf, TsopError } from "../../errors.ts";
import { READER_VARIABLE } from "../../logging/process-log.ts";
import type { CliContext } from "../context.ts";
import { BackgroundProcess } from "../processes.ts";
import { LogPrinter } from "./log-printer.ts";

export interface OperatorOptions {
  readonly root: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Takes lines that are for this process alone, and are not printed. */
  readonly takes?: (line: string) => boolean;
  /** Whether a line is printed; all are when absent. */
  readonly shows?: (line: string) => boolean;
  /** The launcher; a new process when absent. */
  readonly launch?: LaunchOperator;
}

/** The arguments and the environment of an operator's process. */
type OperatorCall = Pick<OperatorOptions, "root" | "file" | "args" | "env">;

/** Makes the process of an operator that hands over its lines. */
export type LaunchOperator = (
  call: OperatorCall,
  onLine: (line: string) => void,
) => BackgroundProcess;

export class OperatorProcess {
  readonly #process: BackgroundProcess;
  readonly #context: CliContext;
  /** The exit code; `undefined` when a signal ended it. Rejects when it could not be started. */
  readonly exited: Promise<number | undefined>;

  private constructor(process: BackgroundProcess, context: CliContext) {
    this.#process = process;
    this.#context = context;
    this.exited = process.exited.catch((error: unknown) => {
      throw new TsopError(
        "operator-not-started",
        `The operator could not be started: ${messageOf(error)}`,
        "Check that node can be run here.",
        { cause: error },
      );
    });
    // A caller that does not wait for the end must not be killed by a failed start.
    this.exited.catch(() => undefined);
  }

  /**
   * Starts the operator; its log lines are printed as they come.
   *
   * @param onLine - told of every line, printed or not
   */
  static start(
    options: OperatorOptions,
    context: CliContext,
    onLine: (line: string) => void = () => undefined,
  ): OperatorProcess {
    const { launch = newProcess(context), shows = () => true } = options;
    const printer = new LogPrinter(context);
    const take = (line: string): void => {
      if (options.takes?.(line)) return;
      if (shows(line)) printer.print(line);
      onLine(line);
    };
    // It writes JSON, also on a terminal: its lines are shown to people here.
    const env = { ...options.env, [READER_VARIABLE]: "tsop" };
    const started = new OperatorProcess(launch({ ...options, env }, take), context);
    const end = (): void => {
      printer.end();
    };
    started.exited.then(end, end);
    return started;
  }

  /**
   * Asks the operator to end, and waits until it has ended.
   *
   * @param graceMs - how long it may take; after that it is killed
   */
  async stop(graceMs: number): Promise<void> {
    const overdue = this.#context.clock.after(graceMs, () => {
      this.#context.err(`the operator did not end within ${graceMs / 1000} s and is killed`);
      this.#process.kill();
    });
    this.#process.end();
    try {
      await this.exited;
    } finally {
      overdue.cancel();
    }
  }
}

/** A process of its own, made now. */
const newProcess =
  (context: CliContext): LaunchOperator =>
  ({ root, file, args, env }, onLine) => {
    const call = {
      program: process.execPath,
      args: ["--enable-source-maps", file, ...args],
      cwd: root,
      env: { ...context.env, ...env },
    };
    return BackgroundProcess.start(call, { onLine, ownGroup: true, endsWithCommand: true });
  };
