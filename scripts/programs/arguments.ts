/** Parses the command line of a program. */
import { parseArgs } from "node:util";
import { didYouMean } from "../../src/kube/text/nearest-name.ts";
import type { AnyProgram, Given, Option } from "./program.ts";

/** A command line that a program does not accept. */
export class UsageError extends Error {}

/** Parses the arguments after a program's name. @throws UsageError */
export function parseArguments({ options, words }: AnyProgram, argv: readonly string[]): Given {
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type }]) => [
        name,
        { type: type === "switch" ? "boolean" : "string" } as const,
      ]),
    ),
  });
  const values: Record<string, Value> = Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, defaultOf(option)]),
  );
  const found: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") found.push(token.value);
    if (token.kind !== "option") continue;
    const option = options[token.name];
    if (!option) throw unknown(`option "${token.rawName}"`, token.rawName, dashed(options));
    const value = valueOf(option, token.rawName, token.value);
    values[token.name] =
      option.type === "list" ? [values[token.name], value].flat().map(String) : value;
  }
  for (const [name, option] of Object.entries(options)) {
    if (option.type !== "text" || option.required !== true || values[name] !== undefined) continue;
    throw new UsageError(`The option --${name} is missing: ${option.about}.`);
  }
  return { values, words: checkedWords(words, found) };
}

/** An error about a name that does not exist, with the nearest one. */
export function unknown(what: string, name: string, names: readonly string[]): UsageError {
  const otherwise = names.length === 0 ? "There are none." : `Known: ${names.join(", ")}.`;
  return new UsageError(`Unknown ${what}. ${didYouMean(name, names, otherwise)}`);
}

const dashed = (options: object): string[] => Object.keys(options).map((name) => `--${name}`);

type Value = Given["values"][string];

function defaultOf(option: Option): Value {
  if (option.type === "switch") return false;
  return option.type === "list" ? [] : option.default;
}

function valueOf({ type }: Option, name: string, value: string | undefined): Value {
  if (type === "switch") {
    if (value !== undefined) throw new UsageError(`The option ${name} does not accept a value.`);
    return true;
  }
  if (value === undefined) throw new UsageError(`The option ${name} needs a value.`);
  if (type === "list") return value.split(",");
  if (type === "text") return value;
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number) || number < 0) {
    throw new UsageError(`The option ${name} needs a number of 0 or more, not "${value}".`);
  }
  return number;
}

function checkedWords(words: AnyProgram["words"], found: readonly string[]): readonly string[] {
  const { name = "", choices, least = 0, most = words ? Infinity : 0 } = words ?? {};
  const wrong = choices && found.find((word) => !choices.includes(word));
  if (wrong !== undefined) throw unknown(`${name} "${wrong}"`, wrong, choices ?? []);
  if (found.length > most) throw new UsageError(`Unexpected argument "${found[most] ?? ""}".`);
  if (found.length < least) {
    const known = choices ? ` Known: ${choices.join(", ")}.` : "";
    throw new UsageError(`The argument ${name} is missing: ${words?.about ?? ""}.${known}`);
  }
  return found;
}
