/**
 * The declaration of a command. The types of the options in its `run.ts` are inferred from its `flags.ts`: an option
 * without its flag does not compile.
 */
import * as commander from "commander";
import type * as inferring from "@commander-js/extra-typings";
import type { CliContext } from "./context.ts";

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

/**
 * A command as its `flags.ts` declares it. Every start of `tsop` loads all of them, so they import nothing that works.
 */
export interface CommandDefinition<
  Arguments extends unknown[],
  Flags extends inferring.OptionValues,
> extends CommandTexts {
  /** `result`: prints only its result. `endless`: runs until it is stopped, and reports by itself. Neither is quiet. */
  readonly output?: "result" | "endless";
  /** Left out of help and completion. */
  readonly hidden?: true;
  readonly flags: (command: inferring.Command) => inferring.Command<Arguments, Flags>;
}

/** Declares a command; the types of its arguments and flags are inferred. */
export function defineCommand<Arguments extends unknown[], Flags extends inferring.OptionValues>(
  definition: CommandDefinition<Arguments, Flags>,
): CommandDefinition<Arguments, Flags> {
  return definition;
}

/** The work of a command, from its arguments, its options, and the whole program; returns the exit code. */
export type RunFunction<Arguments extends unknown[], Flags> = (
  ...call: [...Arguments, Flags, CliContext, AnyCommand]
) => number | Promise<number>;

/** The type of `run` in the `run.ts` of a definition. */
export type Run<Definition> =
  Definition extends CommandDefinition<infer Arguments, infer Flags>
    ? RunFunction<Arguments, Flags>
    : never;

/** The options that the flags of a definition give. */
export type Options<Definition> = Definition extends {
  readonly flags: (command: inferring.Command) => { opts: () => infer Flags };
}
  ? Flags
  : never;

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
