/** A plugin of kubectl as one file that Node runs, wherever it lies and whatever package is around it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { TsopError } from "../../errors.ts";
import { asSourceError } from "./bundle.ts";

/**
 * What a file without an ending cannot know: whether Node takes it for a CommonJS module or for an ES module, which the
 * package.json around it decides. These two names are there in both.
 */
const BANNER = `#!/usr/bin/env node
var require = process.getBuiltinModule("node:module").createRequire(process.argv[1]);
var __fileUrl = process.getBuiltinModule("node:url").pathToFileURL(process.argv[1]).href;`;

/**
 * The program of a plugin, from its `main.ts`.
 *
 * @throws SourceError for code that cannot be bundled, with its positions; TsopError `plugin-missing`
 */
export async function bundledPlugin(
  root: string,
  { name, version }: { readonly name: string; readonly version: string },
): Promise<string> {
  const main = `src/plugins/${name}/main.ts`;
  if (!existsSync(join(root, main))) {
    throw new TsopError(
      "plugin-missing",
      `${main} does not exist, but PROJECT has the plugin ${name}.`,
      `Restore it from version control, or take the plugin out: tsop delete plugin ${name}`,
    );
  }
  const { build } = await import("esbuild");
  const { outputFiles } = await asSourceError(
    main,
    build({
      absWorkingDir: root,
      entryPoints: [main],
      outfile: `dist/plugins/${name}.js`,
      bundle: true,
      platform: "node",
      // Neither kind of module: what stands between the two is the same for both.
      format: "iife",
      target: "node20",
      minify: true,
      keepNames: true,
      legalComments: "none",
      logLevel: "silent",
      define: { "import.meta.url": "__fileUrl", PLUGIN_VERSION: JSON.stringify(version) },
      banner: { js: BANNER },
      write: false,
    }),
  );
  return outputFiles[0]?.text ?? "";
}
