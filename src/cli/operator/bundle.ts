/**
 * An operator as one file: `src/main.ts` and all that it imports, bundled by esbuild.
 *
 * @module
 */
import { join } from "node:path";
import type { BuildFailure, BuildOptions } from "esbuild";
import { SourceError, TsopError } from "../../errors.ts";
import { readIfThere } from "../project/plan.ts";

/** Where the operator starts. */
const MAIN_FILE = "src/main.ts";

/** A bundle that is made again after edits, reading only what changed. */
export interface OpenBundle {
  /** @throws SourceError for code that cannot be bundled, with its positions */
  rebuild(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Bundles the operator into `outfile` (relative to the project's root).
 *
 * @param options - `small`: without what only people read; stack traces name the source's lines by its map
 * @returns the files that are in it, relative to the root
 * @throws SourceError for code that cannot be bundled, with its positions
 */
export async function bundleOperator(
  root: string,
  outfile: string,
  options: { readonly small?: boolean } = {},
): Promise<string[]> {
  await checkMain(root);
  const { build } = await import("esbuild");
  const { small = false } = options;
  const settings = { ...optionsOf(root, outfile), minify: small, metafile: true as const };
  const { metafile } = await asSourceError(build(settings));
  return Object.keys(metafile.inputs);
}

/** Opens a bundle for several runs. Nothing is written before the first `rebuild`. */
export async function openBundle(root: string, outfile: string): Promise<OpenBundle> {
  const { context } = await import("esbuild");
  const opened = await context(optionsOf(root, outfile));
  return {
    async rebuild() {
      await checkMain(root);
      await asSourceError(opened.rebuild());
    },
    close: () => opened.dispose(),
  };
}

function optionsOf(root: string, outfile: string): BuildOptions {
  return {
    absWorkingDir: root,
    entryPoints: [MAIN_FILE],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: true,
    keepNames: true,
    logLevel: "silent",
    // Bundled CommonJS packages call `require`.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  };
}

async function checkMain(root: string): Promise<void> {
  if ((await readIfThere(join(root, MAIN_FILE))) !== undefined) return;
  throw new TsopError(
    "no-main",
    `There is no ${MAIN_FILE} in ${root}.`,
    "Restore it from version control; it starts the operator.",
  );
}

async function asSourceError<T>(building: Promise<T>): Promise<T> {
  try {
    return await building;
  } catch (error) {
    const errors = (error as Partial<BuildFailure>).errors;
    if (!errors) throw error;
    throw new SourceError(
      errors.map(({ text, location }) => ({
        severity: "error",
        code: "not-bundled",
        message: text,
        fix: "Correct the line; when a package is missing, run `npm install`.",
        file: location?.file ?? MAIN_FILE,
        line: location?.line ?? 1,
        column: (location?.column ?? 0) + 1,
      })),
    );
  }
}
