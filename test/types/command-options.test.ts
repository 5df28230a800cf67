/**
 * The options that a command reads are those that its flags declare: with every flag renamed, every use of an option is
 * an error. So neither a flag nor the code that reads it can be renamed without the other.
 */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { commandsBelow } from "../../src/cli/help.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { testContext } from "../cli/support/run-cli.ts";
import { programOf, ROOT } from "../support/compiled.ts";

const COMMANDS = "src/cli/commands/";
const SHARED = ["src/cli/shared-flags.ts", "src/cli/packaging/package-flags.ts"];
const FLAG = /"((?:-\w, )?--([a-z-]*[a-z]))/g;
/** They are added to commands, and read, by src/cli/loudness.ts. */
const OF_LOUDNESS = ["quiet", "verbose"];

const textOf = (path: string): string => readFileSync(ROOT + path, "utf8");
const sharedFlags = new Set(
  SHARED.flatMap((path) => [...textOf(path).matchAll(FLAG)].map(([, , name]) => `--${name}`)),
);
const commands = commandsBelow(buildProgram(testContext(), () => undefined)).filter(
  ({ command }) => command.commands.length === 0,
);

/** What the compiler says, by file, when the flags of all commands have other names. One program finds all of it. */
function problemsOfRenamedFlags(): ReadonlyMap<string, string> {
  const declaring = ts.sys
    .readDirectory(ROOT + COMMANDS, [".ts"], undefined, ["**/*flags.ts"])
    .map((path) => path.slice(ROOT.length));
  const renamed = [...declaring, ...SHARED].map((path): [string, string] => [
    path,
    textOf(path).replaceAll(FLAG, '"$1-renamed'),
  ]);
  const tree = "src/cli/commands/command-tree.ts";
  const program = programOf(new Map([[tree, textOf(tree)], ...renamed]));
  const reading = program
    .getSourceFiles()
    .filter(({ fileName, text }) => fileName.includes(COMMANDS) || text.includes("OptionOf<"));
  return new Map(
    reading.map((file) => [
      file.fileName.slice(ROOT.length),
      program
        .getSemanticDiagnostics(file)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
        .join("\n"),
    ]),
  );
}

describe("the compiler knows the flags that are read by", () => {
  let problems: ReadonlyMap<string, string> = new Map();

  beforeAll(() => {
    problems = problemsOfRenamedFlags();
  }, 120_000);

  it.each(commands.map(({ path, command }) => [path, command] as const))(
    "tsop %s",
    (path, command) => {
      const folder = COMMANDS + path.replaceAll(" ", "/");
      const unknown = command.options.filter((option) => {
        const name = option.attributeName();
        const missed = new RegExp(`'${name}'|properties from type .*: [\\w, ]*\\b${name}\\b`);
        return ![...problems].some(
          ([file, text]) =>
            missed.test(text) &&
            (sharedFlags.has(option.long ?? "") ||
              file.startsWith(`${folder}/`) ||
              // The subcommands of `delete` share their work.
              (path.includes(" ") && dirname(file) === dirname(folder))),
        );
      });
      expect(unknown.map((option) => option.attributeName())).toEqual(
        OF_LOUDNESS.filter((name) => command.options.some(({ long }) => long === `--${name}`)),
      );
    },
  );
});
