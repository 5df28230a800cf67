/** YAML files of objects, as kustomize reads them. */
import { isMap, isScalar, isSeq } from "yaml";
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { ManifestObject } from "../../kube/object.ts";
import { readYaml, type ValuePath } from "../project/yaml/yaml-documents.ts";
import type { SourceFiles } from "./source-files.ts";

interface WrittenManifest {
  readonly object: ManifestObject;
  /** The fields after whose colon nothing is written; `null` and `~` are written. */
  readonly blankFields: readonly ValuePath[];
}

/** The objects of a YAML file; lists of objects are unfolded. */
export async function readManifests(path: string, files: SourceFiles): Promise<ManifestObject[]> {
  return (await readWrittenManifests(path, files)).map(({ object }) => object);
}

/** The objects of a YAML file, with what was written; lists of objects are unfolded. */
export async function readWrittenManifests(
  path: string,
  files: SourceFiles,
): Promise<WrittenManifest[]> {
  const manifests: WrittenManifest[] = [];
  const documents = readYaml(await files.read(path), path);
  for (const [index, { value, tree }] of documents.entries()) {
    if (value === null || value === undefined) continue;
    const listed = documents.length === 1 ? listedNodes(value, tree.contents) : [];
    // The objects of a list come after those beside it, as kustomize puts them: here, in its place.
    const waiting: unknown[] = [value];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const items = itemsOf(next);
      if (items) waiting.push(...items);
      else {
        assertManifest(path, index, next);
        const node = next === value ? tree.contents : listed[manifests.length];
        manifests.push({ object: next, blankFields: [...blankFieldsOf(node, [])] });
      }
    }
  }
  return manifests;
}

/**
 * The syntax trees of the items of a List that is alone in its file. Kustomize takes these as they are written, and
 * writes those of other lists anew, so that none of their fields is blank.
 */
function listedNodes(value: unknown, node: unknown): readonly unknown[] {
  if (!isJsonObject(value) || !isMap(node)) return [];
  if (value["kind"] !== "List" && value["kind"] !== "ResourceList") return [];
  const items = node.get("items");
  return isSeq(items) ? items.items : [];
}

/** The paths of the fields of a syntax tree that have no value. */
function* blankFieldsOf(node: unknown, path: ValuePath): Generator<ValuePath> {
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) yield* blankFieldsOf(item, [...path, index]);
  } else if (isMap(node)) {
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue;
      const field = [...path, String(key.value)];
      if (isScalar(value) && value.value === null && value.source === "") yield field;
      else yield* blankFieldsOf(value, field);
    }
  }
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
