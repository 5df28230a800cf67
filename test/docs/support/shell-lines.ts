/** The commands that a page tells its readers to type, and where. */
export interface ShownCommand {
  readonly words: readonly string[];
  readonly line: number;
  /** In a sentence, which names a command and may leave out what it takes. */
  readonly isNamed: boolean;
}

/** What the fences of `sh` hold, and code in a sentence that begins with one of the `programs`. */
export function commandsIn(page: string, programs: readonly string[]): ShownCommand[] {
  const found: ShownCommand[] = [];
  let fence: string | undefined;
  let heredoc: string | undefined;
  let pending = "";
  page.split("\n").forEach((text, index) => {
    const line = index + 1;
    const mark = /^\s*```(\w*)/.exec(text);
    if (mark) {
      fence = fence === undefined ? mark[1] : undefined;
    } else if (fence === "sh") {
      if (heredoc !== undefined) {
        if (text.trim() === heredoc) heredoc = undefined;
        return;
      }
      pending += text.replace(/\\$/, " ");
      if (text.endsWith("\\")) return;
      heredoc = /<<-?\s*'?(\w+)'?/.exec(pending)?.[1];
      for (const words of commandsOf(pending)) found.push({ words, line, isNamed: false });
      pending = "";
    } else if (fence === undefined) {
      for (const [, code = ""] of text.matchAll(/`([^`]+)`/g)) {
        if (!programs.some((name) => code.startsWith(`${name} `))) continue;
        for (const words of commandsOf(code.replace(/ \[\w+(?:\.\.\.)?\]/g, ""))) {
          found.push({ words, line, isNamed: true });
        }
      }
    }
  });
  return found;
}

/** The commands of one line, without comments, settings of variables, and where output goes. */
export function commandsOf(line: string): string[][] {
  const inner = /<\((.*?)\)/.exec(line)?.[1];
  if (inner !== undefined) {
    return [...commandsOf(line.replace(`<(${inner})`, "FILE")), ...commandsOf(inner)];
  }
  const commands: string[][] = [[]];
  // `<name>` stands for a name, and `$(...)` for a word.
  const token =
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|(\$\([^)]*\)|<[\w-]+>)|(\|\||&&|\d?>>?|<<?-?|[|;&<])|(\s+)|(#.*$)|([^\s'"|;&<>]+)/g;
  let word: string | undefined;
  let skipped = false;
  const end = (): void => {
    if (word !== undefined && !skipped) commands.at(-1)?.push(word);
    if (word !== undefined) skipped = false;
    word = undefined;
  };
  for (const [, single, double, stands, operator, space, comment, bare] of line.matchAll(token)) {
    if (comment !== undefined && word === undefined) break;
    if (space !== undefined) {
      end();
    } else if (operator !== undefined) {
      end();
      if (/[<>]/.test(operator)) skipped = true;
      else commands.push([]);
    } else {
      word = (word ?? "") + (single ?? double ?? stands ?? bare ?? comment ?? "");
    }
  }
  end();
  return commands
    .map((words) => words.slice(words.findIndex((one) => !/^[A-Z_]+=/.test(one))))
    .filter((words) => words.length > 0);
}
