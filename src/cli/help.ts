/** The help of the program: its commands in groups, exit codes, and environment variables. */
import { Help, type AnyCommand } from "./command.ts";

export const EXIT_CODES: Readonly<Record<string, string>> = {
  "0": "done",
  "1": "failed (stderr explains why), or `doctor` or `validate` found a problem",
  "2": "invalid usage; nothing was changed",
  "3": "`--check`, `manifests --against`, `plan` or `replay` found a difference",
};

export const ENVIRONMENT: Readonly<Record<string, string>> = {
  KUBECONFIG: "kubeconfig files of the commands that work on a cluster, as for kubectl",
  TSOP_OPERATOR_TOKEN: "bearer token that `why --operator` sends to the debug endpoint",
  NO_COLOR: "disables colors; FORCE_COLOR enables them without a terminal",
  TSOP_DEBUG: "prints a stack trace with each error",
  TSOP_CACHE_DIR: "cache directory of `manifests` (default: the user cache directory)",
  TSOP_STATE_DIR: "directory of locks and sessions (default: the user state directory)",
};

export const HELP: Partial<Help> = {
  // "default: false" adds nothing to the flag.
  optionDescription: (option) =>
    new Help().optionDescription(option).replace(/ \(default: (false|\[\]|"")\)$/, ""),
};

/** Lists subcommands in the program's help, and adds exit codes and environment variables to it. */
export function addProgramHelp(program: AnyCommand): void {
  const commands = new Map(commandsBelow(program).map(({ path, command }) => [command, path]));
  program.configureHelp({
    ...HELP,
    visibleCommands: () => [...commands.keys()].filter((command) => command.commands.length === 0),
    subcommandTerm: (command) => commands.get(command) ?? command.name(),
  });
  program.addHelpText(
    "after",
    [
      "",
      "`tsop COMMAND --help` lists the flags of a command.",
      "",
      ...section("Exit codes", EXIT_CODES),
      "",
      ...section("Environment", ENVIRONMENT),
    ].join("\n"),
  );
}

/** All commands that help shows, with their words, in the order of the tree. The program's own help lists other ones. */
export function commandsBelow(
  command: AnyCommand,
  path = "",
): readonly { readonly path: string; readonly command: AnyCommand }[] {
  return new Help()
    .visibleCommands(command)
    .filter((child) => child.name() !== "help")
    .flatMap((child) => {
      const words = `${path} ${child.name()}`.trim();
      return [{ path: words, command: child }, ...commandsBelow(child, words)];
    });
}

/** All commands with their descriptions, as a table in Markdown. */
export function commandTable(program: AnyCommand): string {
  const rows = commandsBelow(program)
    .filter(({ command }) => command.commands.length === 0)
    .map(({ path, command }) => [`\`tsop ${path}\``, command.summary()] as const);
  const width = Math.max(...rows.map(([name]) => name.length));
  const about = Math.max(...rows.map(([, summary]) => summary.length));
  return [
    ["command", "what it does"] as const,
    ["-".repeat(width), "-".repeat(about)] as const,
    ...rows,
  ]
    .map(([name, summary]) => `| ${name.padEnd(width)} | ${summary.padEnd(about)} |`)
    .join("\n");
}

function section(title: string, entries: Readonly<Record<string, string>>): string[] {
  const width = Math.max(...Object.keys(entries).map((key) => key.length));
  return [
    `${title}:`,
    ...Object.entries(entries).map(([key, text]) => `  ${key.padEnd(width)}  ${text}`),
  ];
}
