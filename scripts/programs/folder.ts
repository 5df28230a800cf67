/** The programs of a kind: the files of its folder. */
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleTs } from "../bundle-ts.mjs";
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

/** Loads one program. @throws Error when its file does not define a program of its kind */
export async function loadProgram(kind: Kind, name: string): Promise<AnyProgram> {
  const path = await bundleTs(`${scripts}${kind}/${name}.ts`, `${name}-${process.pid}.mjs`);
  try {
    const { program } = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as {
      program?: AnyProgram;
    };
    if (program?.kind === kind) return program;
    throw new Error(
      `scripts/${kind}/${name}.ts does not define a program of its folder. Export the definition under the name program, or move the file.`,
    );
  } finally {
    rmSync(path, { force: true });
  }
}

/** Loads all programs of a kind, by name. */
export async function loadPrograms(kind: Kind): Promise<ReadonlyMap<string, AnyProgram>> {
  const loaded = programNames(kind).map(
    async (name) => [name, await loadProgram(kind, name)] as const,
  );
  return new Map(await Promise.all(loaded));
}
