/**
 * `tsop completion`: generates completion scripts from the command tree. The scripts call `tsop completion-words` for values
 * that depend on the project, such as its kinds.
 */
import { commandsBelow } from "../../help.ts";
import { printText } from "../../output.ts";
import { PLUGIN, PROJECT_FLAGS } from "../completion-words/run.ts";
import type { AnyCommand, Run } from "../../command.ts";
import type { completion } from "./flags.ts";

type Shell = Parameters<Run<typeof completion>>[0];

interface Entry {
  /** The words before, such as `create api`, and for the values of a flag also that, such as `create api --kind`. */
  readonly path: string;
  readonly words: readonly string[];
}

/** Commands whose argument is a plugin of the project. */
const OF_PLUGINS: readonly string[] = ["delete plugin", "krew"];

export const run: Run<typeof completion> = (shell, _options, context, program) => {
  printText(
    (line) => {
      context.out(line);
    },
    scriptFor(shell, program),
  );
  return 0;
};

function allCommands(program: AnyCommand): readonly { path: string; command: AnyCommand }[] {
  return [{ path: "", command: program }, ...commandsBelow(program)];
}

/** The words that may follow the words of a command. */
function entriesOf(program: AnyCommand): Entry[] {
  const commands = allCommands(program);
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

/** The values that may follow a flag. */
function valuesOf(program: AnyCommand): Entry[] {
  return allCommands(program).flatMap(({ path, command }) =>
    command.options.flatMap(({ long, argChoices }) =>
      argChoices && typeof long === "string"
        ? [{ path: `${path} ${long}`, words: argChoices }]
        : [],
    ),
  );
}

function scriptFor(shell: Shell, program: AnyCommand): string {
  const casesOf = (entries: readonly Entry[]): string =>
    entries.map(({ path, words }) => `    "${path}") suggested="${words.join(" ")}" ;;`).join("\n");
  const [commands, values] = [casesOf(entriesOf(program)), casesOf(valuesOf(program))];
  const table = [...entriesOf(program), ...valuesOf(program)].map(
    ({ path, words }) => `  '${path}' = '${words.join(" ")}'`,
  );
  switch (shell) {
    case "bash":
      return `# Load it with: source <(tsop completion bash)
_tsop() {
  local word path="" suggested="" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && break
    path="\${path:+$path }$word"
  done
  case "$previous" in
    ${PROJECT_FLAGS.map((flag) => `--${flag}`).join("|")}) COMPREPLY=($(compgen -W "$(tsop completion-words "\${previous#--}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}")); return ;;
  esac
  case "$path $previous" in
${values}
  esac
  [[ -z $suggested ]] && case "$path" in
${commands}
  esac
  case "$path" in
    ${OF_PLUGINS.map((one) => `"${one}"`).join("|")}) suggested="$suggested $(tsop completion-words ${PLUGIN} 2>/dev/null)" ;;
  esac
  COMPREPLY=($(compgen -W "$suggested" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tsop tsop`;
    case "zsh":
      return `# Load it with: source <(tsop completion zsh)
_tsop() {
  local word joined="" suggested="" previous="\${words[CURRENT-1]}"
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] && break
    joined="\${joined:+$joined }$word"
  done
  case "$previous" in
    ${PROJECT_FLAGS.map((flag) => `--${flag}`).join("|")}) compadd -- \${(f)"$(tsop completion-words "\${previous#--}" 2>/dev/null)"}; return ;;
  esac
  case "$joined $previous" in
${values}
  esac
  [[ -z $suggested ]] && case "$joined" in
${commands}
  esac
  case "$joined" in
    ${OF_PLUGINS.map((one) => `"${one}"`).join("|")}) suggested="$suggested \${(f)"$(tsop completion-words ${PLUGIN} 2>/dev/null)"}" ;;
  esac
  compadd -- \${=suggested}
}
compdef _tsop tsop`;
    case "fish":
      return [
        ...entriesOf(program).map(
          ({ path, words }) =>
            `complete -c tsop -f -n "${fishCondition(path, program)}" -a "${words.join(" ")}"`,
        ),
        ...valuesOf(program).map(({ path, words }) => {
          const [, command = "", flag = ""] = /^(.*) --(.*)$/.exec(path) ?? [];
          return `complete -c tsop -x -n "${fishCondition(command, program)}" -l ${flag} -a "${words.join(" ")}"`;
        }),
        ...OF_PLUGINS.map(
          (path) =>
            `complete -c tsop -f -n "${fishCondition(path, program)}" -a "(tsop completion-words ${PLUGIN} 2>/dev/null)"`,
        ),
        ...PROJECT_FLAGS.map(
          (flag) =>
            `complete -c tsop -x -l ${flag} -a "(tsop completion-words ${flag} 2>/dev/null)"`,
        ),
      ].join("\n");
    case "powershell":
      return `$tsopWords = @{
${table.join("\n")}
}
Register-ArgumentCompleter -Native -CommandName tsop -ScriptBlock {
  param($word, $ast)
  $before = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" } | Where-Object { $_ -ne $word })
  $typed = @($before | Where-Object { $_ -notlike '-*' })
  $previous = if ($before.Count -gt 0) { $before[-1] } else { '' }
  $found = if (@(${PROJECT_FLAGS.map((flag) => `'--${flag}'`).join(", ")}) -contains $previous) { tsop completion-words $previous.Substring(2) }
    elseif ($tsopWords.ContainsKey("$($typed -join ' ') $previous")) { "$($tsopWords["$($typed -join ' ') $previous"])".Split(' ') }
    else { "$($tsopWords[($typed -join ' ')])".Split(' ') }
  if (@(${OF_PLUGINS.map((one) => `'${one}'`).join(", ")}) -contains ($typed -join ' ')) { $found = @($found) + @(tsop completion-words ${PLUGIN}) }
  $found | Where-Object { $_ -like "$word*" }
}`;
  }
}

/** The condition of fish for the place after all words of the path, and after none of those that may follow. */
function fishCondition(path: string, program: AnyCommand): string {
  if (path === "") return "__fish_use_subcommand";
  const words = path.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
  const following = commandsBelow(program)
    .filter((other) => other.path.startsWith(`${path} `))
    .map((other) => other.path.slice(path.length + 1));
  const none =
    following.length === 0 ? [] : [`not __fish_seen_subcommand_from ${following.join(" ")}`];
  return [...words, ...none].join("; and ");
}
