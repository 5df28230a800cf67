/**
 * Commands that users of kubebuilder may type and that are not here: each names the command to use
 * instead.
 */
import type { Command } from "commander";
import { UsageError } from "../errors.ts";

interface Word {
  readonly problem: string;
  readonly fix: string;
}

const WORDS: Readonly<Record<string, Word>> = {
  alpha: {
    problem: "There is no `tsop alpha`: nothing of a project has to be scaffolded again.",
    fix: "Update tsop with npm, then run `tsop manifests`.",
  },
};

/** Adds the words, hidden from help and completion, to the program. */
export function addKubebuilderWords(program: Command): void {
  for (const [name, { problem, fix }] of Object.entries(WORDS)) {
    program
      .command(name, { hidden: true })
      .argument("[words...]")
      .allowUnknownOption()
      .action(() => {
        throw new UsageError(`no-${name}`, problem, fix);
      });
  }
}
