/** A TypeScript file of the tests as a program for other processes: bundled once, however many processes run it. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { build } from "esbuild";

/** Bundles a file of this checkout; `remove` when no process runs it any more. */
export async function bundled(file: string): Promise<{ path: string; remove(): void }> {
  // Within the checkout, where the packages are found.
  const cache = resolve("node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "tsop-bundled-"));
  const path = join(folder, `${basename(file, ".ts")}.mjs`);
  await build({
    entryPoints: [resolve(file)],
    outfile: path,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
  return {
    path,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
