/**
 * What a command of a container does, by its words: a shell's script, or one of a few programs
 * (`sleep`, `true`, `false`, `echo`, `cat`, `touch`, `tail -f`, ...).
 *
 * Nothing is executed. A command that contains anything else is not understood at all.
 */
import { scriptOf } from "./command-words.ts";
import { NotUnderstood } from "./not-understood.ts";
import type { CommandRun } from "./command-course.ts";
import { Shell, type ShellSettings } from "./shell.ts";
import { parseScript } from "./shell-syntax.ts";

/** Runs a command from its start; `undefined` when it is not understood. */
export function runCommand(
  words: readonly string[],
  settings: ShellSettings,
): CommandRun | undefined {
  const shell = new Shell(settings);
  try {
    const script = scriptOf(words);
    if (script) return shell.run(script.text, script.options);
    return shell.runProgram(words);
  } catch (thrown) {
    if (thrown instanceof NotUnderstood) return undefined;
    throw thrown;
  }
}

/** Whether the words are a shell with a script that is too much for the simulation. */
export function isStrangeScript(words: readonly string[]): boolean {
  const script = scriptOf(words);
  return script !== undefined && parseScript(script.text) === undefined;
}
