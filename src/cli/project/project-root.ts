/**
 * Finds the root of a project. It imports next to nothing: `tsop manifests` looks here before it
 * loads a command.
 */
import { dirname, resolve } from "node:path";

/** The file that makes a folder a project, called as kubebuilder calls its own. */
export const PROJECT_FILE = "PROJECT";

/** A folder and those above it, the nearest first: in the first that has a `PROJECT` file is the project. */
export function* foldersUp(folder: string): Iterable<string> {
  let root = resolve(folder);
  yield root;
  while (dirname(root) !== root) {
    root = dirname(root);
    yield root;
  }
}
