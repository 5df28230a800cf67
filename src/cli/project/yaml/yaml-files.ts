/** Files of YAML or JSON that a user names one by one, or by their folder. */
import { stat } from "node:fs/promises";
import { UsageError } from "../../../errors.ts";
import { walkFolder } from "../folder-walk.ts";

const YAML_FILE = /\.(?:ya?ml|json)$/;
const COMPRESSED = /\.(?:gz|tgz|bz2|xz|zst|zip)$/;
const COMPRESSED_YAML = /\.(?:ya?ml|json)\.(?:gz|bz2|xz|zst|zip)$/;

/**
 * The file at `path`, or all in the folder there and in its folders, sorted; `undefined` where there is
 * neither. Packages and hidden folders are left out, and links out of the folder.
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
  const isEntered = (name: string): boolean => !name.startsWith(".") && name !== "node_modules";
  const files = await walkFolder(folder, isEntered);
  const packed = files.find(({ name }) => COMPRESSED_YAML.test(name));
  if (packed) throw compressed(packed.path);
  return files.filter(({ name }) => YAML_FILE.test(name)).map(({ path }) => path);
}

function compressed(path: string): UsageError {
  return new UsageError(
    "compressed-file",
    `${path} is compressed, and compressed files are not read.`,
    "Unpack it first, for example with `gunzip -k`, or move it away.",
  );
}
