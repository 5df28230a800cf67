/** A checkout whose `dist/` says what `src/` says: for tests of what is published and installed. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");

/** What `npm run build` reads. */
const SOURCES = ["src", "scripts"];
const FILES = ["package.json", "tsconfig.json", "tsconfig.build.json"];
/** What `npm pack` reads besides: as it is in the checkout, so that an edit of it needs no build. */
const PUBLISHED = ["bin", "templates", "docs", "README.md", "LICENSE", "NOTICE"];

/**
 * The checkout itself while its build is newer than its sources (as it is after `npm ci`), or else a
 * copy of it, built once under `.cache/`. Either way the folder stays as it is while tests run.
 */
export async function builtCheckout(): Promise<string> {
  const sources = [...SOURCES.flatMap(filesUnder), ...FILES].filter(
    (path) => !path.startsWith(join("src", "generated")),
  );
  const newest = Math.max(...sources.map(modified));
  const built = join(root, "dist", "build-id");
  if (existsSync(built) && statSync(built).mtimeMs > newest) return root;

  const hash = createHash("sha256");
  const published = PUBLISHED.flatMap((path) =>
    statSync(join(root, path)).isDirectory() ? filesUnder(path) : [path],
  );
  for (const path of [...sources, ...published].sort())
    hash.update(path).update(readFileSync(join(root, path)));
  const folder = join(root, ".cache", "built", hash.digest("hex").slice(0, 16));
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  try {
    mkdirSync(partial, { recursive: true });
    for (const path of [...SOURCES, ...FILES, ...PUBLISHED]) {
      cpSync(join(root, path), join(partial, path), { recursive: true });
    }
    symlinkSync(join(root, "node_modules"), join(partial, "node_modules"), "junction");
    await promisify(execFile)(process.execPath, ["scripts/build.mjs"], { cwd: partial });
    // Another test process may have been first.
    if (!existsSync(folder)) renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

function modified(path: string): number {
  return statSync(join(root, path)).mtimeMs;
}
