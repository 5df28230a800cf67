/** A TypeScript file of the tests as a program for other processes: bundled once, however many processes run it. */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { basename } from "node:path";
import { bundleTs } from "../../scripts/bundle-ts.mjs";

/** Bundles a file of this checkout; `remove` when no process runs it any more. */
export async function bundled(file: string): Promise<{ path: string; remove(): void }> {
  const path = await bundleTs(file, `${basename(file, ".ts")}-${randomUUID()}.mjs`);
  return {
    path,
    remove: () => {
      rmSync(path, { force: true });
    },
  };
}
