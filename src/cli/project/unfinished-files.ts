/**
 * The files that a command writes before they get their names: one that is killed leaves them, and the next one that has to do
 * with these files takes them away.
 */
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The name under which a file is written. */
export const unfinishedName = (target: string): string => `${target}.tsop-${process.pid}`;

const UNFINISHED = /^(.+)\.tsop-(\d+)$/;

/** Removes the temporary files that killed commands left beside these files. */
export async function removeUnfinished(root: string, paths: readonly string[]): Promise<void> {
  const byFolder = new Map<string, Set<string>>();
  for (const path of paths) {
    const full = join(root, path);
    const names = byFolder.get(dirname(full)) ?? new Set();
    byFolder.set(dirname(full), names.add(basename(full)));
  }
  for (const [folder, names] of byFolder) {
    for (const entry of await readdir(folder).catch(() => [])) {
      const [, name = "", pid = ""] = UNFINISHED.exec(entry) ?? [];
      if (names.has(name) && !isRunning(Number(pid)))
        await rm(join(folder, entry), { force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
