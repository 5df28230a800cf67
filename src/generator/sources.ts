/** The user's source files. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_FOLDER } from "../project-folder.ts";
import { readRegularFileSync } from "../regular-file.ts";

/** The role that `tsop init` writes: it lets the operator hold its lease. */
export const LEASE_ROLE = "config/rbac/leader_election_role.yaml";

/** The roles that `tsop init` writes, in this version or an earlier one: they let the operator ask who may read its metrics. */
export const METRICS_ROLES = [
  "config/metrics/metrics_roles.yaml",
  "config/rbac/metrics_roles.yaml",
];

const SKIPPED = new Set(["node_modules", "dist", PROJECT_FOLDER, ".git", "__tests__", "__mocks__"]);

/** The absolute paths of a project's TypeScript files, sorted by folder; without declarations and tests. */
export function sourcePaths(root: string, folder = "src"): string[] {
  const paths: string[] = [];
  const walk = (folder: string): void => {
    const entries = readdirSync(folder, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) walk(path);
      else if (isSource(entry.name)) paths.push(path);
    }
  };
  const source = join(root, folder);
  if (existsSync(source)) walk(source);
  return paths;
}

/** The texts of a project's TypeScript files, by absolute path. */
export function readSources(root: string, folder?: string): Map<string, string> {
  return new Map(
    sourcePaths(root, folder).map((path) => [path, readRegularFileSync(path).toString()]),
  );
}

const isSource = (name: string): boolean =>
  /\.[cm]?ts$/.test(name) && !/\.(?:d|test|spec)\.[cm]?ts$/.test(name);
