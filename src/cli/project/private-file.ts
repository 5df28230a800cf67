/** Files that hold credentials. */
import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { TsopError } from "../../errors.ts";
import { fileProblem } from "../file-errors.ts";

/**
 * Writes a file that only its owner can read, as a whole or not at all; synchronously, for nobody
 * can go on without it.
 *
 * @throws TsopError `write-failed`
 */
export function writePrivateFile(path: string, text: string): void {
  // With a random name nobody can put a link, or a file that is readable for others, in its place.
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    const { problem, fix } = fileProblem(error);
    throw new TsopError("write-failed", `${path} could not be written: ${problem}.`, fix, {
      cause: error,
    });
  }
}
