/**
 * An operator as one file: `src/main.ts` and all that it imports, bundled by esbuild.
 *
 * @module
 */
import type { BuildFailure, BuildOptions } from "esbuild";
import { SourceError } from "../../errors.ts";
import { mainPath } from "../project/main-path.ts";

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
  const main = await mainPath(root);
  const { build } = await import("esbuild");
  const { small = false } = options;
  const settings = { ...optionsOf(root, main, outfile), minify: small, metafile: true as const };
  const { metafile } = await asSourceError(main, build(settings));
  return Object.keys(metafile.inputs);
}

/**
 * The operator as `bundleOperator` makes it small, with its map, by path from the root; nothing is written.
 *
 * @throws SourceError for code that cannot be bundled, with its positions
 */
export async function bundledOperator(
  root: string,
  outfile: string,
): Promise<ReadonlyMap<string, string>> {
  const main = await mainPath(root);
  const { build } = await import("esbuild");
  const settings = { ...optionsOf(root, main, outfile), minify: true, write: false as const };
  const { outputFiles } = await asSourceError(main, build(settings));
  return new Map(
    outputFiles.map(({ path, text }) => [path.endsWith(".map") ? `${outfile}.map` : outfile, text]),
  );
}

/** Opens a bundle for several runs. Nothing is written before the first `rebuild`. */
export async function openBundle(root: string, outfile: string): Promise<OpenBundle> {
  const main = await mainPath(root);
  const { context } = await import("esbuild");
  const opened = await context(optionsOf(root, main, outfile));
  return {
    async rebuild() {
      await mainPath(root); // It may have gone since.
      await asSourceError(main, opened.rebuild());
    },
    close: () => opened.dispose(),
  };
}

function optionsOf(root: string, main: string, outfile: string): BuildOptions {
  return {
    absWorkingDir: root,
    entryPoints: [main],
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

async function asSourceError<T>(main: string, building: Promise<T>): Promise<T> {
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
        file: location?.file ?? main,
        line: location?.line ?? 1,
        column: (location?.column ?? 0) + 1,
      })),
    );
  }
}
