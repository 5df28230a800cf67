/** Files of YAML or JSON that a user names one by one, or by their folder. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../../../errors.ts";

const YAML_FILE = /\.(?:ya?ml|json)$/;
const COMPRESSED = /\.(?:gz|tgz|bz2|xz|zst|zip)$/;
const COMPRESSED_YAML = /\.(?:ya?ml|json)\.(?:gz|bz2|xz|zst|zip)$/;

/**
 * The file at `path`, or all in the folder there and in its folders, sorted; `undefined` where there is
 * neither. Packages and hidden folders are left out.
 *
 * @throws UsageError `compressed-file` for a file that would have to be unpacked
 */
export async function yamlFilesAt(path: string): Promise<readonly string[] | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return undefined;
  if (found.isDirectory()) return filesIn(path);
  if (COMPRESSED.test(path)) throw compressed(path);
  return [path];
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  const found = await Promise.all(
    names.sort().map(async (name): Promise<readonly string[]> => {
      const path = join(folder, name);
      // The link's target counts, as for a file that is named itself; a broken link is not a file.
      const entry = await stat(path).catch(() => undefined);
      if (entry?.isDirectory()) {
        return name.startsWith(".") || name === "node_modules" ? [] : filesIn(path);
      }
      if (entry && COMPRESSED_YAML.test(name)) throw compressed(path);
      return entry && YAML_FILE.test(name) ? [path] : [];
    }),
  );
  return found.flat();
}

function compressed(path: string): UsageError {
  return new UsageError(
    "compressed-file",
    `${path} is compressed, and compressed files are not read.`,
    "Unpack it first, for example with `gunzip -k`, or move it away.",
  );
}
