/** Files that hold credentials. */
import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { TsopError } from "../../errors.ts";
import { fileProblem } from "../file-errors.ts";
import { makePrivateFolder, refuseLinks } from "./tsop-folder.ts";

/**
 * Writes a file that only its owner can read, as a whole or not at all; synchronously, for nobody
 * can go on without it. A link in its place is replaced, except in `.tsop`, which must not have links.
 *
 * @throws TsopError `write-failed`, `linked-folder`
 */
export function writePrivateFile(path: string, text: string): void {
  // With a random name nobody can put a link, or a file that is readable for others, in its place.
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    refuseLinks(path);
    makePrivateFolder(dirname(path));
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    if (error instanceof TsopError) throw error;
    rmSync(temporary, { force: true });
    const { problem, fix } = fileProblem(error);
    throw new TsopError("write-failed", `${path} could not be written: ${problem}.`, fix, {
      cause: error,
    });
  }
}
