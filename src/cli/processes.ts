/**
 * Every process that a command starts, but for those of its libraries: arguments as lists, the shims of
 * Windows (`npm.cmd`) found, an end that is asked for and then enforced, errors that say what was printed last.
 */
import { execa, ExecaError } from "execa";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { messageOf, TsopError } from "../errors.ts";
import type { CliContext } from "./context.ts";
import { packageRoot } from "./package-info.ts";
import { programPath } from "./program-path.ts";
import { tableOf } from "../table.ts";

/** A program, what it is called with, and where. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The program's whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The options of a run: its end, and its reports. */
interface RunOptions {
  /** Ends the program when it aborts. */
  readonly signal?: AbortSignal;
  readonly context: Pick<CliContext, "detail" | "doing">;
}

/** The sources of programs that a machine may lack; others have packages of their name. */
const SOURCES = tableOf<string>({
  "xdg-open": " It comes with xdg-utils.",
  npm: " It comes with Node: https://nodejs.org/en/download",
  git: " Get it from https://git-scm.com/downloads",
});

/** The time that a process has to end after it was asked to; then it is killed. */
const GRACE_MS = 5000;
/** The time after which a process that has not failed counts as running. */
const SETTLED_MS = 1500;
/** The number of lines of output that an error shows. */
const LAST_LINES = 20;
/** The limit of output: more than any listing of a git repository has. */
const MAX_OUTPUT_CHARACTERS = 1 << 28;

/**
 * Runs a program to its end; returns its standard output.
 *
 * @throws TsopError `program-not-found`; `program-failed`, or `program-killed` by a signal, with the end of the output;
 *   `program-interrupted`
 */
export async function runToEnd(
  call: ProgramCall,
  { signal, context }: RunOptions,
): Promise<string> {
  const line = [call.program, ...call.args].join(" ");
  context.doing(line);
  context.detail(`${line}, in ${call.cwd}`);
  try {
    const { stdout } = await execa(programPath(call), call.args, {
      ...placeOf(call),
      stdin: "ignore",
      maxBuffer: MAX_OUTPUT_CHARACTERS,
      stripFinalNewline: false,
      forceKillAfterDelay: GRACE_MS,
      ...(signal ? { cancelSignal: signal } : {}),
    });
    return stdout;
  } catch (error) {
    throw failureOf(call, error);
  }
}

function placeOf({ cwd, env }: ProgramCall): {
  cwd: string;
  env: NodeJS.ProcessEnv;
  extendEnv: false;
} {
  return { cwd, env, extendEnv: false };
}

function failureOf(call: ProgramCall, error: unknown): TsopError {
  const line = [call.program, ...call.args].join(" ");
  if (!(error instanceof ExecaError)) {
    return new TsopError(
      "program-failed",
      `\`${line}\` failed: ${messageOf(error)}`,
      `Run it in ${call.cwd} to see more.`,
      { cause: error },
    );
  }
  if (error.code === "ENOENT") {
    return new TsopError(
      "program-not-found",
      `There is no program ${call.program} on the PATH.`,
      `Install ${call.program}, or add its folder to the PATH.${SOURCES.get(call.program) ?? ""}`,
      { cause: error },
    );
  }
  if (error.isCanceled) {
    return new TsopError(
      "program-interrupted",
      `\`${line}\` was interrupted.`,
      `Run it again in ${call.cwd}.`,
      { cause: error },
    );
  }
  const ended =
    error.signal === undefined ? endingOf(error.exitCode) : `was terminated by ${error.signal}`;
  const last = lastLines(`${textOf(error.stdout)}\n${textOf(error.stderr)}`);
  return new TsopError(
    error.exitCode === undefined ? "program-killed" : "program-failed",
    `\`${line}\` ${ended}${last === "" ? " without output." : `:\n${last}`}`,
    `Run it in ${call.cwd} to see more.`,
    { cause: error },
  );
}

/** How a process ended, for messages: `exited with code 1`. */
export const endingOf = (code: number | undefined): string =>
  code === undefined ? "was terminated by a signal" : `exited with code ${code}`;

const textOf = (output: unknown): string => (typeof output === "string" ? output : "");

function lastLines(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  return lines
    .slice(-LAST_LINES)
    .map((line) => `  ${line.trimEnd()}`)
    .join("\n");
}

/** The options of a process that goes on beside the command that started it. */
export interface BackgroundOptions {
  /** Called with each line of stdout and stderr. */
  readonly onLine: (line: string) => void;
  /** A Ctrl-C of the terminal goes to its whole process group: such a process is out of it, and is ended by us alone. */
  readonly ownGroup?: boolean;
  /**
   * With `ownGroup`: a signal that ends it ends the programs that it has started, too; npm hands no
   * signal on to its scripts.
   */
  readonly endsAsGroup?: boolean;
  /**
   * A program of Node, called with the arguments of `node`: it may be told something by `send`, and ends by itself when
   * this command was killed.
   */
  readonly endsWithCommand?: boolean;
}

const ENDS_WITH_COMMAND = "dist/cli/operator/ends-with-command.js";

/** A process that goes on until it is ended. */
export class BackgroundProcess {
  readonly #child: Child;
  readonly #endsAsGroup: boolean;
  /** The exit code; `undefined` when a signal ended it. Rejects with a `TsopError` when it could not be started. */
  readonly exited: Promise<number | undefined>;

  private constructor(child: Child, call: ProgramCall, { endsAsGroup }: BackgroundOptions) {
    this.#child = child;
    this.#endsAsGroup = endsAsGroup === true && process.platform !== "win32";
    this.exited = child.then((result) => {
      if (result.exitCode === undefined && result.signal === undefined)
        throw failureOf(call, result);
      return result.exitCode;
    });
    // A caller that does not wait for the end must not be killed by a failed start.
    this.exited.catch(() => undefined);
  }

  static start(call: ProgramCall, options: BackgroundOptions): BackgroundProcess {
    const { onLine, ownGroup = false, endsWithCommand = false } = options;
    const child = launch(
      endsWithCommand ? endingWithCommand(call) : call,
      ownGroup,
      endsWithCommand,
    );
    const started = new BackgroundProcess(child, call, options);
    // Ends processes in groups of their own, too.
    const reap = (): void => {
      started.kill();
    };
    process.once("exit", reap);
    void child.then(() => process.off("exit", reap));
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", onLine);
    }
    return started;
  }

  /** Sends a message to a process that takes messages; one that has ended says so by `exited`. */
  send(message: Readonly<Record<string, unknown>>): void {
    this.#child.sendMessage?.(message).catch(() => undefined);
  }

  end(): void {
    this.#signal("SIGTERM");
  }

  kill(): void {
    this.#signal("SIGKILL");
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (!this.#endsAsGroup || pid === undefined) this.#child.kill(signal);
    else if (exitCode === null && signalCode === null) process.kill(-pid, signal);
  }
}

/**
 * Starts a program that goes on by itself: a browser. Resolves when it runs, or has ended well.
 *
 * @throws TsopError `program-not-found`, `program-failed` when it ends at once
 */
export async function leaveRunning(
  call: ProgramCall,
  { clock }: Pick<CliContext, "clock">,
): Promise<void> {
  const child = execa(programPath(call), call.args, {
    ...placeOf(call),
    stdio: "ignore",
    detached: true,
    cleanup: false,
    reject: false,
  });
  child.unref();
  const enough = new AbortController();
  const result = await Promise.race([
    child,
    clock.sleep(SETTLED_MS, enough.signal).catch(() => undefined),
  ]);
  enough.abort();
  if (result?.failed) throw failureOf(call, result);
}

type Child = ReturnType<typeof launch>;

function endingWithCommand(call: ProgramCall): ProgramCall {
  const { href } = pathToFileURL(join(packageRoot(), ENDS_WITH_COMMAND));
  return { ...call, args: ["--import", href, ...call.args] };
}

function launch(call: ProgramCall, ownGroup: boolean, hasChannel: boolean) {
  return execa(programPath(call), call.args, {
    ...placeOf(call),
    stdin: "ignore",
    buffer: false,
    ipc: hasChannel,
    reject: false,
    detached: ownGroup && process.platform !== "win32",
    // The caller that starts the process decides when its time is over.
    forceKillAfterDelay: false,
  });
}
