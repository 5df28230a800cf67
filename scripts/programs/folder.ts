/** The programs of a kind: the files of its folder. */
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleAllTs } from "../bundle-ts.mjs";
import type { AnyProgram } from "./program.ts";

/** The kinds of programs, which are also folders and npm scripts. */
export const KINDS = ["verify", "measure", "make"] as const;

/** A kind of programs. */
export type Kind = (typeof KINDS)[number];

const scripts = fileURLToPath(new URL("..", import.meta.url));

/** The names of all programs of a kind. */
export function programNames(kind: Kind): string[] {
  return readdirSync(`${scripts}${kind}`)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -".ts".length))
    .sort();
}

/** The program that a module defines. @throws Error when it does not define one of its kind */
export function programOf(module: { program?: AnyProgram }, kind: Kind, name: string): AnyProgram {
  if (module.program?.kind === kind) return module.program;
  throw new Error(
    `scripts/${kind}/${name}.ts does not define a program of its folder. Export the definition under the name program, or move the file.`,
  );
}

/** Loads programs of a kind, by name. */
export async function loadPrograms(
  kind: Kind,
  names: readonly string[] = programNames(kind),
): Promise<ReadonlyMap<string, AnyProgram>> {
  const files = names.map((name) => `${scripts}${kind}/${name}.ts`);
  const folder = await bundleAllTs(files, `${kind}-${process.pid}`);
  // A program can load parts of itself as long as it runs.
  process.once("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const programs = new Map<string, AnyProgram>();
  for (const name of names) {
    const url = pathToFileURL(`${folder}/${name}.mjs`).href;
    programs.set(name, programOf((await import(url)) as object, kind, name));
  }
  return programs;
}
