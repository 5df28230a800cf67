/** The words of a command: the program, and what is in them for it. */
import { tableOf } from "../../../../table.ts";

const SHELLS = new Set(["sh", "bash", "ash", "dash", "zsh"]);
const UNITS = tableOf<number>({ s: 1, m: 60, h: 3600, d: 86_400 });

/** The script of a shell's `-c`, and its options; `undefined` of other programs. */
export function scriptOf(
  words: readonly string[],
): { readonly text: string; readonly options: string } | undefined {
  const [program = "", ...rest] = words;
  const name = baseName(program);
  if (name === "busybox" || name === "exec" || name === "tini" || name === "--")
    return scriptOf(rest);
  if (!SHELLS.has(name)) return undefined;
  let options = "";
  for (let at = 0; at < rest.length; at++) {
    const option = rest[at] ?? "";
    if (option === "-o") at += 1;
    else if (!/^-[a-z]+$/.test(option)) return undefined;
    else {
      options += option;
      const text = rest[at + 1];
      if (option.includes("c")) return text === undefined ? undefined : { text, options };
    }
  }
  return undefined;
}

export const baseName = (program: string): string => program.slice(program.lastIndexOf("/") + 1);

/** The duration of a `sleep`, in milliseconds; `undefined` of words that it would refuse. */
export function sleepMs(args: readonly string[]): number | undefined {
  let seconds = 0;
  for (const argument of args) {
    if (/^inf(?:inity)?$/.test(argument)) return Infinity;
    const [, amount, unit = "s"] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(argument) ?? [];
    if (amount === undefined) return undefined;
    seconds += Number(amount) * (UNITS.get(unit) ?? 1);
  }
  return args.length === 0 ? undefined : seconds * 1000;
}
