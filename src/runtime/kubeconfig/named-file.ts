/**
 * Files that a kubeconfig names.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { TsopError } from "../../errors.ts";

/** Where a path of a kubeconfig leads: it counts from the file, or from the working folder for a text that is no file. */
export function resolveNamed(path: string, folder: string | undefined): string {
  return resolve(folder ?? process.cwd(), path);
}

/** @throws TsopError `kubeconfig-file-missing` */
export function readNamedFile(path: string, folder: string | undefined): string {
  const whole = resolveNamed(path, folder);
  try {
    return readFileSync(whole, "latin1");
  } catch (error) {
    throw new TsopError(
      "kubeconfig-file-missing",
      `The kubeconfig names ${whole}, which cannot be read.`,
      "Check the path; a relative one counts from the kubeconfig's folder.",
      { cause: error },
    );
  }
}
