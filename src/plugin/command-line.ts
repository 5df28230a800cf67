/** The command line of a plugin: flags may stand anywhere, as for kubectl. */
import { parseArgs } from "node:util";
import type { FlagOptions } from "../runtime/manager/flags.ts";
import { present } from "../present.ts";
import { argumentsOf } from "./arguments.ts";
import { CallError } from "./failures.ts";
import {
  FORMATS,
  SHARED_FLAGS,
  type FlaggedCommands,
  type Format,
  type SharedValues,
} from "./flags.ts";

type Value = string | number | boolean;

/** A command line that was read. */
export interface CommandLine {
  /** The first word; it need not be a command of the plugin. */
  readonly word: string | undefined;
  readonly args: readonly string[];
  readonly help: boolean;
  readonly shared: SharedValues;
  /** The flags of the command itself; those that are not given are false or `undefined`. */
  readonly flags: Readonly<Record<string, Value | undefined>>;
}

/**
 * Reads a command line.
 *
 * @param lenient - takes what is wrong or unfinished as not given, for the completion of shells
 * @throws CallError for a flag that is unknown or has a wrong value
 */
export function readCommandLine(
  plugin: FlaggedCommands,
  args: readonly string[],
  lenient = false,
): CommandLine {
  const own = Object.assign(
    {},
    ...[...plugin.commands.values()].map(({ flags }) => flags),
  ) as FlagOptions;
  const { tokens, positionals } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: {
      ...Object.fromEntries(
        Object.entries(SHARED_FLAGS).map(([name, { type, short }]) => [
          name,
          { type, ...present({ short }) },
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(own).map(([name, { type }]) => [
          name,
          { type: type === "boolean" ? ("boolean" as const) : ("string" as const) },
        ]),
      ),
    },
  });
  const [word, ...rest] = positionals;
  const flags = plugin.commands.get(word ?? "")?.flags ?? {};
  const given = new Map<string, Value>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, inlineValue, value } = token;
    const type = flagNamed(name, flags)?.type;
    try {
      if (type === undefined) throw unknownFlag(rawName);
      // `-n=shop` is cobra's way to write `-n shop`.
      const text = rawName.length === 2 && inlineValue ? value.replace(/^=/, "") : value;
      given.set(name, valueOf(type, rawName, text));
    } catch (error) {
      if (!lenient) throw error;
    }
  }
  const format = formatOf(given.get("output"), lenient);
  return {
    word,
    args: rest,
    help: given.get("help") === true,
    shared: sharedValues(given, format),
    flags: Object.fromEntries(
      Object.entries(flags).map(([name, { type }]) => [
        name,
        given.get(name) ?? (type === "boolean" ? false : undefined),
      ]),
    ),
  };
}

/** @throws CallError for fewer or more arguments than the command takes */
export function checkArguments(
  { args: said = "" }: { readonly args?: string },
  args: readonly string[],
): void {
  const { min, max } = argumentsOf(said) ?? { min: 0, max: Infinity };
  if (args.length < min) throw new CallError(`an argument is missing: ${said}`);
  if (args.length <= max) return;
  const takes = max === 0 ? "no arguments" : `${said}, and nothing else`;
  throw new CallError(
    `the command takes ${takes}, not ${args.map((one) => JSON.stringify(one)).join(" ")}`,
  );
}

function sharedValues(given: ReadonlyMap<string, Value>, output: Format | undefined): SharedValues {
  const text = (name: string): string | undefined => {
    const value = given.get(name);
    return typeof value === "string" ? value : undefined;
  };
  return {
    ...present({
      namespace: text("namespace"),
      selector: text("selector"),
      kubeconfig: text("kubeconfig"),
      context: text("context"),
      as: text("as"),
      output,
    }),
    allNamespaces: given.get("all-namespaces") === true,
    noHeaders: given.get("no-headers") === true,
    asGroups: text("as-group")?.split(",") ?? [],
  };
}

function formatOf(value: Value | undefined, lenient: boolean): Format | undefined {
  const format = FORMATS.find((one) => one === value);
  if (format !== undefined || value === undefined || lenient) return format;
  throw new CallError(
    `unable to match a printer suitable for the output format "${value}", allowed formats are: ${FORMATS.join(",")}`,
  );
}

function valueOf(type: FlagOptions[string]["type"], flag: string, text: string | undefined): Value {
  if (type === "boolean") {
    if (text === undefined || text === "true") return true;
    if (text === "false") return false;
    throw new CallError(
      `invalid argument ${JSON.stringify(text)} for "${flag}": it is true or false`,
    );
  }
  if (text === undefined) throw new CallError(`flag needs an argument: ${flag}`);
  if (type === "string") return text;
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new CallError(
    `invalid argument ${JSON.stringify(text)} for "${flag}": it is a number from 0 to 65535`,
  );
}

const flagNamed = (
  name: string,
  own: FlagOptions,
): { readonly type: FlagOptions[string]["type"] } | undefined =>
  [SHARED_FLAGS, own].find((flags) => Object.hasOwn(flags, name))?.[name];

function unknownFlag(flag: string): CallError {
  return new CallError(
    flag.startsWith("--")
      ? `unknown flag: ${flag}`
      : `unknown shorthand flag: '${flag.slice(1)}' in ${flag}`,
  );
}
