// A TypeScript file of this project and all that it imports as one file that Node runs.
import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { writeSideThreadProgram } from "./build/side-thread-program.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A bundled file that reads files beside `import.meta.url` must find those of its source. */
const ownUrl = {
  name: "own-url",
  setup({ onLoad }) {
    onLoad({ filter: /\.(?:ts|mjs)$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll(
        /(?<!["'])\bimport\.meta\.url\b/g,
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: path.endsWith(".ts") ? "ts" : "js",
    }));
  },
};

/** Writes the bundle to `.cache/run/<name>`, where it finds this checkout's packages; returns its path. */
export async function bundleTs(file, name) {
  const outfile = resolve(root, ".cache/run", name);
  await bundle({ entryPoints: [resolve(file)], outfile });
  return outfile;
}

/** Writes the bundles of several files of one folder to `.cache/run/<folder>`; returns the path of that. */
export async function bundleAllTs(files, folder) {
  const outdir = resolve(root, ".cache/run", folder);
  await bundle({ entryPoints: files, outdir, outExtension: { ".js": ".mjs" }, splitting: true });
  return outdir;
}

async function bundle(options) {
  await writeSideThreadProgram();
  await build({
    ...options,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    // The example of this checkout runs on its sources.
    alias: {
      tsop: resolve(root, "src/index.ts"),
      "tsop/k8s": resolve(root, "src/k8s.ts"),
      "tsop/plugin": resolve(root, "src/plugin.ts"),
    },
    plugins: [ownUrl],
    logLevel: "warning",
  });
}
