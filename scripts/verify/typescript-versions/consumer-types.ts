/**
 * Checks that a user's project compiles against the published package, libraries included, with any
 * compiler.
 */
import { execFile } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const OPERATOR = fileURLToPath(
  new URL("../../../test/package/fixtures/operator.ts", import.meta.url),
);

/** The set-ups of projects: module resolution, form of decorators, and strictness. */
export const CONSUMERS = {
  "nodenext, exact optional properties": {
    module: "nodenext",
    moduleResolution: "nodenext",
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
  },
  "bundler, experimental decorators": {
    module: "esnext",
    moduleResolution: "bundler",
    experimentalDecorators: true,
  },
  "bundler, exact optional properties": {
    module: "esnext",
    moduleResolution: "bundler",
    exactOptionalPropertyTypes: true,
  },
  "nodenext, experimental decorators": {
    module: "nodenext",
    moduleResolution: "nodenext",
    experimentalDecorators: true,
  },
} as const;

/** The name of a set-up. */
export type Consumer = keyof typeof CONSUMERS;

/**
 * The errors that a compiler reports for an operator in `project`; empty when it compiles.
 *
 * @param project - a folder from which `tsop` and `@types/node` are found
 * @param compiler - the folder of a `typescript` package
 */
export async function typeErrorsOf(
  project: string,
  compiler: string,
  consumer: Consumer,
): Promise<string> {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022"],
    types: ["node"],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    ...CONSUMERS[consumer],
  };
  copyFileSync(OPERATOR, join(project, "operator.ts"));
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["operator.ts"] }),
  );
  const tsc = join(compiler, "bin/tsc");
  try {
    await promisify(execFile)(process.execPath, [tsc, "-p", "tsconfig.json"], { cwd: project });
    return "";
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    if (!stdout) throw error;
    return stdout;
  }
}
