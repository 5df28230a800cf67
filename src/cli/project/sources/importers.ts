/** Finds the files that import a file of the project. */
import { readdir } from "node:fs/promises";
import { join, posix } from "node:path";
import { Project } from "../../vendor/source-editor.ts";
import type { Draft } from "../draft.ts";

/** An import of a file. */
export interface Importer {
  /** The file that imports, in the project. */
  readonly path: string;
  /** The position of the import: `file:line`. */
  readonly place: string;
  /** The file that is imported. */
  readonly imported: string;
}

/** The imports of these files in the sources and tests of the project, as they will be. */
export async function importersOf(
  draft: Draft,
  imported: readonly string[],
): Promise<readonly Importer[]> {
  if (imported.length === 0) return [];
  const bases = new Map(imported.map((path) => [withoutEnding(path), path]));
  const found: Importer[] = [];
  for (const path of [
    ...(await sourcesIn(draft.root, "src")),
    ...(await sourcesIn(draft.root, "test")),
  ]) {
    const text = await draft.read(path);
    if (
      text === undefined ||
      ![...bases.keys()].some((base) => text.includes(posix.basename(base)))
    ) {
      continue;
    }
    const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
    for (const literal of project.createSourceFile("file.ts", text).getImportStringLiterals()) {
      const specifier = literal.getLiteralText();
      if (!specifier.startsWith(".")) continue;
      const target = bases.get(withoutEnding(posix.join(posix.dirname(path), specifier)));
      if (target === undefined) continue;
      found.push({ path, place: `${path}:${literal.getStartLineNumber()}`, imported: target });
    }
  }
  return found;
}

const withoutEnding = (path: string): string => path.replace(/\.[cm]?[jt]s$/, "");

/** The paths of the TypeScript files below a folder of the project. */
export async function sourcesIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true }).catch(() => []);
  return entries
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => /\.[cm]?ts$/.test(path) && !path.includes("/node_modules/"))
    .sort();
}
