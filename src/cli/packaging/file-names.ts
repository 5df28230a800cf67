/** The files of rendered objects in a package. */
import type { ManifestObject } from "../../kube/object.ts";

/**
 * A file for each object, in the folder of the package whatever its name is, and none for two objects.
 *
 * @param nameOf - the name that the file should have, without `.yaml`; what a file name cannot hold is replaced
 * @param folderOf - the folder, with its slash
 */
export function fileNames(
  objects: readonly ManifestObject[],
  nameOf: (object: ManifestObject) => string,
  folderOf: (object: ManifestObject) => string = () => "",
): ReadonlyMap<ManifestObject, string> {
  const taken = new Set<string>();
  const files = new Map<ManifestObject, string>();
  for (const object of objects) {
    const name = nameOf(object)
      .replaceAll(/[^A-Za-z0-9._-]/g, "-")
      .replaceAll("..", ".-");
    const path = `${folderOf(object)}${name}`;
    let file = `${path}.yaml`;
    // File systems can take names for equal that differ in case.
    for (let number = 2; taken.has(file.toLowerCase()); number++) file = `${path}-${number}.yaml`;
    taken.add(file.toLowerCase());
    files.set(object, file);
  }
  return files;
}
