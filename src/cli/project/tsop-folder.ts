/**
 * The folder `.tsop` of a project: the one module that names it (a lint rule holds this).
 *
 * tsop writes there for other programs, and reads only the scaffold record, which is part of the project's code.
 * Facts that tsop believes are in `OwnState`: a cloned repository can contain any file here.
 */
import { lstatSync, mkdirSync } from "node:fs";
import { isAbsolute, join, resolve, sep } from "node:path";
import { TsopError } from "../../errors.ts";
import { PROJECT_FOLDER } from "../../project-folder.ts";

/** The path of the scaffold record; it is to be committed with the code. */
export const RECORD_FILE = `${PROJECT_FOLDER}/scaffold.json`;

/** The path of a file that tsop writes for a command, relative to the project. */
export const generatedPath = (command: "dev" | "run" | "replay", name: string): string =>
  `${PROJECT_FOLDER}/${command}/${name}`;

/**
 * Refuses symbolic links in the part of a path that is below `.tsop`, with it: what is written there must stay there.
 * A link in its place as a whole is refused, too. Links above `.tsop` are the user's.
 *
 * @throws TsopError `linked-folder`
 */
export function refuseLinks(path: string): void {
  const steps = resolve(path).split(sep);
  const first = steps.indexOf(PROJECT_FOLDER);
  if (first === -1) return;
  for (let length = first + 1; length <= steps.length; length++) {
    const part = steps.slice(0, length).join(sep);
    const stat = lstatSync(part, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink() !== true) continue;
    throw new TsopError(
      "linked-folder",
      `${part} is a symbolic link, and tsop does not write through links in ${PROJECT_FOLDER}.`,
      `Delete the link: tsop creates its own files and folders in ${PROJECT_FOLDER}.`,
    );
  }
}

/** Creates a folder that only its owner can read. @throws TsopError `linked-folder`; the error of the file system */
export function makePrivateFolder(path: string): void {
  refuseLinks(path);
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/**
 * Prepares a place for another program to write to; returns its absolute path.
 *
 * @param path - as `generatedPath`, relative to the project
 * @throws TsopError `linked-folder`; the error of the file system
 */
export function generatedFile(root: string, path: string): string {
  const absolute = isAbsolute(path) ? path : join(root, path);
  refuseLinks(absolute);
  makePrivateFolder(join(absolute, ".."));
  return absolute;
}
