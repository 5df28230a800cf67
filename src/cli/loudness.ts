/** How much the commands print: `--quiet` and `--verbose` of each, and progress on a terminal. */
import type { Command } from "commander";
import { present } from "../present.ts";
import type { CliContext } from "./context.ts";
import { commandsBelow } from "./help.ts";

/** Commands that print their result and nothing else. */
const PRINTING = ["list", "explain", "why", "replay", "version", "completion"];
/** Commands that go on until they are ended, and say themselves what happens. */
const GOING_ON = ["run", "dev", "cluster"];

/** A context that prints as much as the flags of the command say. */
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

  /** Adds the flags to the commands that have a use for them. */
  addTo(program: Command): void {
    for (const { path, command } of commandsBelow(program)) {
      if (command.commands.length > 0 || [...PRINTING, ...GOING_ON].includes(path)) continue;
      command
        .option("--quiet", "print only errors, notes and the output that a flag asks for")
        .option("--verbose", "print each request and each program too, and a stack with errors");
    }
    program.hook("preAction", (_program, command) => this.#take(command));
  }

  #take(command: Command): void {
    const flags = command.opts<Record<string, unknown>>();
    const isAsked =
      flags["output"] === "json" ||
      ["render", "dryRun", "diff"].some((flag) => flags[flag] === true);
    this.#quiet = flags["quiet"] === true && !isAsked;
    this.#verbose = flags["verbose"] === true;
    if (!GOING_ON.includes(command.name())) this.context.doing(command.name());
  }
}
