/**
 * Finds the root of a project. It imports next to nothing: `tsop manifests` looks here before it
 * loads a command.
 */
import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { TsopError } from "../../errors.ts";

/** The file that makes a folder a project, called as kubebuilder calls its own. */
export const PROJECT_FILE = "PROJECT";

/** A folder and those above it, the nearest first. */
export function* foldersUp(folder: string): Iterable<string> {
  let root = resolve(folder);
  yield root;
  while (dirname(root) !== root) {
    root = dirname(root);
    yield root;
  }
}

/** The users of this machine. */
export interface Owners {
  /** The user's ID; absent on Windows. */
  readonly user: number | undefined;
  /** The IDs of the owners of a file: with a link, the link's also. */
  readonly ownersOf: (path: string) => readonly number[];
}

const ROOT_USER = 0;
const OWNERS: Owners = {
  user: process.getuid?.(),
  ownersOf: (path) => [lstatSync(path).uid, statSync(path).uid],
};

/**
 * The folder of the nearest `PROJECT` file: `folder`, or one above it. Commands run the code of a project, and all users
 * can write to `/tmp`, so a project above `folder` must belong to this user or to root.
 *
 * @throws TsopError `foreign-project`
 */
export function projectRootOf(folder: string, owners: Owners = OWNERS): string | undefined {
  const start = resolve(folder);
  for (const root of foldersUp(start)) {
    const file = join(root, PROJECT_FILE);
    if (!existsSync(file)) continue;
    if (root !== start) refuseForeign(root, file, owners);
    return root;
  }
  return undefined;
}

function refuseForeign(root: string, file: string, { user, ownersOf }: Owners): void {
  if (user === undefined) return;
  for (const path of [file, root]) {
    const owner = ownersOf(path).find((id) => id !== user && id !== ROOT_USER);
    if (owner === undefined) continue;
    throw new TsopError(
      "foreign-project",
      `${file} is in a folder above the current one, and ${path} belongs to the user with the ID ${String(owner)}. Your ID is ${String(user)}.`,
      `If you trust the project's code, change to its folder: \`cd ${root}\`. If the project is yours: \`chown ${String(user)} ${path}\`.`,
    );
  }
}
