/**
 * The user's source files, and hashes of texts.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The role that `tsop init` writes: it lets the operator hold its lease. */
export const LEASE_ROLE = "config/rbac/leader_election_role.yaml";

const SKIPPED = new Set(["node_modules", "dist", ".tsop", ".git"]);

/** The TypeScript files of a project, by absolute path, sorted; without declarations and tests. */
export function readSources(root: string, folder = "src"): Map<string, string> {
  const files = new Map<string, string>();
  const walk = (folder: string): void => {
    const entries = readdirSync(folder, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) walk(path);
      else if (isSource(entry.name)) files.set(path, readFileSync(path, "utf8"));
    }
  };
  const source = join(root, folder);
  if (existsSync(source)) walk(source);
  return files;
}

const isSource = (name: string): boolean =>
  /\.[cm]?ts$/.test(name) && !/\.(?:d|test|spec)\.[cm]?ts$/.test(name);

/** A hash of texts and their names. */
export function hashOf(texts: Iterable<readonly [string, string]>): string {
  const hash = createHash("sha256");
  for (const [name, text] of texts) hash.update(`${name.length}:${name}${text.length}:${text}`);
  return hash.digest("hex");
}
