/** What a plugin of kubectl consists of: a name and commands. */
import type { FlagOptions, FlagValues } from "../runtime/manager/flags.ts";
import type { PluginCall } from "./call.ts";
import { checkPlugin } from "./check.ts";

/** A command of a plugin: `list` in `kubectl webs list`. */
export interface PluginCommand {
  /** The effect of the command, in one line. */
  readonly summary: string;
  /** The arguments as help shows them: `NAME`, `[NAME]` for one that may be left out, `[NAME...]` for any number. */
  readonly args?: string;
  /** Command lines that show its use, without `kubectl`: `webs list -A`. */
  readonly examples?: readonly string[];
  /** Flags of its own, beside those that kubectl's users expect of every command. */
  readonly flags?: FlagOptions;
  /** Carries the command out. What it throws is shown as kubectl shows it, and the exit code is 1. */
  run(call: PluginCall): Promise<void> | void;
  /** The words that may follow as an argument, for the completion of shells. */
  complete?(call: PluginCall): Promise<readonly string[]> | readonly string[];
}

/** A command with flags of its own, whose values have the types that the flags say. */
export interface CommandWithFlags<F extends FlagOptions> extends PluginCommand {
  readonly flags: F;
  run(call: PluginCall<FlagValues<F>>): Promise<void> | void;
  complete?(call: PluginCall<FlagValues<F>>): Promise<readonly string[]> | readonly string[];
}

/**
 * A command with flags of its own.
 *
 * @example
 * const restart = pluginCommand({
 *   summary: "Restart a MyWeb.",
 *   args: "NAME",
 *   flags: { wait: { type: "boolean", help: "until it is ready" } },
 *   run: ({ args, flags, out }) => out(`${args[0]}: ${flags.wait ? "and wait" : "and go on"}`),
 * });
 */
export const pluginCommand = <const F extends FlagOptions>(
  command: CommandWithFlags<F>,
): PluginCommand => command;

/** The description of a plugin. */
export interface PluginOptions {
  /** Its name after `kubectl`: lower-case letters, digits and dashes. */
  readonly name: string;
  /** What it is for, in one line. */
  readonly summary: string;
  /** Its commands by their names, in the order of help. */
  readonly commands: Readonly<Record<string, PluginCommand>>;
}

/** A plugin of kubectl. */
export interface KubectlPlugin {
  readonly name: string;
  readonly summary: string;
  readonly commands: ReadonlyMap<string, PluginCommand>;
}

/**
 * A plugin of kubectl, for `runPlugin`.
 *
 * @example
 * export const plugin = kubectlPlugin({
 *   name: "webs",
 *   summary: "Show the MyWebs of a cluster.",
 *   commands: {
 *     list: {
 *       summary: "List MyWebs.",
 *       args: "[NAME...]",
 *       run: async (call) => call.print(await call.select(MyWeb), [columns.name, columns.age]),
 *     },
 *   },
 * });
 *
 * @throws TsopError `bad-plugin` for a name, a command or a flag that kubectl could not call
 */
export function kubectlPlugin({ name, summary, commands }: PluginOptions): KubectlPlugin {
  const plugin = { name, summary, commands: new Map(Object.entries(commands)) };
  checkPlugin(plugin);
  return plugin;
}
