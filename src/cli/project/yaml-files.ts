/**
 * Files of YAML or JSON that a user names one by one, or by their folder.
 *
 * @module
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** The file at `path`, or those right in the folder there, sorted; `undefined` where there is neither. */
export async function yamlFilesAt(path: string): Promise<readonly string[] | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) return found && [path];
  const names = (await readdir(path)).filter((name) => /\.(?:ya?ml|json)$/.test(name));
  return names.sort().map((name) => join(path, name));
}
