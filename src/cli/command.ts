/**
 * The declaration of a command. The types of the options in its `run.ts` are inferred from its `flags.ts`: an option
 * without its flag does not compile.
 */
import * as commander from "commander";
import type * as inferring from "@commander-js/extra-typings";
import type { CliContext } from "./context.ts";
import type { Loudness } from "./loudness.ts";

/**
 * commander's own classes, with types that infer the options of a command from its flags. The package of these types
 * exports the same classes, so it is not needed at run time.
 */
export const { Argument, Command, Help, Option } = commander as unknown as Pick<
  typeof inferring,
  "Argument" | "Command" | "Help" | "Option"
>;

export type Help = inferring.Help;

/** A command of commander, whatever its flags are. */
export type AnyCommand = inferring.CommandUnknownOpts;

/** The words of a command that help shows. */
export interface CommandTexts {
  readonly name: string;
  /** Its line in the list of commands. */
  readonly summary: string;
  readonly description: string;
  /** Command lines, the most usual first. */
  readonly examples: readonly string[];
  /** Lines of its help after the flags. */
  readonly notes?: readonly string[];
}

/** A command as its `flags.ts` declares it. Every start of `tsop` loads it, so it imports next to nothing. */
export interface CommandDefinition<
  Arguments extends unknown[],
  Flags extends inferring.OptionValues,
> extends CommandTexts {
  /** `result`: prints only its result. `endless`: runs until it is stopped, and reports by itself. Neither is quiet. */
  readonly output?: "result" | "endless";
  /** Left out of help and completion. */
  readonly hidden?: true;
  /** Adds arguments and flags to the command. */
  readonly flags: (command: inferring.Command) => inferring.Command<Arguments, Flags>;
}

/** Declares a command; the types of its arguments and flags are inferred. */
export function defineCommand<Arguments extends unknown[], Flags extends inferring.OptionValues>(
  definition: CommandDefinition<Arguments, Flags>,
): CommandDefinition<Arguments, Flags> {
  return definition;
}

/** The work of a command: takes its arguments, its options, and the whole tree; returns the exit code. */
type RunFunction<Arguments extends unknown[], Flags> = (
  ...call: [...Arguments, Flags, CliContext, AnyCommand]
) => number | Promise<number>;

/** The type of `run` in the `run.ts` of a definition. */
export type Run<Definition> =
  Definition extends CommandDefinition<infer Arguments, infer Flags>
    ? RunFunction<Arguments, Flags>
    : never;

/** The options that the flags of a definition give. */
export type Options<Definition extends { flags: (command: inferring.Command) => AnyOptions }> =
  ReturnType<ReturnType<Definition["flags"]>["opts"]>;

interface AnyOptions {
  opts(): object;
}

/** The option that a shared flag gives. */
export type OptionOf<Flag> =
  Flag extends inferring.Option<
    infer Usage,
    infer Preset,
    infer Default,
    infer Coerced,
    infer Mandatory,
    infer Choices
  >
    ? inferring.InferOptions<object, Usage, Default, Coerced, Mandatory, Preset, Choices>
    : never;

/** The surroundings that all commands of a tree share. */
export interface Runtime {
  readonly loudness: Loudness;
  readonly program: AnyCommand;
  /** Takes the exit code. */
  done(code: number): void;
}

/** A command of the tree, or a group of them. */
export interface CommandNode {
  readonly texts: Pick<CommandTexts, "name" | "description"> & Partial<CommandTexts>;
  /** The commands of a group. */
  readonly children: readonly CommandNode[];
  addTo(parent: AnyCommand, runtime: Runtime): void;
}

/** A command, with the import of its `run.ts`, which happens when it runs. */
export function command<Arguments extends unknown[], Flags extends inferring.OptionValues>(
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
