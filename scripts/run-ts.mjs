// Runs a TypeScript file of this project: `node scripts/run-ts.mjs FILE [argument ...]`. Bundled by esbuild into .cache/.
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleTs } from "./bundle-ts.mjs";

const [file, ...rest] = process.argv.slice(2);
if (!file) throw new Error("usage: node scripts/run-ts.mjs FILE [argument ...]");
const outfile = await bundleTs(file, `${basename(file, ".ts")}-${process.pid}.mjs`);
process.argv = [process.argv[0] ?? "node", file, ...rest];
try {
  await import(pathToFileURL(outfile).href);
} finally {
  await rm(outfile, { force: true });
}
