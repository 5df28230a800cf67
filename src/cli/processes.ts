/**
 * Every process that a command starts, but for those of its libraries: arguments as lists, the shims of
 * Windows (`npm.cmd`) found, an end that is asked for and then enforced, errors that say what was printed last.
 *
 * @module
 */
import { execa, ExecaError } from "execa";
import { createInterface } from "node:readline";
import { messageOf, TsopError } from "../errors.ts";
import type { CliContext } from "./context.ts";

/** A program, what it is called with, and where. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Who ends a program, and who is told of it. */
interface RunOptions {
  /** Ends the program when it aborts. */
  readonly signal?: AbortSignal;
  readonly context: Pick<CliContext, "detail" | "doing">;
}

/** How a program gets on a machine that has none; others have packages of their name. */
const SOURCES: Readonly<Record<string, string>> = {
  npm: " It comes with Node: https://nodejs.org/en/download",
  git: " Get it from https://git-scm.com/downloads",
};

/** How long a process may take to end after it was asked to; then it is killed. */
const GRACE_MS = 5000;
/** How much of the output an error shows. */
const LAST_LINES = 20;
/** More than any listing of a git repository has. */
const MAX_OUTPUT_CHARACTERS = 1 << 28;

/**
 * Runs a program to its end; what it writes to stdout is returned.
 *
 * @throws TsopError `program-not-found`, `program-failed` with the end of the output, `program-interrupted`
 */
export async function runToEnd(
  call: ProgramCall,
  { signal, context }: RunOptions,
): Promise<string> {
  const line = [call.program, ...call.args].join(" ");
  context.doing(line);
  context.detail(`${line}, in ${call.cwd}`);
  try {
    const { stdout } = await execa(call.program, call.args, {
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
      `Install ${call.program}, or add its folder to the PATH.${SOURCES[call.program] ?? ""}`,
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
    error.exitCode === undefined
      ? `was ended by ${error.signal ?? "a signal"}`
      : `ended with ${error.exitCode}`;
  const last = lastLines(`${textOf(error.stdout)}\n${textOf(error.stderr)}`);
  return new TsopError(
    "program-failed",
    `\`${line}\` ${ended}${last === "" ? ", and printed nothing." : `:\n${last}`}`,
    `Run it in ${call.cwd} to see more.`,
    { cause: error },
  );
}

const textOf = (output: unknown): string => (typeof output === "string" ? output : "");

function lastLines(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  return lines
    .slice(-LAST_LINES)
    .map((line) => `  ${line.trimEnd()}`)
    .join("\n");
}

/** How a process goes on beside the command that started it. */
export interface BackgroundOptions {
  /** Told of each line of stdout and stderr. */
  readonly onLine: (line: string) => void;
  /** A Ctrl-C of the terminal goes to its whole process group: such a process is out of it, and is ended by us alone. */
  readonly ownGroup?: boolean;
}

/** A process that goes on until it is ended. It never outlives the command. */
export class BackgroundProcess {
  readonly #child: Child;
  /** The exit code; `undefined` when a signal ended it. Rejects with a `TsopError` when it could not be started. */
  readonly exited: Promise<number | undefined>;

  private constructor(child: Child, call: ProgramCall) {
    this.#child = child;
    this.exited = child.then((result) => {
      if (result.exitCode === undefined && result.signal === undefined)
        throw failureOf(call, result);
      return result.exitCode;
    });
    // Whoever does not wait for the end must not be killed by a failed start.
    this.exited.catch(() => undefined);
  }

  /** Starts a program. */
  static start(
    call: ProgramCall,
    { onLine, ownGroup = false }: BackgroundOptions,
  ): BackgroundProcess {
    const child = launch(call, ownGroup);
    // Also those in groups of their own.
    const reap = (): void => void child.kill("SIGKILL");
    process.once("exit", reap);
    void child.then(() => process.off("exit", reap));
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", onLine);
    }
    return new BackgroundProcess(child, call);
  }

  /** Asks the process to end. */
  end(): void {
    this.#child.kill("SIGTERM");
  }

  /** Ends the process at once. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

type Child = ReturnType<typeof launch>;

function launch(call: ProgramCall, ownGroup: boolean) {
  return execa(call.program, call.args, {
    ...placeOf(call),
    stdin: "ignore",
    buffer: false,
    reject: false,
    detached: ownGroup && process.platform !== "win32",
    // Whoever starts the process decides when its time is over.
    forceKillAfterDelay: false,
  });
}
