/** The package as `npm install` leaves it: a real folder of `node_modules` with the published files, not a link to a checkout. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { builtCheckout } from "./built-checkout.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What is published besides the build. */
const PUBLISHED = ["bin", "templates", "docs"];

const filesUnder =
  (checkout: string) =>
  (folder: string): string[] =>
    readdirSync(join(checkout, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(checkout, join(entry.parentPath, entry.name)))
      .sort();

interface Packed {
  readonly files: readonly { readonly path: string }[];
}

/**
 * The folder `node_modules/tsop`, created once for each build. It is below this checkout, so its dependencies are those of the
 * checkout. What imports a link to the checkout instead gets sources of a monorepo: vitest transforms all of them, in each file.
 */
export async function installedPackage(): Promise<string> {
  const checkout = await builtCheckout();
  const hash = createHash("sha256").update(checkout);
  // A build writes its id last; the rest is published as it is.
  for (const path of [
    "dist/build-id",
    "package.json",
    ...PUBLISHED.flatMap(filesUnder(checkout)),
  ]) {
    hash.update(`${path} ${statSync(join(checkout, path)).mtimeMs}\n`);
  }
  const key = hash.digest("hex").slice(0, 16);
  const home = join(root, ".cache", "installed", key);
  const installed = join(home, "node_modules", "tsop");
  if (existsSync(installed)) return installed;
  const pack = ["pack", "--dry-run", "--ignore-scripts", "--json"];
  const { stdout } = await promisify(execFile)("npm", pack, { cwd: checkout });
  const [{ files }] = JSON.parse(stdout) as [Packed];
  const partial = `${home}.${process.pid}`;
  try {
    for (const { path } of files) {
      const target = join(partial, "node_modules", "tsop", path);
      mkdirSync(dirname(target), { recursive: true });
      // Copies, not links: a build writes into its files.
      copyFileSync(join(checkout, path), target);
    }
    // Another test process may have been first.
    if (!existsSync(home)) renameSync(partial, home);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return installed;
}
