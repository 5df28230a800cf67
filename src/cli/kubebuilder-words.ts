/**
 * Commands that users of kubebuilder may type and that are not here: each says what is done instead.
 *
 * @module
 */
import type { Command } from "commander";
import { UsageError } from "../errors.ts";

interface Word {
  readonly problem: string;
  readonly fix: string;
}

const WORDS: Readonly<Record<string, Word>> = {
  edit: {
    problem: "There is no `tsop edit`: what it would change is yours to edit.",
    fix: "Change PROJECT and the files of config/ by hand, then run `tsop manifests`.",
  },
  generate: {
    problem: "There is no `tsop generate`: classes need no generated code.",
    fix: "For CRDs and roles, run `tsop manifests`.",
  },
  alpha: {
    problem: "There is no `tsop alpha`: nothing of a project has to be scaffolded again.",
    fix: "Update tsop with npm, then run `tsop manifests`.",
  },
};

const CREATE_WORDS: Readonly<Record<string, Word>> = {
  webhook: {
    problem: "Webhooks cannot be scaffolded yet.",
    fix: "Validate with markers and rules (@Cel), and give fields their defaults with initialisers: neither needs a webhook.",
  },
};

/** Adds the words, hidden from help and completion, to the program and to its `create`. */
export function addKubebuilderWords(program: Command, create: Command): void {
  for (const [parent, words] of [
    [program, WORDS],
    [create, CREATE_WORDS],
  ] as const) {
    for (const [name, { problem, fix }] of Object.entries(words)) {
      parent
        .command(name, { hidden: true })
        .argument("[words...]")
        .allowUnknownOption()
        .action(() => {
          throw new UsageError(`no-${name}`, problem, fix);
        });
    }
  }
}
