/** Files to which a kubeconfig refers. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { TsopError } from "../../errors.ts";

/**
 * The resolved path: relative to the kubeconfig's folder, or to the working folder for a text that
 * is not a file.
 */
export function resolveNamed(path: string, folder: string | undefined): string {
  return resolve(folder ?? process.cwd(), path);
}

/**
 * @param note - called with the resolved path
 * @throws TsopError `kubeconfig-file-missing`
 */
export function readNamedFile(
  path: string,
  folder: string | undefined,
  note: (path: string) => void,
): string {
  const whole = resolveNamed(path, folder);
  note(whole);
  try {
    return readFileSync(whole, "latin1");
  } catch (error) {
    throw new TsopError(
      "kubeconfig-file-missing",
      `The kubeconfig names ${whole}, which cannot be read.`,
      "Check the path; a relative path starts at the kubeconfig's folder.",
      { cause: error },
    );
  }
}
