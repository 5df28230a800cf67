/** What a plugin may be called, and what its commands and flags may be called. */
import { TsopError } from "../errors.ts";
import { argumentsOf } from "./arguments.ts";
import { SHARED_FLAGS, type FlaggedCommands } from "./flags.ts";

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** Words that every plugin answers itself. */
const TAKEN = new Set(["help", "__complete", "__about"]);

/** @throws TsopError `bad-plugin` */
export function checkPlugin({ name, commands }: FlaggedCommands & { readonly name: string }): void {
  if (!NAME.test(name)) throw bad(`The plugin's name ${JSON.stringify(name)}`, WORDS);
  if (commands.size === 0) {
    throw bad(`The plugin ${name}`, "has no commands. Give it one, such as `list`");
  }
  for (const [word, { args, flags = {} }] of commands) {
    const command = `The command ${JSON.stringify(word)} of the plugin ${name}`;
    if (!NAME.test(word)) throw bad(command, WORDS);
    if (TAKEN.has(word)) throw bad(command, "has a name that every plugin answers itself");
    if (args !== undefined && !argumentsOf(args)) {
      throw bad(
        `${command} has the arguments ${JSON.stringify(args)}, which`,
        "cannot be read. Write NAME, [NAME] or [NAME...], the optional ones at the end",
      );
    }
    for (const flag of Object.keys(flags)) {
      const place = `The flag --${flag} of ${command.replace("The", "the")}`;
      if (!NAME.test(flag)) throw bad(place, WORDS);
      if (Object.hasOwn(SHARED_FLAGS, flag)) throw bad(place, "is reserved: every plugin has it");
    }
  }
}

const WORDS = "must consist of lower-case letters, digits, and dashes";

const bad = (what: string, problem: string): TsopError =>
  new TsopError("bad-plugin", `${what} ${problem}.`, "Correct the call of kubectlPlugin.");
