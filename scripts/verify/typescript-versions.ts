import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineVerification } from "../programs/program.ts";
import { CONSUMERS, typeErrorsOf, type Consumer } from "./typescript-versions/consumer-types.ts";

const OLDEST = [5, 4] as const;
const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = join(root, "node_modules/.cache/typescript-versions");
const npm = (cwd: string, ...args: string[]): string =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

/** The newest release of each minor version: `5.4` to `5.4.5`. */
function newestReleases(): Map<string, string> {
  const all = JSON.parse(npm(root, "view", "typescript", "versions", "--json")) as string[];
  const newest = new Map<string, { readonly version: string; readonly patch: number }>();
  for (const version of all) {
    const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)$/.exec(version)?.map(Number) ?? [];
    if (major === undefined || minor === undefined || patch === undefined) continue;
    if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) continue;
    const name = `${major}.${minor}`;
    const known = newest.get(name);
    if (!known || patch > known.patch) newest.set(name, { version, patch });
  }
  return new Map([...newest].map(([name, { version }]) => [name, version]));
}

/** The folder of a compiler, fetched once. */
function compilerOf(version: string): string {
  const folder = join(cache, version);
  const compiler = join(folder, "node_modules/typescript");
  if (!existsSync(join(compiler, "bin/tsc"))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    npm(folder, "install", "--no-audit", "--no-fund", "--loglevel=error", `typescript@${version}`);
  }
  return compiler;
}

/** A project with the package as it would be published; what that depends on is found above it. */
function packedProject(): string {
  const project = join(cache, "project");
  const installed = join(project, "node_modules/tsop");
  rmSync(project, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", project];
  const [{ filename }] = JSON.parse(npm(root, ...pack)) as [{ filename: string }];
  const archive = join(project, filename);
  execFileSync("tar", ["-xzf", archive, "-C", installed, "--strip-components=1"]);
  return project;
}

export const program = defineVerification({
  about: `Compiles an operator against the packed package with each minor version of TypeScript from ${OLDEST.join(".")} on.`,
  compares: "compilations",
  needs: ["a build", "the network"],
  words: { name: "VERSION", about: "some of the versions, as 5.5" },
  options: {},
  run: async ({ words, tally }) => {
    const project = packedProject();
    for (const [name, version] of newestReleases()) {
      if (words.length > 0 && !words.includes(name)) continue;
      const compiler = compilerOf(version);
      for (const consumer of Object.keys(CONSUMERS) as Consumer[]) {
        const errors = await typeErrorsOf(project, compiler, consumer);
        tally.count(errors === "");
        console.log(`${errors === "" ? "ok  " : "FAIL"} TypeScript ${version}, ${consumer}`);
        if (errors !== "") console.log(errors);
      }
    }
  },
});
