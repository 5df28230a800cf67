import { tableOf } from "../../../table.ts";

/**
 * The commands that the simulated kubelet understands: `sleep N`, `exit N`, `true`, `false`, `echo
 * ...`, alone or as a shell script (`sh -c "sleep 5; exit 3"`).
 *
 * Nothing is executed. A command that contains anything else is not understood at all.
 */

export interface CommandEnd {
  /** After how many milliseconds it ends; `undefined` when it never does. */
  readonly afterMs: number | undefined;
  readonly exitCode: number;
}

const SHELLS = new Set(["sh", "bash", "ash", "dash", "zsh"]);
const UNITS = tableOf<number>({ s: 1, m: 60, h: 3600, d: 86_400 });
/** Programs without an effect on the simulation, which succeed at once. */
const HARMLESS = new Set(["echo", "printf", ":", "true", "date", "export", "cd", "umask", "test"]);
const FOREVER: CommandEnd = { afterMs: undefined, exitCode: 0 };

/** The end of a container's command; `undefined` when the command is not understood. */
export function commandEnd(words: readonly string[]): CommandEnd | undefined {
  const [program = "", ...rest] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (name === "busybox" || name === "exec") return commandEnd(rest);
  if (!SHELLS.has(name)) return simpleCommandEnd([name, ...rest]);
  let stopsAtFailure = false;
  for (const [index, option] of rest.entries()) {
    if (!/^-[a-z]+$/.test(option)) return undefined;
    stopsAtFailure ||= option.includes("e");
    const script = rest[index + 1];
    if (option.endsWith("c")) {
      return script === undefined ? undefined : scriptEnd(script, stopsAtFailure);
    }
  }
  return undefined;
}

function simpleCommandEnd([name = "", ...args]: readonly string[]): CommandEnd | undefined {
  if (name === "sleep") return sleepEnd(args);
  if (name === "tail" && args.includes("-f")) return FOREVER;
  if (name === "false") return { afterMs: 0, exitCode: 1 };
  if (name === "exit") return exitEnd(args, 0);
  return HARMLESS.has(name) ? { afterMs: 0, exitCode: 0 } : undefined;
}

function sleepEnd(args: readonly string[]): CommandEnd | undefined {
  let seconds = 0;
  for (const argument of args) {
    if (/^inf(?:inity)?$/.test(argument)) return FOREVER;
    const [, amount, unit = "s"] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(argument) ?? [];
    if (amount === undefined) return undefined;
    seconds += Number(amount) * (UNITS.get(unit) ?? 1);
  }
  return args.length === 0 ? undefined : { afterMs: seconds * 1000, exitCode: 0 };
}

function exitEnd([code]: readonly string[], last: number): CommandEnd | undefined {
  if (code === undefined || code === "$?") return { afterMs: 0, exitCode: last };
  return /^\d{1,3}$/.test(code) ? { afterMs: 0, exitCode: Number(code) & 255 } : undefined;
}

interface Statement {
  readonly words: readonly string[];
  /** The operator before the statement. */
  readonly joint: ";" | "&&" | "||";
}

/** The end of a script, whose statements run in sequence as in a shell. */
function scriptEnd(script: string, stopsAtFailure: boolean): CommandEnd | undefined {
  if (/^\s*while\s+(?:true|:)\s*;?\s*do\b/.test(script)) return FOREVER;
  const statements = statementsOf(script);
  if (!statements) return undefined;
  let afterMs = 0;
  let last = 0;
  let stops = stopsAtFailure;
  for (const [index, { words, joint }] of statements.entries()) {
    if (joint === "&&" ? last !== 0 : joint === "||" && last === 0) continue;
    const [name = "", ...args] = words;
    if (name === "set") {
      stops ||= args.some((option) => /^-[a-z]*e/.test(option));
      continue;
    }
    const end = name === "exit" ? exitEnd(args, last) : commandEnd(words);
    if (!end) return undefined;
    if (end.afterMs === undefined) return FOREVER;
    afterMs += end.afterMs;
    last = end.exitCode;
    const isTested = (statements[index + 1]?.joint ?? ";") !== ";";
    if (name === "exit" || name === "exec" || (stops && last !== 0 && !isTested)) break;
  }
  return { afterMs, exitCode: last };
}

/** The statements of a script; `undefined` when it has more than plain commands. */
function statementsOf(script: string): readonly Statement[] | undefined {
  const statements: Statement[] = [];
  let words: string[] = [];
  let joint: Statement["joint"] = ";";
  const end = (next: Statement["joint"]): void => {
    if (words.length > 0) statements.push({ words, joint });
    words = [];
    joint = next;
  };
  const pattern =
    /\s*(?:#[^\n]*)?(?:(\n|;)|(&&|\|\|)|((?:[^\s;&|"'`()<>#\\]|"(?:[^"\\]|\\.)*"|'[^']*')+)|(\d?>>?\s*(?:&\d|[\w/.-]+)))[^\S\n]*/y;
  while (pattern.lastIndex < script.trimEnd().length) {
    const found = pattern.exec(script);
    if (!found) return undefined;
    const [, separator, operator, word] = found;
    if (separator) end(";");
    else if (operator === "&&" || operator === "||") end(operator);
    else if (word !== undefined) words.push(word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, "$1$2"));
  }
  end(";");
  return statements.every(({ words: [name = ""] }) => !name.includes("$")) ? statements : undefined;
}
