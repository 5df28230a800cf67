// Runs a TypeScript file of this project: `node scripts/run-ts.mjs FILE [argument ...]`. Bundled by esbuild into .cache/.
import { build } from "esbuild";
import { readFile, rm } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { writeSideThreadProgram } from "./side-thread-program.mjs";

const [file, ...rest] = process.argv.slice(2);
if (!file) throw new Error("usage: node scripts/run-ts.mjs FILE [argument ...]");
const root = fileURLToPath(new URL("..", import.meta.url));
const outfile = resolve(root, ".cache/run", `${basename(file, ".ts")}-${process.pid}.mjs`);

/** A bundled file that reads files beside `import.meta.url` must find those of its source. */
const ownUrl = {
  name: "own-url",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll(
        /(?<!["'])\bimport\.meta\.url\b/g,
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: "ts",
    }));
  },
};

await writeSideThreadProgram();
await build({
  entryPoints: [resolve(file)],
  outfile,
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
process.argv = [process.argv[0] ?? "node", file, ...rest];
try {
  await import(pathToFileURL(outfile).href);
} finally {
  await rm(outfile, { force: true });
}
