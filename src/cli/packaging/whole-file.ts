/** Files that are too large for a plan, or no text: they are there whole, or as they were. */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { removeUnfinished, unfinishedName } from "../project/unfinished-files.ts";

/** Writes the file, and removes what a killed command left of it. */
export async function writeWhole(path: string, content: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await removeUnfinished(dirname(path), [basename(path)]);
  const beside = unfinishedName(path);
  try {
    await writeFile(beside, content, { flag: "wx" });
    await rename(beside, path);
  } finally {
    await rm(beside, { force: true });
  }
}
