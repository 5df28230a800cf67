// Runs a TypeScript file of this project: `node scripts/run-ts.mjs FILE [argument ...]`. Bundled by esbuild into .cache/.
import { build } from "esbuild";
import { basename, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [file, ...rest] = process.argv.slice(2);
if (!file) throw new Error("usage: node scripts/run-ts.mjs FILE [argument ...]");
const root = fileURLToPath(new URL("..", import.meta.url));
const outfile = resolve(root, ".cache/run", `${basename(file, ".ts")}-${process.pid}.mjs`);
await build({
  entryPoints: [resolve(file)],
  outfile,
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: "inline",
  loader: { ".json": "json" },
  define: { "import.meta.dirname": JSON.stringify(resolve(root)) },
  logLevel: "warning",
});
process.argv = [process.argv[0] ?? "node", file, ...rest];
await import(pathToFileURL(outfile).href);
