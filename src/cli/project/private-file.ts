/**
 * Files that hold credentials.
 *
 * @module
 */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { TsopError } from "../../errors.ts";
import { fileProblem } from "../file-errors.ts";

/**
 * Writes a file that only its owner can read, as a whole or not at all; at once, for nobody can go on without it.
 *
 * @throws TsopError `write-failed`
 */
export function writePrivateFile(path: string, text: string): void {
  const temporary = `${path}.tsop-${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    if (existsSync(temporary)) rmSync(temporary);
    const { problem, fix } = fileProblem(error);
    throw new TsopError("write-failed", `${path} could not be written: ${problem}.`, fix, {
      cause: error,
    });
  }
}
