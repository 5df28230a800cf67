/**
 * The surroundings of a command: folder, streams, clock and interruption, as a port, so that tests
 * run the commands in their own process.
 */
import { systemClock, type Clock } from "../clock.ts";
import { ProgressLine } from "./progress-line.ts";
import { terminalLine } from "./terminal-text.ts";

/** The parts of the process that a command may touch. */
export interface CliContext {
  /** The folder that the command was started in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether someone is there to answer a question. */
  readonly interactive: boolean;
  readonly color: boolean;
  readonly clock: Clock;
  /** Keys of a terminal, for tests: called with the listener, it returns the function that ends the listening. */
  readonly keys?: (onKey: (key: string) => void) => (() => void) | undefined;
  /** Prints a line of the result (stdout). Line breaks in it are escaped, as all that a terminal obeys; see `printText`. */
  out(line: string): void;
  /** Prints a line of progress or of an error (stderr). */
  err(line: string): void;
  /** Prints a line for `--verbose` only (stderr). */
  detail(line: string): void;
  /** Names the work that goes on; a terminal shows it when it takes long. `undefined` when there is none any more. */
  doing(what: string | undefined): void;
  /** A signal that aborts on the first SIGINT, SIGTERM or SIGHUP from now on. */
  untilInterrupted(): AbortSignal;
}

/** The context of this process. */
export function processContext(): CliContext {
  const { stdout, stderr, env } = process;
  const hasLine = stderr.isTTY && env["TERM"] !== "dumb";
  const line = hasLine ? new ProgressLine(stderr, systemClock) : undefined;
  return {
    cwd: process.cwd(),
    env,
    // The streams are opened for those commands only that ask for them.
    get interactive() {
      return process.stdin.isTTY && process.stderr.isTTY;
    },
    color:
      env["NO_COLOR"] === undefined &&
      env["TERM"] !== "dumb" &&
      (stdout.isTTY || env["FORCE_COLOR"] !== undefined),
    clock: systemClock,
    out: (text) => {
      line?.clear();
      stdout.write(`${terminalLine(text)}\n`);
    },
    err: (text) => {
      line?.clear();
      stderr.write(`${terminalLine(text)}\n`);
    },
    detail: () => undefined,
    doing: (what) => line?.say(what),
    untilInterrupted: interruptSignal,
  };
}

const INTERRUPTIONS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** The second signal ends the process at once: a hanging stop can be cut short. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const [name, number] of Object.entries(INTERRUPTIONS)) {
    process.on(name, () => {
      // As shells report a death by that signal; unlike one, it lets child processes be ended.
      // oxlint-disable-next-line no-restricted-properties -- nothing is left that could be thrown to
      if (controller.signal.aborted) process.exit(128 + number);
      controller.abort(new Error("interrupted"));
    });
  }
  return controller.signal;
}
