/** The program: a tree of commands, each of which is loaded when it runs. */
import { CommanderError } from "commander";
import { refuseAbsentCommands } from "./absent-commands.ts";
import { COMMAND_TREE } from "./commands/command-tree.ts";
import { Command, type AnyCommand } from "./command.ts";
import { processContext, type CliContext } from "./context.ts";
import { addProgramHelp, HELP } from "./help.ts";
import { Loudness } from "./loudness.ts";
import { packageVersion } from "./package-info.ts";

/** Parses `argv`, runs the command and turns every result into an exit code. */
export async function runProgram(
  argv: readonly string[],
  context: CliContext = processContext(),
): Promise<number> {
  let code = 0;
  const loudness = new Loudness(context);
  const done = (result: number): void => {
    code = result;
  };
  const program = buildProgram(context, done, loudness);
  try {
    if (argv.length === 0) {
      program.outputHelp();
      return 0;
    }
    await program.parseAsync(withKnownHelp(program, argv), { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { reportError } = await import("./output.ts");
    return reportError(error, loudness.context);
  } finally {
    context.doing(undefined);
  }
}

/**
 * `help create api` as `create api --help`. If there is no such command, only the words: that is an error, which names
 * the nearest command.
 */
function withKnownHelp(program: AnyCommand, argv: readonly string[]): readonly string[] {
  const isHelpWord = argv[0] === "help" && argv.length > 1;
  if (!isHelpWord && !argv.some((word) => word === "--help" || word === "-h")) return argv;
  const end = argv.findIndex((word) => word.startsWith("-"));
  const words = argv.slice(isHelpWord ? 1 : 0, end === -1 ? argv.length : end);
  let command = program;
  for (const [index, word] of words.entries()) {
    const next = command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    if (!next && command.commands.length > 0) return words.slice(0, index + 1);
    command = next ?? command;
  }
  return isHelpWord ? [...words, "--help"] : argv;
}

/** The tree with all its flags; `completion` and the documentation read it, too. */
export function buildProgram(
  context: CliContext,
  done: (code: number) => void,
  loudness = new Loudness(context),
): AnyCommand {
  const program: AnyCommand = new Command("tsop")
    .description("Kubernetes operators in TypeScript, with the control plane in the box.")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .showSuggestionAfterError(true)
    .showHelpAfterError("(`--help` after the command lists its flags)")
    .configureHelp(HELP)
    .enablePositionalOptions() // `create api --version` is not the program's `--version`
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        for (const line of text.replace(/\n$/, "").split("\n")) context.out(line);
      },
      writeErr: (text) => {
        for (const line of text.replace(/\n$/, "").split("\n")) context.err(line);
      },
    });
  for (const { heading, commands } of COMMAND_TREE) {
    program.commandsGroup(heading);
    for (const node of commands) node.addTo(program, { loudness, program, done });
  }
  refuseAbsentCommands(program);
  addProgramHelp(program);
  return program;
}
