/**
 * A process that is ready before the next save: to start Node and to load tsop takes longer than all else between a save
 * and the next reconcile.
 */
import { join, resolve } from "node:path";
import type { Timer } from "../../../clock.ts";
import type { CliContext } from "../../context.ts";
import { packageRoot } from "../../package-info.ts";
import { BackgroundProcess } from "../../processes.ts";
import { stampOf } from "../file-stamp.ts";
import type { LaunchOperator } from "../operator-process.ts";
import type { OperatorMessage } from "./waiting-operator.ts";

const PROGRAM = "dist/cli/operator/dev/waiting-operator.js";
/** The operator that was just started reconciles first. */
const AFTER_MS = 250;

/** A process that waits, and what it has loaded. */
interface Waiting {
  readonly process: BackgroundProcess;
  readonly files: readonly string[];
  /** The stamp of the files, when it loaded them. */
  readonly stamp: string;
  /** Hands over the process's lines from now on, and those that came before. */
  readonly listen: (onLine: (line: string) => void) => void;
  hasEnded: boolean;
}

/** Keeps one process waiting. None of them does anything before it becomes an operator. */
export class WaitingProcesses {
  readonly #root: string;
  readonly #context: CliContext;
  #waiting: Waiting | undefined;
  #soon: Timer | undefined;
  #isOver = false;

  constructor(root: string, context: CliContext) {
    this.#root = root;
    this.#context = context;
  }

  /** Starts a process, unless there is one. @param files - the modules that it loads */
  prepare(files: Iterable<string>): void {
    // Two processes cannot have one port of the debugger.
    const isDebugged = /--inspect/.test(this.#context.env["NODE_OPTIONS"] ?? "");
    if (this.#waiting || this.#isOver || isDebugged) return;
    this.#waiting = this.#start([...files]);
  }

  /** Starts a process in a moment. */
  prepareSoon(files: Iterable<string> = []): void {
    this.#soon?.cancel();
    this.#soon = this.#context.clock.after(AFTER_MS, () => {
      this.prepare(files);
    });
  }

  /** The operator that was started is the one that waited, or a new process. */
  readonly launch: LaunchOperator = ({ root, file, args, env }, onLine) => {
    this.#soon?.cancel();
    const { process, listen } = this.#take() ?? this.#start([]);
    listen(onLine);
    const message: OperatorMessage = { file: resolve(root, file), args, env };
    process.send({ ...message });
    return process;
  };

  stop(): void {
    this.#isOver = true;
    this.#soon?.cancel();
    this.#waiting?.process.kill();
    this.#waiting = undefined;
  }

  /** The one that waits, unless it has ended or has loaded what is another file by now. */
  #take(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!waiting || waiting.hasEnded) return undefined;
    if (waiting.stamp === stampOf(waiting.files)) return waiting;
    waiting.process.kill();
    return undefined;
  }

  #start(files: readonly string[]): Waiting {
    const early: string[] = [];
    let tell = (line: string): void => void early.push(line);
    const program = join(packageRoot(), PROGRAM);
    const stamp = stampOf(files);
    const call = {
      program: process.execPath,
      args: ["--enable-source-maps", program, ...files],
      cwd: this.#root,
      env: this.#context.env,
    };
    const onLine = (line: string): void => {
      tell(line);
    };
    const started = BackgroundProcess.start(call, {
      onLine,
      ownGroup: true,
      endsWithCommand: true,
    });
    const listen = (listener: typeof tell): void => {
      tell = listener;
      early.splice(0).forEach(tell);
    };
    const waiting: Waiting = { process: started, files, stamp, listen, hasEnded: false };
    const noteEnd = (): void => {
      waiting.hasEnded = true;
    };
    started.exited.then(noteEnd, noteEnd);
    return waiting;
  }
}
