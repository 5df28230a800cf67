/** An operator as one file: `src/main.ts` and all that it imports, bundled by esbuild. */
import type { BuildFailure, BuildOptions, Plugin } from "esbuild";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { SourceError } from "../../errors.ts";
import { mainPath } from "../project/sources/main-path.ts";
import { generatedFile } from "../project/tsop-folder.ts";

/** A bundle that is made again after edits, reading only what changed. */
export interface OpenBundle {
  /** The files that were left out of it, and are loaded beside it. */
  readonly leftOut: ReadonlySet<string>;
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
): Promise<readonly string[]> {
  if (options.small) {
    const { files, inputs } = await bundledOperator(root, outfile);
    for (const [path, text] of files) await writeFile(generatedFile(root, path), text);
    return inputs;
  }
  const main = await mainPath(root);
  const { build } = await import("esbuild");
  prepareOutput(root, outfile);
  const settings = { ...optionsOf(root, main, outfile), metafile: true as const };
  const { metafile } = await asSourceError(main, build(settings));
  return Object.keys(metafile.inputs);
}

/** A bundle that is not written yet. */
interface BundledOperator {
  /** The bundle and its source map, by path from the project's root. */
  readonly files: ReadonlyMap<string, string>;
  /** The files that are in it, relative to the root. */
  readonly inputs: readonly string[];
}

/**
 * The operator as `bundleOperator` makes it small; nothing is written.
 *
 * @throws SourceError for code that cannot be bundled, with its positions
 */
export async function bundledOperator(root: string, outfile: string): Promise<BundledOperator> {
  const main = await mainPath(root);
  const { build } = await import("esbuild");
  const settings = optionsOf(root, main, outfile);
  const small = { ...settings, minify: true, metafile: true as const, write: false as const };
  const { outputFiles, metafile } = await asSourceError(main, build(small));
  const files = outputFiles.map(({ path, text }): [string, string] =>
    path.endsWith(".map")
      ? [`${outfile}.map`, withoutForeignSources(text, dirname(join(root, outfile)), root)]
      : [outfile, text],
  );
  return { files: new Map(files), inputs: Object.keys(metafile.inputs) };
}

/**
 * A source map that has the text of the project's own files alone. Node keeps the map of a running program in memory, and
 * two thirds of it would be the text of packages.
 */
function withoutForeignSources(text: string, folder: string, root: string): string {
  const map = JSON.parse(text) as { sources: string[]; sourcesContent?: (string | null)[] };
  const sourcesContent = map.sourcesContent?.map((content, index) => {
    const path = relative(root, resolve(folder, map.sources[index] ?? ""));
    const isOwn = !path.startsWith("..") && !isAbsolute(path) && !path.includes("node_modules");
    return isOwn ? content : null;
  });
  return JSON.stringify({ ...map, sourcesContent });
}

/**
 * Opens a bundle for several runs. It runs where it was made, so tsop itself is left out of it.
 * Nothing is written before the first `rebuild`.
 */
export async function openBundle(root: string, outfile: string): Promise<OpenBundle> {
  const main = await mainPath(root);
  const { context } = await import("esbuild");
  const leftOut = new Set<string>();
  const options = optionsOf(root, main, outfile);
  const plugins = [...(options.plugins ?? []), withoutTsop(root, leftOut)];
  const opened = await context({ ...options, plugins });
  return {
    leftOut,
    async rebuild() {
      await mainPath(root); // The file may have gone since.
      prepareOutput(root, outfile);
      await asSourceError(main, opened.rebuild());
    },
    close: () => opened.dispose(),
  };
}

/** esbuild writes through links. */
function prepareOutput(root: string, outfile: string): void {
  for (const path of [outfile, `${outfile}.map`]) generatedFile(root, path);
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

const IS_ASKED = Symbol("is asked");

/**
 * Leaves tsop out where Node finds the same file: it is nearly all of a bundle, does not change between two saves, and can
 * be loaded before the next one.
 */
function withoutTsop(root: string, leftOut: Set<string>): Plugin {
  const { resolve } = createRequire(join(root, "package.json"));
  const byNode = (name: string): string | undefined => {
    try {
      return resolve(name);
    } catch {
      return undefined;
    }
  };
  return {
    name: "without-tsop",
    setup(build) {
      build.onResolve({ filter: /^tsop(?:\/|$)/ }, async ({ path: name, pluginData, ...asked }) => {
        const { kind, importer, resolveDir } = asked;
        const isImport = kind === "import-statement" || kind === "dynamic-import";
        if (pluginData === IS_ASKED || !isImport) return undefined;
        const options = { kind, importer, resolveDir, pluginData: IS_ASKED };
        const { path } = await build.resolve(name, options);
        if (path === "" || path !== byNode(name)) return undefined;
        leftOut.add(path);
        return { path: name, external: true };
      });
    },
  };
}

export async function asSourceError<T>(main: string, building: Promise<T>): Promise<T> {
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
