/**
 * `npm run verify`, `npm run measure` and `npm run make`, each with `-- NAME [option ...]`. Without a name, or with
 * `--list`, the programs are listed; `NAME --help` describes one. The exit code is 1 when a program fails, and 2 when
 * the command line is wrong.
 */
import { parseArguments, unknown, UsageError } from "./arguments.ts";
import { type Kind, KINDS, loadPrograms, programNames } from "./folder.ts";
import { describeProgram } from "./list.ts";
import { runProgram } from "./run.ts";

async function main(kind: Kind, [name = "--list", ...argv]: readonly string[]): Promise<boolean> {
  if (name === "--list" || name === "--help") {
    console.log(`npm run ${kind} -- NAME [option ...]\n`);
    const programs = await loadPrograms(kind);
    console.log([...programs].map((one) => describeProgram(...one)).join("\n\n"));
    return true;
  }
  const names = programNames(kind);
  if (!names.includes(name)) throw unknown(`program "${name}" of npm run ${kind}`, name, names);
  const program = (await loadPrograms(kind, [name])).get(name);
  if (!program) throw new Error(`${name} was not loaded`);
  if (argv.includes("--help")) {
    console.log(describeProgram(name, program));
    return true;
  }
  return runProgram(`npm run ${kind} -- ${name}`, program, parseArguments(program, argv));
}

// Processes that a program started are ended by its "exit" listeners.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const [kind, ...argv] = process.argv.slice(2);
try {
  process.exitCode = (await main(KINDS.find((known) => known === kind) ?? "verify", argv)) ? 0 : 1;
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\nRun \`npm run ${kind ?? ""}\` for the list.`);
  process.exitCode = 2;
}
