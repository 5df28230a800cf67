/** How much the commands print: `--quiet` and `--verbose` of each, and progress on a terminal. */
import { present } from "../present.ts";
import type { AnyCommand } from "./command.ts";
import type { CliContext } from "./context.ts";

/** A context that prints as much as the flags of the command ask for. */
export class Loudness {
  readonly context: CliContext;
  #quiet = false;
  #verbose = false;

  constructor(context: CliContext) {
    const isQuiet = (): boolean => this.#quiet;
    const isVerbose = (): boolean => this.#verbose;
    this.context = {
      cwd: context.cwd,
      get env() {
        return isVerbose() ? { ...context.env, TSOP_DEBUG: "1" } : context.env;
      },
      get interactive() {
        return context.interactive;
      },
      color: context.color,
      clock: context.clock,
      ...present({ keys: context.keys }),
      out: (line) => {
        if (!isQuiet()) context.out(line);
      },
      err: (line) => context.err(line),
      detail: (line) => {
        if (isVerbose()) context.err(`  ${line}`);
      },
      doing: (what) => {
        if (!isQuiet()) context.doing(what);
      },
      untilInterrupted: () => context.untilInterrupted(),
    };
  }

  addFlagsTo(command: AnyCommand): void {
    command
      .option("--quiet", "print only errors, notes, and output that a flag requests")
      .option("--verbose", "also print API requests, subprocesses, and stack traces");
  }

  /** Takes the options of the command that runs now. */
  take(
    { name, output }: { readonly name: string; readonly output?: "result" | "endless" },
    options: Readonly<Record<string, unknown>>,
  ): void {
    const isRequested =
      options["output"] === "json" ||
      ["render", "dryRun", "diff"].some((flag) => options[flag] === true);
    this.#quiet = options["quiet"] === true && !isRequested;
    this.#verbose = options["verbose"] === true;
    if (output !== "endless") this.context.doing(name);
  }
}
