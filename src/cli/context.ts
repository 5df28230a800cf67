/**
 * Where a command runs: folder, streams, clock and interruption, as a port, so that tests run the
 * commands in their own process.
 *
 * @module
 */
import { systemClock, type Clock } from "../clock.ts";

/** What a command may touch of the process. */
export interface CliContext {
  /** The folder that the command was started in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Someone is there to answer a question. */
  readonly interactive: boolean;
  readonly color: boolean;
  readonly clock: Clock;
  /** Prints a line of the result (stdout). */
  out(line: string): void;
  /** Prints a line of progress or of an error (stderr). */
  err(line: string): void;
  /** A signal that aborts on the first SIGINT or SIGTERM from now on. */
  untilInterrupted(): AbortSignal;
}

/** The context of this process. */
export function processContext(): CliContext {
  const { stdin, stdout, stderr, env } = process;
  return {
    cwd: process.cwd(),
    env,
    interactive: stdin.isTTY && stderr.isTTY,
    color:
      env["NO_COLOR"] === undefined &&
      env["TERM"] !== "dumb" &&
      (stdout.isTTY || env["FORCE_COLOR"] !== undefined),
    clock: systemClock,
    out: (line) => void stdout.write(`${line}\n`),
    err: (line) => void stderr.write(`${line}\n`),
    untilInterrupted: interruptSignal,
  };
}

/** The second signal is left to Node, which ends the process: a hanging stop can be cut short. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const interrupted = (): void => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.off(name, interrupted);
    controller.abort(new Error("interrupted"));
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, interrupted);
  return controller.signal;
}
