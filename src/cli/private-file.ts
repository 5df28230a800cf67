/**
 * Files that hold credentials.
 *
 * @module
 */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf, TsopError } from "../errors.ts";

/**
 * Writes a file that only its owner can read, as a whole or not at all.
 *
 * @throws TsopError `write-failed`
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tsop-${process.pid}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, text, { mode: 0o600 });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new TsopError(
      "write-failed",
      `${path} could not be written: ${messageOf(error)}`,
      "Make its folder writable, or pass another path.",
      { cause: error },
    );
  }
}
