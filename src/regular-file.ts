/**
 * Reads files of projects. A cloned repository can contain links to devices, whose content has no end, and to pipes, which
 * wait for a writer.
 */
import { constants, closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";

/** The code of the error for a device, a pipe or a socket, in place of one of the system. */
export const NOT_REGULAR = "ENOTREG";

// A pipe without a writer is opened, too. Windows has no such flag, and `undefined` counts as 0.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

interface Kind {
  isFile(): boolean;
  isDirectory(): boolean;
}

/** The content of a file. @throws the system's error, or one with the code `NOT_REGULAR` */
export function readRegularFileSync(path: string | URL): Buffer {
  const file = openSync(path, FLAGS);
  try {
    check(fstatSync(file), path);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** The content of a file. @throws the system's error, or one with the code `NOT_REGULAR` */
export async function readRegularFile(path: string): Promise<Buffer> {
  const file = await open(path, FLAGS);
  try {
    check(await file.stat(), path);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Reading a folder is left to the system, which has an error for it. */
function check(kind: Kind, path: string | URL): void {
  if (kind.isFile() || kind.isDirectory()) return;
  throw Object.assign(new Error(`${String(path)} is not a regular file`), { code: NOT_REGULAR });
}
