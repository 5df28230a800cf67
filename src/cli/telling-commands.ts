/** The commands that tell of tsop itself. */
import type { Command } from "commander";
import { json, type Done } from "./command-options.ts";
import type { CliContext } from "./context.ts";

/** Adds `version`, `explain` and `completion`. */
export function addTellingCommands(program: Command, context: CliContext, done: Done): void {
  program
    .command("version")
    .summary("versions of tsop, Kubernetes, Node and system")
    .description(
      "Print the versions of tsop, of the Kubernetes API that it speaks, of Node and of the system.",
    )
    .option("--json", "as JSON", false)
    .addOption(json())
    .action(async (options: { json: boolean; output?: "json" }) => {
      const { version } = await import("./commands/version.ts");
      done(version(options, context));
    });
  program
    .command("explain")
    .summary("what a marker or an error means")
    .description("Print what the documentation says of a marker or an error code.")
    .argument("<name>", "a marker such as Minimum, or a code such as right-missing")
    .addOption(json())
    .action(async (name: string, options: { output?: "json" }) => {
      const { explain } = await import("./commands/explain.ts");
      done(await explain(name, options, context));
    });
  program
    .command("completion")
    .summary("completion for a shell")
    .description("Print a completion script: `source <(tsop completion bash)`.")
    .addArgument(
      program
        .createArgument("<shell>", "which shell")
        .choices(["bash", "zsh", "fish", "powershell"]),
    )
    .action(async (shell: string) => {
      const { completion } = await import("./commands/completion.ts");
      done(completion(shell as Parameters<typeof completion>[0], program, context));
    });
  program
    .command("completion-words", { hidden: true })
    .description("Print what the project has for a flag; the completion scripts ask.")
    .argument("<flag>", "such as kind")
    .action(async (flag: string) => {
      const { completionWords } = await import("./commands/completion.ts");
      done(await completionWords(flag, context));
    });
}
