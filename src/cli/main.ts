/**
 * The `tsop` command.
 *
 * Modules are imported when they are needed, and not before: `tsop --version` is as quick as an
 * empty script, and a command pays only for the code that it uses.
 */
import type { CliContext } from "./context.ts";

/**
 * Runs one command line.
 *
 * @param argv - what follows `tsop`
 * @param context - where it runs; the process's own folder, streams and signals when left out
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 drift found by `--check`
 */
export async function main(argv: readonly string[], context?: CliContext): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    const { packageVersion } = await import("./package-info.ts");
    if (context) context.out(packageVersion());
    else process.stdout.write(`${packageVersion()}\n`);
    return 0;
  }
  if (argv.length === 1 && argv[0] === "manifests") {
    const { processContext } = await import("./context.ts");
    const { saidUnchanged } = await import("./project/unchanged.ts");
    if (await saidUnchanged(context ?? processContext())) return 0;
  }
  const { runProgram } = await import("./program.ts");
  return runProgram(argv, context);
}
