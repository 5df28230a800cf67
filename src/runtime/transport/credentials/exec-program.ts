/** Runs a program, within limits of size and time and while somebody waits for it. */
import { spawn, type ChildProcess } from "node:child_process";
import { statSync, accessSync, constants } from "node:fs";
import { delimiter, extname, isAbsolute, join } from "node:path";
import { abortReason, type Clock } from "../../../clock.ts";

export interface ProgramOptions {
  /** An absolute path, or a name to find in `PATH`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether it can prompt at the terminal, and inherits standard input and error output. */
  readonly interactive: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * The failure of a program. The message holds neither its arguments nor its output, because they
 * may have passwords.
 */
export class ProgramFailure extends Error {
  override readonly name = "ProgramFailure";
  /** Whether the program does not exist. */
  readonly missing: boolean;

  constructor(message: string, missing = false) {
    super(message);
    this.missing = missing;
  }
}

const MAX_OUTPUT_BYTES = 1024 * 1024;
/** The time between the request to end and the kill. */
const KILL_AFTER_MS = 2000;
/** The time in which a program's own children must close its output after it has ended. */
const CLOSE_WITHIN_MS = 1000;
const IS_WINDOWS = process.platform === "win32";

/**
 * The standard output of a program, once it has ended successfully.
 *
 * @throws ProgramFailure
 * @throws the signal's reason when it is aborted; the program and its children are ended then
 */
export function runProgram(options: ProgramOptions): Promise<string> {
  const { command, environment, interactive, signal, clock } = options;
  signal.throwIfAborted();
  const file = findProgram(command, environment);
  return new Promise((resolve, reject) => {
    const child = start(file, options);
    const output: Buffer[] = [];
    let bytes = 0;
    const settle = (outcome: () => void): void => {
      signal.removeEventListener("abort", abort);
      process.off("exit", killNow);
      outcome();
    };
    const giveUp = (error: Error): void => {
      end(child, clock, !interactive);
      child.stdout?.destroy();
      settle(() => {
        reject(error);
      });
    };
    const abort = (): void => {
      giveUp(abortReason(signal));
    };
    const killNow = (): void => {
      send(child, "SIGKILL", !interactive);
    };
    signal.addEventListener("abort", abort, { once: true });
    process.once("exit", killNow);
    child.stdout?.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes <= MAX_OUTPUT_BYTES) output.push(part);
      else giveUp(new ProgramFailure(`it printed more than ${MAX_OUTPUT_BYTES / 1024} KiB`));
    });
    child.once("error", (error: NodeJS.ErrnoException) => {
      settle(() => {
        reject(startFailure(error.code));
      });
    });
    child.once("exit", () => {
      const late = clock.after(CLOSE_WITHIN_MS, () => child.stdout?.destroy(), { unref: true });
      child.once("close", () => {
        late.cancel();
      });
    });
    child.once("close", (code, killedBy) => {
      settle(() => {
        if (code === 0) resolve(Buffer.concat(output).toString("utf8"));
        else reject(new ProgramFailure(endOf(code, killedBy)));
      });
    });
  });
}

/** @throws ProgramFailure; not Node's error, which holds the arguments */
function start(file: string, { args, environment, interactive }: ProgramOptions): ChildProcess {
  try {
    return spawn(file, [...args], {
      env: { ...environment },
      stdio: [interactive ? "inherit" : "ignore", "pipe", interactive ? "inherit" : "ignore"],
      // With a process group of its own, all children can be ended. A terminal only talks to the
      // foreground group.
      detached: !interactive && !IS_WINDOWS,
      windowsHide: true,
    });
  } catch (error) {
    throw startFailure((error as NodeJS.ErrnoException).code);
  }
}

function endOf(code: number | null, killedBy: NodeJS.Signals | null): string {
  return code === null
    ? `it was killed by ${killedBy ?? "a signal"}`
    : `it exited with code ${code}`;
}

function startFailure(code = "an unknown error"): ProgramFailure {
  if (code === "ENOENT") return new ProgramFailure("there is no such program", true);
  if (code === "EACCES") return new ProgramFailure("it is not executable");
  if (code === "ERR_INVALID_ARG_VALUE") {
    return new ProgramFailure("its path, arguments or variables hold a null character");
  }
  return new ProgramFailure(`it could not be started (${code})`);
}

/**
 * The path of a program. Unlike the search of the system, it never returns a file in the working
 * folder, which may be another user's.
 *
 * @throws ProgramFailure
 */
function findProgram(
  command: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  if (isAbsolute(command)) return command;
  const path = environment["PATH"] ?? environment["Path"] ?? "";
  const endings = IS_WINDOWS && extname(command) === "" ? [".exe", ".com", ".cmd", ".bat"] : [""];
  for (const folder of path.split(delimiter).filter((folder) => isAbsolute(folder))) {
    for (const ending of endings) {
      const file = join(folder, command + ending);
      if (!isProgram(file)) continue;
      if (!/\.(cmd|bat)$/i.test(file)) return file;
      throw new ProgramFailure("it is a batch file, and only programs can be started");
    }
  }
  throw startFailure("ENOENT");
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Asks a program and its children to end, and kills them when they do not. */
function end(child: ChildProcess, clock: Clock, wholeGroup: boolean): void {
  send(child, "SIGTERM", wholeGroup);
  const overdue = clock.after(KILL_AFTER_MS, () => {
    send(child, "SIGKILL", wholeGroup);
  });
  child.once("exit", () => {
    // Other processes of its group may live longer.
    if (!wholeGroup || !groupExists(child.pid)) overdue.cancel();
  });
}

function groupExists(pid: number | undefined): boolean {
  if (pid === undefined || IS_WINDOWS) return false;
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

function send(child: ChildProcess, signal: "SIGTERM" | "SIGKILL", wholeGroup: boolean): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (IS_WINDOWS) {
    spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true }).on(
      "error",
      () => child.kill(),
    );
    return;
  }
  if (!wholeGroup) {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // No process of the group is left.
  }
}
