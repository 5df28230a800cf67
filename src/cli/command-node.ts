import type { OptionValues } from "@commander-js/extra-typings";
import type { AnyCommand, CommandDefinition, CommandTexts, RunFunction } from "./command.ts";
import type { Loudness } from "./loudness.ts";

/** The surroundings that all commands of a tree share. */
interface Runtime {
  readonly loudness: Loudness;
  readonly program: AnyCommand;
  /** Takes the exit code. */
  readonly done: (code: number) => void;
}

/** A command of the tree, or a group of them. */
export interface CommandNode {
  readonly texts: Pick<CommandTexts, "name" | "description"> & Partial<CommandTexts>;
  /** The commands of a group. */
  readonly children: readonly CommandNode[];
  addTo(parent: AnyCommand, runtime: Runtime): void;
}

/** A command, with the import of its `run.ts`, which happens when it runs. */
export function command<Arguments extends unknown[], Flags extends OptionValues>(
  definition: CommandDefinition<Arguments, Flags>,
  load: () => Promise<{ readonly run: RunFunction<Arguments, Flags> }>,
): CommandNode {
  const { name, summary, description, examples, notes = [], hidden = false } = definition;
  return {
    texts: definition,
    children: [],
    addTo(parent, { loudness, program, done }) {
      const added = definition.flags(parent.command(name, { hidden }));
      added
        .summary(summary)
        .description(description)
        .addHelpText("after", helpAfterFlags(examples, notes))
        .action(async () => {
          const options = added.opts();
          loudness.take(definition, options);
          const { run } = await load();
          done(await run(...added.processedArgs, options, loudness.context, program));
        });
      if (examples[0] !== undefined) {
        added.showHelpAfterError(`For example: ${examples[0]}\n(\`--help\` lists the flags)`);
      }
      if (definition.output === undefined && !hidden) loudness.addFlagsTo(added);
    },
  };
}

/** Commands behind a common word, such as `create`. */
export function group(
  texts: Pick<CommandTexts, "name" | "description">,
  children: readonly CommandNode[],
): CommandNode {
  return {
    texts,
    children,
    addTo(parent, runtime) {
      const added = parent.command(texts.name).description(texts.description);
      added
        .commandsGroup(parent.commandsGroup())
        .helpCommand("help [command]", "print the help of a command");
      for (const child of children) child.addTo(added, runtime);
    },
  };
}

function helpAfterFlags(examples: readonly string[], notes: readonly string[]): string {
  const parts = [
    ...(notes.length > 0 ? [notes.join("\n")] : []),
    ...(examples.length > 0
      ? [`Examples:\n${examples.map((line) => `  ${line}`).join("\n")}`]
      : []),
  ];
  return parts.map((part) => `\n${part}`).join("\n");
}
