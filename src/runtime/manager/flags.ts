/** The command line of an operator. */
import { parseArgs } from "node:util";
import { systemClock } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import { ByteBudget, cutText } from "../../logging/bounded-text.ts";
import { jsonLine } from "../../logging/line-forms.ts";
import { plainFields } from "../../logging/log-fields.ts";
import { fittingFormat } from "../../logging/standard-output.ts";
import { handleProcessEnd } from "./process-end.ts";
import { getField } from "../../kube/json.ts";

/** A flag that an operator takes. */
export interface FlagOption {
  /** `boolean`: on when given. `port`: a number from 0 to 65535. */
  readonly type: "boolean" | "string" | "port";
  /** The effect of the flag, for `--help`. */
  readonly help: string;
  /** The name of the value in `--help`; `text` or `port` when absent. */
  readonly placeholder?: string;
  /** Throws for a value that cannot be used; the message of the error is shown. */
  readonly check?: (value: string) => void;
}

/** The flags of an operator, by their names without dashes. */
export type FlagOptions = Readonly<Record<string, FlagOption>>;

/** The given value of each flag; `undefined` for an absent one. An absent boolean is false. */
export type FlagValues<F extends FlagOptions> = {
  readonly [Name in keyof F]: F[Name]["type"] extends "boolean"
    ? boolean
    : F[Name]["type"] extends "port"
      ? number | undefined
      : string | undefined;
};

/**
 * The flags of this process's command line. `--help` prints them and ends the process; so does a flag that
 * is wrong, with a sentence and exit code 2.
 *
 * @example
 * const flags = readFlags({ "health-port": { type: "port", help: "serve /healthz there" } });
 * createManager({ health: { port: flags["health-port"] ?? 8081 } });
 */
export function readFlags<const F extends FlagOptions>(options: F): FlagValues<F> {
  handleProcessEnd();
  const args = process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(helpOf(options));
    endProcess(0);
  }
  try {
    return parseFlags(options, args);
  } catch (error) {
    tellBadFlag(error);
    endProcess(2);
  }
}

/** A sentence for people, or a line for collectors. */
function tellBadFlag(error: unknown): void {
  const fix = error instanceof TsopError ? error.fix : "";
  const message = messageOf(error);
  if (fittingFormat(process.env) === "text") {
    process.stderr.write(`${message}\n${fix}\n`);
    return;
  }
  const fields = plainFields({ reason: "bad-flag", err: error }, new ByteBudget(4096));
  const text = cutText(`The operator cannot start: ${message} ${fix}`, 2048);
  process.stderr.write(`${jsonLine("fatal", systemClock.now(), text, fields)}\n`);
}

/** Nothing runs yet that would have to be stopped first. */
function endProcess(code: number): never {
  // oxlint-disable-next-line no-restricted-properties -- the module that called cannot return
  process.exit(code);
}

/**
 * Reads a command line.
 *
 * @throws TsopError `bad-flag` for one that is unknown, given twice, or has a wrong value
 */
export function parseFlags<const F extends FlagOptions>(
  options: F,
  args: readonly string[],
): FlagValues<F> {
  const names = Object.keys(options);
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    // A port is text like any other here.
    options: Object.fromEntries(
      names.map((name) => [
        name,
        { type: options[name]?.type === "boolean" ? "boolean" : "string" },
      ]),
    ),
  });
  const values: Record<string, boolean | number | string | undefined> = Object.fromEntries(
    names.map((name) => [name, options[name]?.type === "boolean" ? false : undefined]),
  );
  const given = new Set<string>();
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") throw bad(`${JSON.stringify(token.value)} is not a flag.`);
    const { name, rawName, inlineValue, value } = token;
    const option = getField(options, name);
    if (!option) throw bad(`There is no flag ${rawName}.`);
    if (given.has(name)) throw bad(`${rawName} is given twice.`);
    given.add(name);
    // The text after a flag without a value may be the next flag.
    const text = inlineValue !== true && value?.startsWith("-") === true ? undefined : value;
    values[name] = valueOf(option.type, rawName, text);
    if (text !== undefined && option.check) checkValue(option.check, rawName, text);
  }
  return values as FlagValues<F>;
}

function valueOf(
  type: FlagOption["type"],
  flag: string,
  text: string | undefined,
): boolean | number | string {
  if (type === "boolean") {
    if (text === undefined || text === "true") return true;
    if (text === "false") return false;
    throw bad(`${flag} is a switch and does not take ${JSON.stringify(text)}.`);
  }
  if (text === undefined || text === "") throw bad(`${flag} needs a value.`);
  if (type === "string") return text;
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw bad(`${flag} must be a port number from 0 to 65535, not ${JSON.stringify(text)}.`);
}

function checkValue(check: (value: string) => void, flag: string, text: string): void {
  try {
    check(text);
  } catch (error) {
    const fix = error instanceof TsopError ? error.fix : HELP;
    throw new TsopError("bad-flag", `${flag}: ${messageOf(error)}`, fix, { cause: error });
  }
}

const HELP = "`--help` lists the flags.";

function bad(message: string): TsopError {
  return new TsopError("bad-flag", message, HELP);
}

function helpOf(options: FlagOptions): string {
  const placeholders = { boolean: "", string: "=<text>", port: "=<port>" };
  const rows = Object.entries(options).map(
    ([name, { type, help, placeholder }]): [string, string] => [
      `--${name}${placeholder === undefined ? placeholders[type] : `=<${placeholder}>`}`,
      help,
    ],
  );
  const width = Math.max(...rows.map(([flag]) => flag.length), "--help".length);
  const all: [string, string][] = [...rows, ["--help", "print this help"]];
  return `Flags:\n${all.map(([flag, help]) => `  ${flag.padEnd(width)}  ${help}\n`).join("")}`;
}
