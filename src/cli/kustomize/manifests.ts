/**
 * YAML files of objects, as kustomize reads them.
 *
 * @module
 */
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { ManifestObject } from "../../kube/object.ts";
import { readYaml } from "../project/yaml-documents.ts";
import type { SourceFiles } from "./source-files.ts";

/** The objects of a YAML file; lists of objects are unfolded. */
export async function readManifests(path: string, files: SourceFiles): Promise<ManifestObject[]> {
  const objects: ManifestObject[] = [];
  for (const [index, document] of parseYaml(path, await files.read(path)).entries()) {
    if (document === null || document === undefined) continue;
    // The objects of a list come after those beside it, as kustomize puts them: here, in its place.
    const waiting: unknown[] = [document];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const items = itemsOf(next);
      if (items) waiting.push(...items);
      else {
        assertManifest(path, index, next);
        objects.push(next);
      }
    }
  }
  return objects;
}

/** The items of a list of objects; `undefined` for an object that is none. */
function itemsOf(document: unknown): readonly unknown[] | undefined {
  if (!isJsonObject(document) || !String(document["kind"]).endsWith("List")) return undefined;
  const { items } = document;
  if (items === null) return [];
  return Array.isArray(items) ? (items as unknown[]) : undefined;
}

function assertManifest(
  path: string,
  index: number,
  object: unknown,
): asserts object is ManifestObject {
  const metadata = isJsonObject(object) ? object["metadata"] : undefined;
  if (
    isJsonObject(object) &&
    typeof object["apiVersion"] === "string" &&
    typeof object["kind"] === "string" &&
    isJsonObject(metadata) &&
    typeof metadata["name"] === "string" &&
    metadata["name"] !== ""
  ) {
    return;
  }
  throw new TsopError(
    "not-a-manifest",
    `${path}: document ${index + 1} has no apiVersion, kind and metadata.name.`,
    "Add them, or take the file out of the kustomization.",
  );
}

/** The documents of a YAML text. */
export function parseYaml(path: string, content: string): unknown[] {
  return readYaml(content, path).map(({ value }) => value);
}
