/**
 * `tsop completion`: scripts made from the command tree, so they cannot fall behind it.
 *
 * @module
 */
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { commandsBelow } from "../help.ts";

/** The shells that there are scripts for. */
export type Shell = "bash" | "zsh" | "fish" | "powershell";

interface Entry {
  /** The words before, such as `create api`. */
  readonly path: string;
  readonly words: readonly string[];
}

/** Prints the script; returns the exit code. */
export function completion(shell: Shell, program: Command, context: CliContext): number {
  context.out(scriptFor(shell, entriesOf(program)));
  return 0;
}

function entriesOf(program: Command): Entry[] {
  const commands = [{ path: "", command: program }, ...commandsBelow(program)];
  return commands.map(({ path, command }) => {
    const prefix = path === "" ? "" : `${path} `;
    const children = commands
      .map((other) => other.path)
      .filter((other) => other.startsWith(prefix) && other !== path)
      .map((other) => other.slice(prefix.length))
      .filter((other) => other !== "" && !other.includes(" "));
    const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
    const flags = command
      .createHelp()
      .visibleOptions(command)
      .flatMap(({ long }) => long ?? []);
    return { path, words: [...new Set([...children, ...choices, ...flags, "--help"])] };
  });
}

function scriptFor(shell: Shell, entries: readonly Entry[]): string {
  const cases = entries.map(({ path, words }) => `    "${path}") words="${words.join(" ")}" ;;`);
  const table = entries.map(({ path, words }) => `  '${path}' = '${words.join(" ")}'`);
  switch (shell) {
    case "bash":
      return `# Load it with: source <(tsop completion bash)
_tsop() {
  local word path="" words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && break
    path="\${path:+$path }$word"
  done
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tsop tsop`;
    case "zsh":
      return `# Load it with: source <(tsop completion zsh)
_tsop() {
  local word joined="" suggested=""
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] && break
    joined="\${joined:+$joined }$word"
  done
  case "$joined" in
${cases.join("\n").replaceAll(") words=", ") suggested=")}
  esac
  compadd -- \${=suggested}
}
compdef _tsop tsop`;
    case "fish":
      return entries
        .map(({ path, words }) => {
          const seen =
            path === ""
              ? "__fish_use_subcommand"
              : `__fish_seen_subcommand_from ${path.split(" ").at(-1) ?? ""}`;
          return `complete -c tsop -f -n "${seen}" -a "${words.join(" ")}"`;
        })
        .join("\n");
    case "powershell":
      return `$tsopWords = @{
${table.join("\n")}
}
Register-ArgumentCompleter -Native -CommandName tsop -ScriptBlock {
  param($word, $ast)
  $typed = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" } | Where-Object { $_ -notlike '-*' -and $_ -ne $word })
  "$($tsopWords[($typed -join ' ')])".Split(' ') | Where-Object { $_ -like "$word*" }
}`;
  }
}
