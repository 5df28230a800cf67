/** A walk through a folder that might be that of a cloned repository, with any links in it. */
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { isBelow } from "./plan.ts";

/** A regular file of a folder. */
export interface WalkedFile {
  /** The path that begins with that of the folder. */
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

/**
 * The regular files below a folder, sorted. A link is followed if its target is below the folder, too; a folder is
 * entered once, by its own path if it has one, so that links to folders above do not multiply the files.
 *
 * @param enters - whether the walk enters the folder
 */
export async function walkFolder(
  folder: string,
  enters: (name: string, path: string) => boolean | Promise<boolean>,
): Promise<readonly WalkedFile[]> {
  const root = await realpath(folder);
  const entered = new Set([root]);
  const files: WalkedFile[] = [];
  const links: string[] = [];

  const list = async (path: string): Promise<void> => {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const below = join(path, entry.name);
      if (entry.isSymbolicLink()) links.push(below);
      else await visit(below);
    }
  };
  const visit = async (path: string): Promise<void> => {
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined || !isBelow(real, root)) return;
    const found = await stat(real).catch(() => undefined);
    const name = basename(path);
    if (found?.isFile()) files.push({ path, name, bytes: found.size });
    if (!found?.isDirectory() || entered.has(real) || !(await enters(name, path))) return;
    entered.add(real);
    await list(path);
  };

  await list(folder);
  // The list grows while links to folders are followed.
  for (const link of links) await visit(link);
  const orderOf = (path: string): string => path.replaceAll(sep, "\0");
  return files.sort((one, other) => (orderOf(one.path) < orderOf(other.path) ? -1 : 1));
}
